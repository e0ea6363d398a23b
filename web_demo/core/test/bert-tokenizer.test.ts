import { describe, expect, test } from "vitest";
import { goldenJson, goldenTokenizer, smallTokenizer, type TextCase } from "./golden.js";

interface GoldenText extends TextCase {
  readonly lower_case: boolean;
}

const tokenizers = new Map([false, true].map((each) => [each, goldenTokenizer(each)]));

function places(pieces: string[], text: string): number[][] {
  const tokens = smallTokenizer(...pieces).tokenize(text);
  return tokens.ids.map((id, i) => [id, tokens.starts[i]!, tokens.ends[i]!]);
}

describe("the tokenizer", () => {
  test("gives the ids of Google's own", () => {
    const { cases } = goldenJson<{ cases: GoldenText[] }>("text/google_tokenization.json");
    expect(cases.length).toBeGreaterThan(200);
    for (const { text, lower_case, ids } of cases) {
      expect(tokenizers.get(lower_case)!.tokenize(text).ids, text).toEqual(ids);
    }
  });

  test("gives the ids and places of Python's", () => {
    const { cases } = goldenJson<{ cases: GoldenText[] }>("text/offsets.json");
    expect(cases.length).toBeGreaterThan(230);
    for (const { text, lower_case, ids, starts, ends } of cases) {
      expect(tokenizers.get(lower_case)!.tokenize(text), text).toEqual({ ids, starts, ends });
    }
  });

  test("takes the longest pieces first", () => {
    const pieces = ["un", "##able", "##ab", "##le", "unab", "!", "able"];
    expect(places(pieces, "Unable")).toEqual([
      [9, 0, 4],
      [8, 4, 6],
    ]);
    expect(places(pieces, "unabl!")).toEqual([
      [1, 0, 5],
      [10, 5, 6],
    ]);
  });

  test("matches words of up to 200 characters, which may be pairs", () => {
    expect(places(["𝐱", "##𝐱"], "𝐱".repeat(200))).toHaveLength(200);
    expect(places(["𝐱", "##𝐱"], "𝐱".repeat(201))).toEqual([[1, 0, 402]]);
  });

  test("does not join halves of a pair that meet after cleaning", () => {
    expect(places(["😀"], "😀")).toEqual([[5, 0, 2]]);
    expect(places(["😀"], "\ud83d\u00ad\ude00")).toEqual([[1, 0, 3]]);
    expect(places(["😀"], "\ud83d")).toEqual([[1, 0, 1]]);
  });

  test("reads special pieces in a text as characters", () => {
    expect(smallTokenizer("[", "]", "mask").tokenize("[MASK]").ids).toEqual([5, 7, 6]);
  });

  test.each(["", " ", "\0", "\u200b\ufeff", "\u2028\u3000", "\u0301"])(
    "finds nothing in %j",
    (text) => {
      expect(goldenTokenizer().tokenize(text).ids).toEqual([]);
    },
  );

  // Each text attacks one way to take quadratic time, which would be minutes.
  test.each([
    "a",
    "\u0301",
    "\u1b44\u0301",
    "Σ",
    "Σ.",
    "AΣ'",
    "İ",
    "가",
    "😀",
    "\ud800",
    "\0",
    "the ",
    "中",
    "\u200d",
    "ệ",
    "\u0344",
  ])(
    "takes 300,000 of %j in linear time",
    (kind) => {
      const text = kind.repeat(300_000 / kind.length);
      const start = performance.now();
      const tokens = tokenizers.get(true)!.tokenize(text);
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(tokens.ends.at(-1) ?? 0).toBeLessThanOrEqual(text.length);
    },
    60_000,
  );
});
