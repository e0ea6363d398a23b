import type { ModelFiles } from "./model-files.js";
import { NoText } from "./no-text.js";
import { type QuestionSettings, readQuestionSettings } from "./question-settings.js";
import { questionWindows } from "./question-windows.js";
import { decodeSpans, type Span } from "./span-decoding.js";
import type { TensorRunner } from "./tensor-runner.js";
import { type Latency, TimedModel } from "./timed-model.js";

/**
 * Called before each window with its number, from 1, and the number of windows. A promise is waited
 * for: it can let other events in between, such as one that ends the work.
 */
export type BeforeRun = (window: number, count: number) => unknown;

/** What is done while a request runs. */
export interface RunOptions {
  readonly beforeRun?: BeforeRun;
  /** Ends the work before the next window, with the signal's reason as the error. */
  readonly signal?: AbortSignal;
}

/** The answer to a question. */
export interface Answer {
  /** The best span; null if the passage does not answer the question. */
  readonly best: Span | null;
  /** The best spans, also where there is no answer; best first. */
  readonly alternatives: readonly Span[];
  /** How far "no answer" is ahead of the best span. */
  readonly nullOdds: number;
  /** Whether the question was too long, so that the model read only its beginning. */
  readonly isCut: boolean;
  readonly latency: Latency | null;
}

/**
 * Answers questions with a slice of a passage, which may be of any length. The answers equal those
 * of `mobilebert predict` with `--second-text`.
 */
export class QuestionAnswerer {
  private readonly model: TimedModel;
  private readonly settings: QuestionSettings;

  /** @throws ModelError if the model is of another kind, or its settings cannot be used. */
  constructor(
    private readonly files: ModelFiles,
    runner: TensorRunner,
  ) {
    // First, because the settings of another kind of model have other names.
    files.spec.require("question_answering", "start_logits", "end_logits");
    this.settings = readQuestionSettings(files.spec.settings);
    this.model = new TimedModel(files, runner);
  }

  /**
   * @throws NoText if the question or the passage has no tokens.
   * @throws InputError if the question is too long.
   */
  async answer(question: string, passage: string, options: RunOptions = {}): Promise<Answer> {
    const { spec, tokenizer } = this.files;
    const asked = tokenizer.tokenize(question).ids;
    if (asked.length === 0) throw new NoText("There is no question: ask one.");
    const windows = questionWindows(tokenizer, question, passage, spec.length, this.settings);
    if (windows.length === 0) {
      throw new NoText("There is no text to look in: give a passage.", true);
    }
    const starts: Float32Array[] = [];
    const ends: Float32Array[] = [];
    for (const [index, window] of windows.entries()) {
      options.signal?.throwIfAborted();
      await options.beforeRun?.(index + 1, windows.length);
      const outputs = await this.model.run(window);
      starts.push(outputs.start_logits!);
      ends.push(outputs.end_logits!);
    }
    const { spans, nullOdds } = decodeSpans(passage, windows, starts, ends, this.settings);
    const { nullThreshold, maxQuestionLength } = this.settings;
    const isNull = nullThreshold !== null && nullOdds > nullThreshold;
    return {
      best: isNull ? null : (spans[0] ?? null),
      alternatives: spans,
      nullOdds,
      isCut: asked.length > maxQuestionLength,
      latency: this.model.latency,
    };
  }
}
