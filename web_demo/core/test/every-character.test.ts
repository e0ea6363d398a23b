import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { BertTokenizer, Vocabulary } from "../src/index.js";
import { goldenJson, goldenTable } from "./golden.js";

const CHECKSUM_DIGITS = 16;

type Checksums = Readonly<Record<string, string>>;

interface EveryCharacter {
  readonly characters: [first: number, last: number][];
  readonly block: number;
  readonly patterns: string[];
  readonly lower_case: Checksums;
  readonly cased: Checksums;
}

const file = goldenJson<EveryCharacter>("text/every_character.json");

function charactersOf(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point));
}

/** The special pieces, then each character as a word and as the rest of one. */
function everyPiece(): Vocabulary {
  const characters = file.characters.flatMap(([first, last]) => charactersOf(first, last));
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  return new Vocabulary([...special, ...characters, ...characters.map((each) => `##${each}`)]);
}

function checksum(tokenizer: BertTokenizer, first: number): string {
  const hash = createHash("sha256");
  for (const pattern of file.patterns) {
    const text = charactersOf(first, first + file.block - 1)
      .map((each) => pattern.replace("X", () => each))
      .join(" ");
    const { ids, starts, ends } = tokenizer.tokenize(text);
    hash.update(ids.map((id, at) => `${id} ${starts[at]} ${ends[at]}\n`).join(""));
  }
  return hash.digest("hex").slice(0, CHECKSUM_DIGITS);
}

const vocabulary = everyPiece();

test.each([
  ["lower_case", true],
  ["cased", false],
] as const)("every character is tokenized as by Python, %s", (name, lowerCase) => {
  const tokenizer = new BertTokenizer(vocabulary, goldenTable(lowerCase));
  const blocks = Object.entries(file[name]);
  const wrong = blocks.filter(([first, sum]) => checksum(tokenizer, parseInt(first, 16)) !== sum);
  expect(wrong).toEqual([]);
  expect(blocks.length).toBeGreaterThan(150);
});
