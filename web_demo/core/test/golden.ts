import { readFileSync } from "node:fs";
import { BertTokenizer, NormalizationTable, Vocabulary } from "../src/index.js";

const GOLDEN = new URL("../../../tests/golden/", import.meta.url);

/** Reads a file of tests/golden, whose values the tests of Python and Kotlin compare with too. */
export function golden(name: string): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL(name, GOLDEN));
}

export function goldenJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, GOLDEN), "utf-8"));
}

const tables = [false, true].map((lowerCase) =>
  NormalizationTable.read(
    golden(`text/normalization_${lowerCase ? "lower_case" : "cased"}.txt`),
    "normalization.txt",
  ),
);

export function goldenTable(lowerCase = true): NormalizationTable {
  return tables[lowerCase ? 1 : 0]!;
}

/** Returns a tokenizer of tests/golden/text/vocab.txt. */
export function goldenTokenizer(lowerCase = true): BertTokenizer {
  return new BertTokenizer(Vocabulary.read(golden("text/vocab.txt")), goldenTable(lowerCase));
}

/** Returns a tokenizer of the special pieces and these; the first of these has the id 5. */
export function smallTokenizer(...pieces: string[]): BertTokenizer {
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  return new BertTokenizer(new Vocabulary([...special, ...pieces]), goldenTable());
}

/** A text with its ids and places, as Python gives them. */
export interface TextCase {
  readonly text: string;
  readonly ids: number[];
  readonly starts: number[];
  readonly ends: number[];
}
