import { describe, expect, test } from "vitest";
import { ModelError, ModelSpec, QUESTION_DEFAULTS, readQuestionSettings } from "../src/index.js";

const FACTS = {
  name: "sst2",
  kind: "classification",
  lengths: [32, 128],
  signatures: { "32": "length_32", "128": "length_128" },
  lower_case: true,
  inputs: { ids: {}, mask: {}, segment_ids: {} },
  outputs: { probabilities: { shape: [1, 2] } },
  labels: ["bad", "good"],
  files: [],
};

function read(changes: Record<string, unknown> = {}): ModelSpec {
  return ModelSpec.read(JSON.stringify({ ...FACTS, ...changes }));
}

describe("model.json", () => {
  test("is read as the exporter writes it", () => {
    const spec = read();
    expect(spec).toMatchObject({
      name: "sst2",
      kind: "classification",
      lengths: [32, 128],
      length: 128,
      labels: ["bad", "good"],
      outputs: ["probabilities"],
      lowerCase: true,
      settings: null,
    });
    expect(spec.signature(32)).toBe("length_32");
    expect(spec).toMatchObject({ vocabularySize: null, files: new Map() });
    const files = [{ file: "a.tflite", bytes: 3, sha256: "00ff", recipe: "int8" }];
    const known = read({ config: { vocab_size: 30522 }, files });
    expect(known.vocabularySize).toBe(30522);
    expect(known.files.get("a.tflite")).toEqual({ bytes: 3, sha256: "00ff" });
    expect(read({ labels: null, name: null })).toMatchObject({ labels: null, name: "" });
  });

  test("gives the shortest length that leaves a place for padding", () => {
    const spec = read();
    expect([1, 31, 32, 127, 128, 500].map((tokens) => spec.lengthFor(tokens))).toEqual([
      32, 32, 128, 128, 128, 128,
    ]);
  });

  test.each([
    ["{", "model.json is not JSON: "],
    ["[]", "model.json should be an object."],
    ["null", "model.json should be an object."],
  ])("refuses %j", (content, message) => {
    expect(() => ModelSpec.read(content)).toThrow(ModelError);
    expect(() => ModelSpec.read(content)).toThrow(message);
  });

  test.each([
    [{ kind: undefined }, 'model.json has no "kind": export the model again.'],
    [{ kind: 1 }, 'model.json: "kind" should be a string.'],
    [{ lengths: [] }, 'model.json: "lengths" should be ascending numbers above 2.'],
    [{ lengths: [128, 32] }, 'model.json: "lengths" should be ascending numbers above 2.'],
    [{ lengths: [2, 32] }, 'model.json: "lengths" should be ascending numbers above 2.'],
    [{ lengths: [32.5] }, 'model.json: "lengths" should be a list of whole numbers.'],
    [{ lengths: [64] }, 'model.json, "signatures" has no "64": export the model again.'],
    [{ inputs: { ids: {} } }, 'model.json: "inputs" lacks mask, segment_ids.'],
    [{ inputs: [] }, 'model.json: "inputs" should be an object.'],
    [{ lower_case: "true" }, 'model.json: "lower_case" should be true or false.'],
    [{ files: [1] }, 'model.json: "files" should be a list of objects.'],
    [{ files: [{ file: "a" }] }, 'model.json, "files"[0] has no "bytes": export the model again.'],
    [
      { config: { vocab_size: "1" } },
      'model.json, "config": "vocab_size" should be a whole number from 1 to 9007199254740991.',
    ],
    [{ labels: ["a", 1] }, 'model.json: "labels" should be a list of strings.'],
  ])("with %j is refused", (changes, message) => {
    expect(() => read(changes)).toThrow(new ModelError(message));
  });

  test("of another kind, or without an output, is refused where it is needed", () => {
    expect(() => read().require("tagging", "logits")).toThrow(
      "The model is one for classification, and one for tagging is needed here.",
    );
    expect(() => read().require("classification", "probabilities", "logits")).toThrow(
      "The model does not give logits: export it again.",
    );
  });
});

describe("the settings of questions", () => {
  test("have defaults", () => {
    expect(readQuestionSettings(read().settings)).toEqual(QUESTION_DEFAULTS);
    expect(readQuestionSettings(read({ settings: {} }).settings)).toEqual(QUESTION_DEFAULTS);
  });

  test("are those of the model", () => {
    const settings = { max_question_length: 9, stride: 7, max_answer_length: 5, n_best: 3 };
    expect(readQuestionSettings({ ...settings, null_threshold: 0.5 })).toEqual({
      maxQuestionLength: 9,
      stride: 7,
      maxAnswerLength: 5,
      nBest: 3,
      nullThreshold: 0.5,
    });
    expect(readQuestionSettings({ null_threshold: null })).toEqual(QUESTION_DEFAULTS);
  });

  test.each([
    [{ stride: 0 }, 'model.json, "settings": "stride" should be a whole number from 1 to 1000000.'],
    [{ n_best: 1.5 }, '"n_best" should be a whole number from 1 to 1000000.'],
    [{ n_best: null }, '"n_best" should be a whole number from 1 to 1000000.'],
    [{ null_threshold: "0" }, '"null_threshold" should be a number.'],
    [{ threshold: 0.5 }, '"threshold" is not one of max_question_length, stride'],
    [[], 'model.json, "settings" should be an object.'],
  ])("refuse %j", (settings, message) => {
    expect(() => readQuestionSettings(settings)).toThrow(message);
  });
});
