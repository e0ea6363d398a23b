import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ModelError, type OpenFile, readModel, readModelFiles } from "../src/index.js";
import { golden } from "./golden.js";

type Content = Awaited<ReturnType<OpenFile>>;

const MODELS = new URL("../../../models/", import.meta.url);

/** Reads a package of models/, with some files changed; undefined is a missing file. */
function read(name: string, changes: Record<string, Content | undefined> = {}) {
  const files: Record<string, Content | undefined> = {
    "normalization.txt": golden("text/normalization_lower_case.txt"),
    ...changes,
  };
  return readModelFiles(async (file) => {
    if (!(file in files)) return readFileSync(new URL(`${name}/${file}`, MODELS));
    const content = files[file];
    if (content === undefined) throw new Error("status 404");
    return content;
  });
}

describe("the files of a package", () => {
  test.each([
    ["mobilebert_mini_sst2", "classification", ["negative", "positive"]],
    ["mobilebert_mini_squad", "question_answering", null],
    ["mobilebert_mini_embedding", "embedding", null],
    ["mobilebert_mini_restaurant", "tagging", expect.arrayContaining(["O", "B-Dish"])],
  ])("%s are read", async (name, kind, labels) => {
    const { spec, tokenizer } = await read(name);
    expect([spec.name, spec.kind, spec.labels]).toEqual([name, kind, labels]);
    expect(tokenizer.vocabulary.pieces).toHaveLength(30522);
    // BERT's own ids: who, ##se.
    expect(tokenizer.tokenize("Who").ids).toEqual([2040]);
  });

  test.each([
    [
      { "model.json": undefined },
      "Cannot read model.json, which belongs to the model: status 404.",
    ],
    [{ "vocab.txt": undefined }, "Cannot read vocab.txt, which belongs to the model: status 404."],
    [{ "labels.txt": "positive\nnegative\n" }, "labels.txt and model.json name different classes."],
    [
      { "normalization.txt": golden("text/normalization_cased.txt") },
      "normalization.txt and model.json are of different models: one lower-cases, the other does not.",
    ],
    [{ "vocab.txt": "<!doctype html>" }, 'vocab.txt, line 1: the piece "<!doctype html>" contains'],
    [{ "model.json": "<!doctype html>" }, "model.json is not JSON"],
    [
      { "vocab.txt": golden("text/vocab.txt") },
      /^vocab.txt has \d{3,4} pieces, and the model has 30522: it is another model's.$/,
    ],
  ])("are refused with %j", async (changes, message) => {
    const work = read("mobilebert_mini_sst2", changes);
    await expect(work).rejects.toThrow(ModelError);
    await expect(work).rejects.toThrow(message);
  });
});

describe("the file with the model", () => {
  const FILE = "mobilebert_mini_sst2_int8.tflite";
  const content = readFileSync(new URL(`mobilebert_mini_sst2/${FILE}`, MODELS));

  async function model(open: OpenFile): Promise<Uint8Array> {
    return readModel(open, (await read("mobilebert_mini_sst2")).spec, FILE);
  }

  test("is read", async () => {
    // It is not copied: a copy would take the room of the model again.
    expect((await model(async () => content)) === content).toBe(true);
  });

  test.each([
    [content.subarray(0, 1000), `${FILE} has 1000 bytes and should have ${content.length}: `],
    [content.map((byte, at) => (at === 5000 ? byte ^ 1 : byte)), `${FILE} is not the file that `],
    ["<!doctype html>", `${FILE} is a text, and no model.`],
  ])("is refused if it is another (%#)", async (other, message) => {
    await expect(model(async () => other)).rejects.toThrow(ModelError);
    await expect(model(async () => other)).rejects.toThrow(message);
  });

  test("is refused if it is missing", async () => {
    const missing = model(() => Promise.reject(new Error("status 404")));
    await expect(missing).rejects.toThrow(`Cannot read ${FILE}, which belongs to the model: `);
  });
});
