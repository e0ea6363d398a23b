import { JsonObject } from "./json-object.js";

/**
 * How questions are cut into windows, and how answers are chosen: `settings` in `model.json`.
 * The defaults are those of `mobilebert_tf.data.features.question_settings`.
 */
export interface QuestionSettings {
  /** The most tokens of a question; a longer one loses its end. */
  readonly maxQuestionLength: number;
  /** Tokens from the start of a window to the start of the next. */
  readonly stride: number;
  /** The most tokens of an answer. */
  readonly maxAnswerLength: number;
  /** The number of starts, of ends and of spans that decoding considers. */
  readonly nBest: number;
  /** Null odds above which there is no answer; null if there always is one. */
  readonly nullThreshold: number | null;
}

export const QUESTION_DEFAULTS: QuestionSettings = {
  maxQuestionLength: 64,
  stride: 128,
  maxAnswerLength: 30,
  nBest: 20,
  nullThreshold: null,
};

/** As in Python: more tokens than any model reads. */
const MOST = 1_000_000;

/**
 * Reads the settings of a `model.json`. A setting that it does not name has its default.
 *
 * @param settings its `settings`; null for the defaults.
 * @throws ModelError for a value out of range, and a name that is no setting.
 */
export function readQuestionSettings(
  settings: unknown,
  name = 'model.json, "settings"',
): QuestionSettings {
  if (settings === null) return QUESTION_DEFAULTS;
  const found = new JsonObject(settings, name);
  found.requireOnly(
    "max_question_length",
    "stride",
    "max_answer_length",
    "n_best",
    "null_threshold",
  );
  const size = (key: string, missing: number): number =>
    found.has(key) ? found.wholeNumber(key, 1, MOST) : missing;
  return {
    maxQuestionLength: size("max_question_length", QUESTION_DEFAULTS.maxQuestionLength),
    stride: size("stride", QUESTION_DEFAULTS.stride),
    maxAnswerLength: size("max_answer_length", QUESTION_DEFAULTS.maxAnswerLength),
    nBest: size("n_best", QUESTION_DEFAULTS.nBest),
    nullThreshold:
      found.any("null_threshold") === null
        ? null
        : found.number("null_threshold", Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  };
}
