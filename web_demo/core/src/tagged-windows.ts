import type { BertTokenizer } from "./bert-tokenizer.js";
import type { ModelInput } from "./model-input.js";

/** `[CLS] pieces [SEP]` of a text's words, or of some of them, without padding. */
export interface TaggedWindow extends ModelInput {
  /** The number of the word at the first piece of each word; -1 at every other token. */
  readonly words: readonly number[];
}

const NO_WORD = -1;

/**
 * Makes the windows of a text's words: one, unless the text is longer than `length`.
 *
 * A longer text is cut between words into consecutive windows, each filled with as many words as
 * fit. Every word is in one window. A word that is too long alone keeps the pieces that fit. A word
 * without pieces (a zero-width character) is in no window. There is always a window.
 *
 * Source: `mobilebert_tf.data.features.tagged_tokens.windows`.
 *
 * @param words each is tokenized on its own.
 * @param length the most tokens of a window, 3 or more.
 */
export function taggedWindows(
  tokenizer: BertTokenizer,
  words: readonly string[],
  length: number,
): TaggedWindow[] {
  const { clsId, sepId } = tokenizer.vocabulary;
  const room = length - 2;
  const open = (): { ids: number[]; words: number[] } => ({ ids: [clsId], words: [NO_WORD] });
  const windows = [open()];
  for (const [number, word] of words.entries()) {
    const ids = tokenizer.tokenize(word).ids.slice(0, room);
    if (windows.at(-1)!.ids.length - 1 + ids.length > room) windows.push(open());
    const window = windows.at(-1)!;
    window.ids.push(...ids);
    window.words.push(...ids.map((_, index) => (index === 0 ? number : NO_WORD)));
  }
  return windows.map((window) => ({
    ids: [...window.ids, sepId],
    firstLength: window.ids.length + 1,
    words: [...window.words, NO_WORD],
  }));
}
