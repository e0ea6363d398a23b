import { describe, expect, test } from "vitest";
import {
  type DecodedSpans,
  decodeSpans,
  QUESTION_DEFAULTS,
  type QuestionSettings,
  type QuestionWindow,
  questionWindows,
  softmax,
} from "../src/index.js";
import { goldenJson, goldenTokenizer } from "./golden.js";
import { goldenQuestions, settingsOf, type WindowSetting } from "./questions.js";

const PASSAGE = "ab cd ef gh ab";

/** [CLS] ? [SEP], words of two letters, [SEP]. */
function window(tokens: number, first = 0, isMaxContext?: boolean[]): QuestionWindow {
  const words = Array.from({ length: tokens }, (_, index) => first + index);
  return {
    ids: Array.from({ length: tokens + 4 }, (_, index) => index),
    firstLength: 3,
    starts: words.map((word) => 3 * word),
    ends: words.map((word) => 3 * word + 2),
    words,
    isMaxContext: isMaxContext ?? words.map(() => true),
  };
}

// [CLS] ? [SEP] ab cd ef [SEP], and padding, which must not count.
const START = [0.5, 9, 9, 1, 3, 2, 9, 99];
const END = [0.25, 9, 9, 4, 1, 2, 9, 99];

function decode(one: QuestionWindow, settings: Partial<QuestionSettings> = {}): DecodedSpans {
  return decodeSpans(PASSAGE, [one], [START], [END], { ...QUESTION_DEFAULTS, ...settings });
}

function texts({ spans }: DecodedSpans): string[] {
  return spans.map(({ text }) => text);
}

describe("span decoding", () => {
  test("finds the best spans by hand", () => {
    const decoded = decode(window(3));
    // In order, a tie as the starts rank: cd..ef 5, ab 5, ef 4, cd 4, ab..ef 3, ab..cd 2.
    expect(texts(decoded)).toEqual(["cd ef", "ab", "cd", "ef", "ab cd ef", "ab cd"]);
    expect(decoded.spans.map(({ score }) => score)).toEqual([5, 5, 4, 4, 3, 2]);
    expect(decoded.spans[0]).toMatchObject({ start: 3, end: 8 });
    // e^0 of 2 e^0 + 2 e^-1 + e^-2 + e^-3; with "no answer", e^(0.75 - 5) more.
    expect(decoded.spans[0]!.probability).toBeCloseTo(0.342362, 6);
    expect(decode(window(3), { nullThreshold: 0 }).spans[0]!.probability).toBeCloseTo(0.340699, 6);
    expect([decoded.nullScore, decoded.nullOdds]).toEqual([0.75, -4.25]);
  });

  test("takes short answers, which start where context is most", () => {
    expect(texts(decode(window(3), { maxAnswerLength: 1 }))).toEqual(["ab", "cd", "ef"]);
    expect(texts(decode(window(3, 0, [true, false, false])))).toEqual(["ab", "ab cd ef", "ab cd"]);
    // "ab" is not among the five highest starts, "cd" not among the ends.
    expect(texts(decode(window(3), { nBest: 5 }))).toEqual(["cd ef", "ef"]);
    // The three highest starts and ends are not in the passage.
    expect(texts(decode(window(3), { nBest: 3 }))).toEqual([]);
  });

  test("takes the better one of equal texts", () => {
    const logits = [0, 0, 0, 4, 0, 0, 0, 5, 0];
    const { spans } = decodeSpans(PASSAGE, [window(5)], [logits], [logits], QUESTION_DEFAULTS);
    expect(spans[0]).toMatchObject({ text: "ab", start: 12, end: 14 });
    expect(spans.filter(({ text }) => text === "ab")).toHaveLength(1);
  });

  test("keeps the accents after the last letter, which have no token", () => {
    const logits = [0, 0, 0, 0, 4, 0, 0];
    const texts = ["ab cd\u0301\u{10A01} ef", "ab cd\u0301", "ab cd\u0903 ef"].map(
      (passage) =>
        decodeSpans(passage, [window(2)], [logits], [logits], QUESTION_DEFAULTS).spans[0],
    );
    expect(texts).toMatchObject([
      { text: "cd\u0301\u{10A01}", start: 3, end: 8 },
      { text: "cd\u0301", start: 3, end: 6 },
      { text: "cd", start: 3, end: 5 },
    ]);
  });

  test("keeps millions of accents", () => {
    const logits = [0, 0, 0, 0, 4, 0, 0];
    const passage = `ab cd${"\u0301".repeat(6_000_000)} ef`;
    const { spans } = decodeSpans(passage, [window(2)], [logits], [logits], QUESTION_DEFAULTS);
    expect(spans[0]).toMatchObject({ start: 3, end: passage.length - 3 });
  });

  test("takes the least null score of all windows", () => {
    const decoded = decodeSpans(
      PASSAGE,
      [window(3), window(2, 3)],
      [START, [-1, 0, 0, 0, 0, 0]],
      [END, [-2, 0, 0, 7, 0, 0]],
      QUESTION_DEFAULTS,
    );
    expect([decoded.nullScore, decoded.nullOdds]).toEqual([-3, -10]);
    expect(decoded.spans[0]).toMatchObject({ text: "gh", start: 9, end: 11 });
  });

  test("refuses numbers that are none", () => {
    const decodeEnds = (end: number[]): DecodedSpans =>
      decodeSpans(PASSAGE, [window(3)], [START], [end], QUESTION_DEFAULTS);
    expect(() => decodeEnds(END.slice(0, 6))).toThrow("gave 6 numbers for 7 tokens");
    expect(() => decodeEnds(END.with(1, Number.NaN))).toThrow("no usable numbers");
    expect(decodeEnds(END.with(7, Number.NaN)).spans).not.toEqual([]);
    const nothing = decodeSpans("", [], [], [], QUESTION_DEFAULTS);
    expect([nothing.spans, nothing.nullOdds]).toEqual([[], 1e6]);
  });

  test("does not overflow with all spans of a long window", () => {
    const tokens = 600;
    const logits = new Array<number>(tokens + 4).fill(0);
    const settings = { ...QUESTION_DEFAULTS, nBest: 1_000_000, maxAnswerLength: 1_000_000 };
    const decoded = decodeSpans(
      "ab ".repeat(tokens),
      [window(tokens)],
      [logits],
      [logits],
      settings,
    );
    expect(decoded.spans).toHaveLength(tokens);
  });
});

interface Decoding {
  readonly setting: WindowSetting;
  readonly n_best: number;
  readonly max_answer_length: number;
  readonly logits: Record<string, [number[], number[]][]>;
  readonly "with_null null_odds": Record<string, number>;
  readonly "without_null n_best": Record<
    string,
    { text: string; probability: number; start_logit: number; end_logit: number }[]
  >;
}

test("span decoding gives the answers of Google's run_squad", () => {
  const { decoding } = goldenJson<{ decoding: Decoding }>("squad/google_squad.json");
  const settings = {
    ...settingsOf(decoding.setting),
    nBest: decoding.n_best,
    maxAnswerLength: decoding.max_answer_length,
  };
  let unequal = 0;
  for (const [id, rows] of Object.entries(decoding.logits)) {
    const { question, passage } = goldenQuestions.get(id)!;
    const windows = questionWindows(
      goldenTokenizer(),
      question,
      passage,
      decoding.setting.length,
      settings,
    );
    const [starts, ends] = [0, 1].map((at) => rows.map((row) => row[at]!));
    const decoded = decodeSpans(passage, windows, starts!, ends!, settings);
    const expected = decoding["without_null n_best"][id]!;
    const scores = expected.map((one) => one.start_logit + one.end_logit);
    expect(decoded.nullOdds, id).toBeCloseTo(decoding["with_null null_odds"][id]!, 9);
    expect(decoded.spans[0]!.score, id).toBeCloseTo(scores[0]!, 9);
    // In the other passages run_squad.py often takes whole words instead.
    if (!passage.includes("ferry")) continue;
    expect(decoded.spans).toHaveLength(scores.length);
    const probabilities = softmax(decoded.spans.map(({ score }) => score));
    for (const [rank, one] of expected.entries()) {
      expect(decoded.spans[rank]!.score, id).toBeCloseTo(scores[rank]!, 9);
      expect(probabilities[rank], id).toBeCloseTo(one.probability, 9);
    }
    if (scores[0]! > scores[1]! + 1e-5) {
      expect(decoded.spans[0]!.text, id).toBe(expected[0]!.text);
      unequal++;
    }
  }
  expect(unequal).toBeGreaterThan(3);
});
