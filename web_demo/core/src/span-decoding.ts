import { ModelError } from "./model-error.js";
import type { QuestionSettings } from "./question-settings.js";
import type { QuestionWindow } from "./question-windows.js";
import { UnusableNumbers } from "./unusable-numbers.js";

/** A slice of a passage that may be the answer. */
export interface Span {
  readonly text: string;
  /** Its start in the passage, in UTF-16 code units, never inside a surrogate pair. */
  readonly start: number;
  /** Its exclusive end, likewise. */
  readonly end: number;
  /** The sum of the logits of its first and last token. */
  readonly score: number;
  /** Its probability among all spans that could be the answer; with a threshold, "no answer" too. */
  readonly probability: number;
}

/** What the logits of a question's windows say. */
export interface DecodedSpans {
  /** Spans with different texts, best first; empty if no span is possible. */
  readonly spans: readonly Span[];
  /** The sum of the logits of [CLS], in the window where it is least. */
  readonly nullScore: number;
  /** `nullScore` minus the score of the best span: how far "no answer" is ahead. */
  readonly nullOdds: number;
}

/** The numbers of one output for each window; those beyond a window's tokens are padding. */
export type WindowLogits = readonly ArrayLike<number>[];

interface Candidate {
  readonly window: QuestionWindow;
  readonly first: number;
  readonly last: number;
  readonly score: number;
}

/** The null odds if no span is possible; the null score without windows (run_squad.py). */
const NO_SCORE = 1e6;
/** An accent at `lastIndex`. No run of them: of millions, a browser's stack would overflow. */
const MARK = /\p{Mn}/uy;

/**
 * Finds the best spans in all windows of a question.
 *
 * Source: `mobilebert_tf.kinds.span_decoding.decode`, which is `write_predictions` of
 * google-research/bert's run_squad.py. It pairs each window's n best starts with its n best ends. A
 * pair is a span if it lies in the passage, ends at or after its start, is not too long, and starts
 * where the window has most context. Equal scores keep the order of windows and ranks. Of spans
 * with the same text the best one counts.
 *
 * @param passage the passage of the windows.
 * @param windows all windows of the question; may be empty.
 * @param starts for each window a logit per token.
 * @param ends likewise.
 * @param settings all but those of the question's length and the stride are used.
 * @throws ModelError if logits are too few or not finite.
 */
export function decodeSpans(
  passage: string,
  windows: readonly QuestionWindow[],
  starts: WindowLogits,
  ends: WindowLogits,
  settings: QuestionSettings,
): DecodedSpans {
  const found: Candidate[] = [];
  let nullScore = windows.length === 0 ? NO_SCORE : Number.POSITIVE_INFINITY;
  for (const [index, window] of windows.entries()) {
    const start = checked(starts[index], window);
    const end = checked(ends[index], window);
    for (const one of candidates(window, start, end, settings)) found.push(one);
    nullScore = Math.min(nullScore, start[0]! + end[0]!);
  }
  // Sorting is stable: equal scores stay in the order of windows and ranks.
  const best = distinct(
    passage,
    found.sort((a, b) => b.score - a.score),
    settings.nBest,
  );
  const counted = settings.nullThreshold === null ? [] : [nullScore];
  const logTotal = logOfTotal(windows, starts, ends, settings, counted);
  return {
    spans: best.map((span) => ({ ...span, probability: Math.exp(span.score - logTotal) })),
    nullScore,
    nullOdds: best.length === 0 ? NO_SCORE : nullScore - best[0]!.score,
  };
}

function checked(logits: ArrayLike<number> | undefined, window: QuestionWindow): ArrayLike<number> {
  const count = window.ids.length;
  if (logits === undefined || logits.length < count) {
    throw new ModelError(`The model gave ${logits?.length ?? 0} numbers for ${count} tokens.`);
  }
  for (let token = 0; token < count; token++) {
    if (!Number.isFinite(logits[token])) throw new UnusableNumbers();
  }
  return logits;
}

/** Returns whether a token may be the first of an answer. */
function mayStart(window: QuestionWindow, token: number): boolean {
  return window.isMaxContext[token - window.firstLength] ?? false;
}

/** Returns the end of the tokens that an answer from `first` may have as its last. */
function endOfLasts(window: QuestionWindow, first: number, settings: QuestionSettings): number {
  // The last token is [SEP].
  return Math.min(first + settings.maxAnswerLength, window.ids.length - 1);
}

function candidates(
  window: QuestionWindow,
  start: ArrayLike<number>,
  end: ArrayLike<number>,
  settings: QuestionSettings,
): Candidate[] {
  const found: Candidate[] = [];
  const lasts = highest(end, window, settings.nBest);
  for (const first of highest(start, window, settings.nBest)) {
    if (!mayStart(window, first)) continue;
    for (const last of lasts) {
      if (last >= first && last < endOfLasts(window, first, settings)) {
        found.push({ window, first, last, score: start[first]! + end[last]! });
      }
    }
  }
  return found;
}

/** Returns the tokens with the highest logits, best first; equal ones keep their order. */
function highest(logits: ArrayLike<number>, window: QuestionWindow, count: number): number[] {
  return [...window.ids.keys()].sort((a, b) => logits[b]! - logits[a]!).slice(0, count);
}

function distinct(
  passage: string,
  candidates: readonly Candidate[],
  count: number,
): Omit<Span, "probability">[] {
  const byText = new Map<string, Omit<Span, "probability">>();
  for (const { window, first, last, score } of candidates) {
    const start = window.starts[first - window.firstLength]!;
    const end = withMarks(passage, window.ends[last - window.firstLength]!);
    const text = passage.slice(start, end);
    if (!byText.has(text)) byText.set(text, { text, start, end, score });
    if (byText.size === count) break;
  }
  return [...byText.values()];
}

/** Returns the end of a span with the accents after its last letter, which have no token. */
function withMarks(passage: string, end: number): number {
  let after = end;
  for (MARK.lastIndex = end; MARK.test(passage); ) after = MARK.lastIndex;
  return after;
}

/** Returns the log of the sum of exp(score) over all possible spans, and `others`. */
function logOfTotal(
  windows: readonly QuestionWindow[],
  starts: WindowLogits,
  ends: WindowLogits,
  settings: QuestionSettings,
  others: readonly number[],
): number {
  let most = Number.NEGATIVE_INFINITY;
  let total = 0;
  const add = (score: number): void => {
    if (score > most) {
      total = total * Math.exp(most - score) + 1;
      most = score;
    } else {
      total += Math.exp(score - most);
    }
  };
  others.forEach(add);
  for (const [index, window] of windows.entries()) {
    for (let first = window.firstLength; first < window.ids.length - 1; first++) {
      if (!mayStart(window, first)) continue;
      const end = endOfLasts(window, first, settings);
      for (let last = first; last < end; last++) add(starts[index]![first]! + ends[index]![last]!);
    }
  }
  return most + Math.log(total);
}
