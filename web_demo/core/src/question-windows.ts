import type { BertTokenizer, Tokens } from "./bert-tokenizer.js";
import { InputError } from "./input-error.js";
import type { ModelInput } from "./model-input.js";
import type { QuestionSettings } from "./question-settings.js";

/**
 * `[CLS] question [SEP] part of the passage [SEP]`, without padding. The lists other than `ids`
 * have an entry for each token of the passage in this window.
 */
export interface QuestionWindow extends ModelInput {
  /** The token's start in the passage, in UTF-16 code units. */
  readonly starts: readonly number[];
  /** Its exclusive end, likewise. */
  readonly ends: readonly number[];
  /**
   * The number of the passage's word that it starts in; spaces, tabs, line ends and U+202F separate
   * words.
   */
  readonly words: readonly number[];
  /** Whether this window has the most context around it; an answer may start only there. */
  readonly isMaxContext: readonly boolean[];
}

const WORD_SEPARATORS = " \t\r\n\u202F";

/**
 * Makes the windows of a question, from the start of its passage to the end; none if the passage
 * has no tokens.
 *
 * Source: `mobilebert_tf.data.features.question_windows`, which is `convert_examples_to_features`
 * of google-research/bert's run_squad.py.
 *
 * @param length the most tokens of a window.
 * @param settings `maxQuestionLength` and `stride` are used.
 * @throws InputError if the question leaves no room for the passage.
 */
export function questionWindows(
  tokenizer: BertTokenizer,
  question: string,
  passage: string,
  length: number,
  settings: QuestionSettings,
): QuestionWindow[] {
  const { clsId, sepId } = tokenizer.vocabulary;
  const asked = tokenizer.tokenize(question).ids.slice(0, settings.maxQuestionLength);
  const room = length - asked.length - 3;
  if (room < 1) {
    throw new InputError(
      `The question is too long for the model, which reads ${length} tokens at once: ask a ` +
        "shorter one.",
    );
  }
  const tokens = tokenizer.tokenize(passage);
  const words = wordsOf(passage, tokens);
  const first = [clsId, ...asked, sepId];
  const parts = partsOf(tokens.ids.length, room, settings.stride);
  const owners = ownersOf(parts, tokens.ids.length);
  return parts.map(({ begin, end }, number) => ({
    ids: [...first, ...tokens.ids.slice(begin, end), sepId],
    firstLength: first.length,
    starts: tokens.starts.slice(begin, end),
    ends: tokens.ends.slice(begin, end),
    words: words.slice(begin, end),
    isMaxContext: owners.slice(begin, end).map((owner) => owner === number),
  }));
}

/** Returns for each token the number of the word that it starts in. */
function wordsOf(passage: string, tokens: Tokens): number[] {
  const separates = (place: number): boolean => WORD_SEPARATORS.includes(passage[place]!);
  let number = -1;
  let place = 0;
  return tokens.starts.map((start) => {
    for (; place <= start; place++) {
      if (!separates(place) && (place === 0 || separates(place - 1))) number++;
    }
    return number;
  });
}

interface Part {
  readonly begin: number;
  readonly end: number;
}

/** Returns the parts of so many tokens; each has `room` tokens, the last one may have fewer. */
function partsOf(count: number, room: number, stride: number): Part[] {
  const parts: Part[] = [];
  for (let begin = 0; begin < count; begin += Math.min(room, stride)) {
    const end = Math.min(begin + room, count);
    parts.push({ begin, end });
    if (end === count) break;
  }
  return parts;
}

/** Returns for each token the part with most context around it; the first of equal ones. */
function ownersOf(parts: readonly Part[], count: number): number[] {
  const best = new Float64Array(count);
  const owners = new Array<number>(count).fill(0);
  for (const [number, { begin, end }] of parts.entries()) {
    for (let token = begin; token < end; token++) {
      // The context on the shorter side; if that is equal, the longer part wins.
      const score = Math.min(token - begin, end - 1 - token) + 0.01 * (end - begin);
      if (score > best[token]!) {
        best[token] = score;
        owners[token] = number;
      }
    }
  }
  return owners;
}
