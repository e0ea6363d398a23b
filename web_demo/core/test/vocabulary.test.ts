import { describe, expect, test } from "vitest";
import { readLabels, Vocabulary } from "../src/index.js";

const SPECIAL = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";

function bytes(text: string, ...more: number[]): Uint8Array {
  return Uint8Array.from([...new TextEncoder().encode(text), ...more]);
}

describe("a vocabulary", () => {
  test("has the places of its pieces as ids", () => {
    const vocabulary = Vocabulary.read(bytes(`${SPECIAL}##a\n\u0085\n\u2028\nb`));
    const { padId, unknownId, clsId, sepId } = vocabulary;
    expect([padId, unknownId, clsId, sepId]).toEqual([0, 1, 2, 3]);
    expect(["##a", "\u0085", "\u2028", "b"].map((piece) => vocabulary.id(piece))).toEqual([
      4, 5, 6, 7,
    ]);
    expect(vocabulary.id("a")).toBeUndefined();
    expect(vocabulary.id("constructor")).toBeUndefined();
  });

  test("may have Windows line ends", () => {
    expect(Vocabulary.read(`${SPECIAL}b\n`.replaceAll("\n", "\r\n")).pieces.at(-1)).toBe("b");
  });

  test.each([
    ["", "vocab.txt is empty."],
    [`${SPECIAL}\nb\n`, "vocab.txt, line 5 is empty: a line holds one piece."],
    [`${SPECIAL}b\nc\nb\n`, 'vocab.txt, line 7: the piece "b" is on line 5 already.'],
    [`${SPECIAL}b c\n`, 'vocab.txt, line 5: the piece "b c" contains white space.'],
    ["[PAD]\n[UNK]\n[CLS]\n", "vocab.txt lacks the special piece [SEP]."],
    [`\ufeff${SPECIAL}`, "vocab.txt starts with a byte order mark: save it as UTF-8 without one."],
  ])("refuses %j", (content, message) => {
    expect(() => Vocabulary.read(bytes(content))).toThrow(message);
  });

  test.each([
    [bytes(SPECIAL, 0xc3, 0x28), 5],
    [bytes("", 0xff), 1],
    [bytes(`${SPECIAL}a\n`, 0xc3), 6],
  ])("names the line that is not UTF-8 (%#)", (content, line) => {
    expect(() => Vocabulary.read(content)).toThrow(`vocab.txt, line ${line} is not UTF-8.`);
  });
});

describe("labels", () => {
  test("are the lines", () => {
    expect(readLabels(bytes("not good\ngood\n"))).toEqual(["not good", "good"]);
  });

  test("may be very many", () => {
    const many = Array.from({ length: 200_000 }, (_, number) => `label ${number}`);
    expect(readLabels(many.join("\n"))).toEqual(many);
  });

  test.each([
    ["", "labels.txt is empty."],
    ["a\n\nb\n", "labels.txt, line 2 is empty"],
    ["a\nb\na\n", 'labels.txt, line 3: the label "a" is on line 1 already.'],
  ])("refuses %j", (content, message) => {
    expect(() => readLabels(content)).toThrow(message);
  });
});
