import { describe, expect, test } from "vitest";
import {
  InputError,
  QUESTION_DEFAULTS,
  type QuestionWindow,
  questionWindows,
} from "../src/index.js";
import { goldenJson, goldenTokenizer } from "./golden.js";
import { goldenQuestions, settingsOf, type WindowSetting } from "./questions.js";

interface GoldenWindow {
  readonly ids: number[];
  readonly first_length: number;
  readonly words: number[];
  readonly is_max_context: string;
}

interface Features {
  readonly setting: WindowSetting;
  readonly windows: Record<string, GoldenWindow[]>;
}

function flags(window: QuestionWindow): string {
  return window.isMaxContext.map((is) => (is ? "1" : "0")).join("");
}

const tokenizer = goldenTokenizer();

describe("windows", () => {
  test("are those of Google's run_squad", () => {
    let count = 0;
    for (const { setting, windows } of goldenJson<{ features: Features[] }>(
      "squad/google_squad.json",
    ).features) {
      for (const [id, expected] of Object.entries(windows)) {
        const { question, passage } = goldenQuestions.get(id)!;
        const found = questionWindows(
          tokenizer,
          question,
          passage,
          setting.length,
          settingsOf(setting),
        );
        expect(
          found.map((window) => [window.ids, window.firstLength, window.words, flags(window)]),
          id,
        ).toEqual(
          expected.map((one) => [one.ids, one.first_length, one.words, one.is_max_context]),
        );
        count += found.length;
      }
    }
    expect(count).toBeGreaterThan(400);
  });

  test("show every token with most context once", () => {
    const passage = "the ferry ".repeat(50);
    const settings = { ...QUESTION_DEFAULTS, stride: 7, maxQuestionLength: 8 };
    const starts = questionWindows(tokenizer, "the?", passage, 24, settings).flatMap((window) =>
      window.starts.filter((_, index) => window.isMaxContext[index]),
    );
    expect(starts.toSorted((a, b) => a - b)).toEqual(tokenizer.tokenize(passage).starts);
  });

  test("need room for the passage", () => {
    const windows = (length: number, question: string, passage: string): QuestionWindow[] =>
      questionWindows(tokenizer, question, passage, length, QUESTION_DEFAULTS);
    expect(windows(6, "the ferry", "the ferry")).toHaveLength(2);
    expect(() => windows(5, "the ferry", "the ferry")).toThrow(
      new InputError(
        "The question is too long for the model, which reads 5 tokens at once: ask a shorter one.",
      ),
    );
    expect(windows(8, "the", "\u200b ")).toEqual([]);
  });
});
