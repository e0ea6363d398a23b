import { describe, expect, test } from "vitest";
import {
  Cascade,
  ModelError,
  ModelSpec,
  NoText,
  readCascadeSettings,
  TextClassifier,
} from "../src/index.js";
import { smallTokenizer } from "./golden.js";

const FACTS = {
  kind: "classification",
  labels: ["bad", "good"],
  threshold: 0.75,
  files: [
    { file: "small.tflite", bytes: 1, sha256: "01" },
    { file: "../large/large.tflite", bytes: 2, sha256: "02" },
  ],
  task: "sst2",
};

function settings(changes: Record<string, unknown> = {}) {
  return readCascadeSettings(JSON.stringify({ ...FACTS, ...changes }));
}

/** A classifier that gives "good" this probability; it counts its runs. */
function classifier(good: number, sha256: string, labels: string[] = FACTS.labels) {
  const runs: string[] = [];
  const spec = ModelSpec.read(
    JSON.stringify({
      name: `model ${sha256}`,
      kind: "classification",
      lengths: [8],
      signatures: { "8": "only" },
      inputs: { ids: {}, mask: {}, segment_ids: {} },
      outputs: { probabilities: {} },
      labels,
      lower_case: true,
      files: sha256 === "" ? [] : [{ file: "model.tflite", bytes: 1, sha256 }],
    }),
  );
  const model = new TextClassifier(
    { spec, tokenizer: smallTokenizer("a") },
    {
      run: async (signature) => {
        runs.push(signature);
        return { probabilities: Float32Array.of(1 - good, good) };
      },
    },
  );
  return { model, runs };
}

describe("a cascade", () => {
  test.each([
    [0.875, 0, false],
    [0.75, 1, true],
    [0.5, 1, true],
    [0.125, 0, false],
  ])("whose first model says %f asks the second %i times", async (good, asked, isOfSecond) => {
    const [first, second] = [classifier(good, "01"), classifier(0.25, "02")];
    const found = await new Cascade(settings(), first.model, second.model).classify("a");
    expect(found.isOfSecond).toBe(isOfSecond);
    expect(found.confidence).toBe(isOfSecond ? 0.75 : Math.max(good, 1 - good));
    expect(found.classes[0]!.label).toBe(isOfSecond || good < 0.5 ? "bad" : "good");
    expect([first.runs.length, second.runs.length]).toEqual([1, asked]);
  });

  test("asks the second where the first gives no usable numbers", async () => {
    const first = classifier(Number.NaN, "01").model;
    const second = classifier(0.25, "02").model;
    const found = await new Cascade(settings(), first, second).classify("a");
    expect(found).toMatchObject({ isOfSecond: true, confidence: 0.75 });
    const both = new Cascade(settings(), first, classifier(Number.NaN, "02").model);
    await expect(both.classify("a")).rejects.toThrow("no usable numbers");
    // What is wrong with the first otherwise is said.
    const { spec } = first;
    const files = { spec, tokenizer: smallTokenizer("a") };
    const failing = new TextClassifier(files, { run: async () => ({}) });
    const other = new Cascade(settings(), failing, second);
    await expect(other.classify("a")).rejects.toThrow("The model file has no probabilities");
  });

  test.each([
    ["", null],
    [" \n", null],
    ["a", " "],
    ["\u200b", "a"],
  ])("asks no model about a text without tokens: %j, %j", async (text, secondText) => {
    const [first, second] = [classifier(0.5, "01"), classifier(0.25, "02")];
    const cascade = new Cascade(settings(), first.model, second.model);
    await expect(cascade.classify(text, secondText)).rejects.toThrow(NoText);
    expect([first.runs, second.runs]).toEqual([[], []]);
  });

  test("is of the models for which the threshold was chosen", () => {
    const make = (one: string, two: string, labels?: string[]): Cascade =>
      new Cascade(settings(), classifier(0.5, one).model, classifier(0.5, two, labels).model);
    expect(() => make("02", "01")).toThrow("chosen for other models than model 02");
    expect(() => make("01", "03")).toThrow("chosen for other models than model 03");
    expect(() => make("01", "02", ["good", "bad"])).toThrow("other labels");
    expect(make("", "02")).toBeInstanceOf(Cascade);
  });
});

describe("cascade.json", () => {
  test("is read as Python writes it", () => {
    expect(settings()).toEqual({
      labels: ["bad", "good"],
      threshold: 0.75,
      checksums: ["01", "02"],
    });
    expect(settings({ labels: null }).labels).toBeNull();
  });

  test.each([
    [{ kind: "multi_label" }, "cascade.json is for multi_label, and this core has cascades for"],
    [{ threshold: 1.5 }, 'cascade.json: "threshold" should be a number from 0 to 1.'],
    [{ threshold: undefined }, 'cascade.json has no "threshold"'],
    [{ files: FACTS.files.slice(1) }, 'cascade.json: "files" should name two files.'],
    [{ files: [{}, {}] }, 'has no "sha256"'],
    [{ labels: [1] }, 'cascade.json: "labels" should be a list of strings.'],
  ])("refuses %j", (changes, message) => {
    expect(() => settings(changes)).toThrow(ModelError);
    expect(() => settings(changes)).toThrow(message);
  });
});
