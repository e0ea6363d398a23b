import { describe, expect, test } from "vitest";
import { entities, splitWords, taggedWindows } from "../src/index.js";
import { smallTokenizer } from "./golden.js";

function words(text: string): string[] {
  return splitWords(text).map(({ start, end }) => text.slice(start, end));
}

describe("words", () => {
  test.each([
    ["Anna's in São-Tomé!", ["Anna", "'s", "in", "São-Tomé", "!"]],
    ["U.S. of 12,000 (3.5)...", ["U.S.", "of", "12,000", "(", "3.5", ")", "..."]],
    ["@anna_b #to-day AT&T, 1,a", ["@anna_b", "#to-day", "AT&T", ",", "1", ",", "a"]],
    ["cafe\u0301 z\u200bw 中文 👩👩!", ["cafe\u0301", "z\u200bw", "中", "文", "👩👩", "!"]],
    ["½.½. Ⅳ.Ⅴ. 1.2. a.½.", ["½.½.", "Ⅳ.Ⅴ.", "1.2", ".", "a.½."]],
    ["", []],
  ])("of %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test.each(["!", "@", "a"])("may be millions of %j", (character) => {
    const text = character.repeat(6_000_000);
    expect(splitWords(text)).toEqual([{ start: 0, end: text.length }]);
  });

  test("have places in UTF-16 code units", () => {
    expect(splitWords("👩 is").map(({ start, end }) => [start, end])).toEqual([
      [0, 2],
      [3, 5],
    ]);
  });
});

describe("the windows of a text's words", () => {
  test("are cut between words", () => {
    const tokenizer = smallTokenizer("un", "##able", "a");
    // unable unable a; the zero-width space has no pieces.
    const windows = taggedWindows(tokenizer, ["unable", "\u200b", "Unable", "a"], 5);
    expect(windows).toEqual([
      { ids: [2, 5, 6, 3], firstLength: 4, words: [-1, 0, -1, -1] },
      { ids: [2, 5, 6, 7, 3], firstLength: 5, words: [-1, 2, -1, 3, -1] },
    ]);
    expect(taggedWindows(tokenizer, ["unable"], 3)[0]!.ids).toEqual([2, 5, 3]);
    expect(taggedWindows(tokenizer, [], 3)).toEqual([
      { ids: [2, 3], firstLength: 2, words: [-1, -1] },
    ]);
  });
});

describe("entities", () => {
  function found(...tags: string[]): unknown[] {
    const text = "aa bb cc dd ee";
    const probabilities = [0.5, 0.75, 1, 1, 1];
    return entities(
      text,
      splitWords(text),
      tags.map((tag, i) => ({ tag, probability: probabilities[i]! })),
    ).map(({ type, text, start, end, probability }) => [type, text, start, end, probability]);
  }

  test("are begun by B and continued by I of the same type", () => {
    expect(found("B-PER", "I-PER", "B-PER", "I-LOC", "O")).toEqual([
      ["PER", "aa bb", 0, 5, 0.625],
      ["PER", "cc", 6, 8, 1],
      ["LOC", "dd", 9, 11, 1],
    ]);
  });

  test("are begun by I after anything else, as in conlleval", () => {
    expect(found("O", "I-PER", "I-PER", "O", "I-two words")).toEqual([
      ["PER", "bb cc", 3, 8, 0.875],
      ["two words", "ee", 12, 14, 1],
    ]);
  });
});
