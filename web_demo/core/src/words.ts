/** A word of a text: its slice from `start` up to `end`, in UTF-16 code units. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

// U+E000 is here because Python's expression has it for all of these.
const HAN =
  "[\\ue000\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}" +
  "\\u{2a700}-\\u{2b73f}\\u{2b740}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}]";
// Marks and format characters, such as accents and zero-width ones, belong to the word around them.
const LETTER = `(?:(?!${HAN})[\\p{L}\\p{M}\\p{Cf}\\p{Nl}\\p{No}])`;
const WORD_CHARACTER = `(?:(?!${HAN})[\\p{L}\\p{M}\\p{Cf}\\p{N}_])`;
// Python's white space, and the format characters of JavaScript's left out.
const SPACE =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const WORD = new RegExp(
  [
    HAN,
    `(?:${LETTER}\\.){2,}(?!${WORD_CHARACTER})`, // U.S.
    // @name, #topic, Osc-Dis, 3.5, AT&T, 12,000
    `[@#]?${WORD_CHARACTER}+(?:(?:[-.&]|(?<=\\p{Nd}),(?=\\p{Nd}))${WORD_CHARACTER}+)*`,
    `(?<=${WORD_CHARACTER})['’]${WORD_CHARACTER}+`, // 's of it's
    `([^${SPACE}])\\1*`, // !!!
  ].join("|"),
  "gu",
);

/**
 * Splits a text into words, as in the files that taggers are trained on.
 *
 * Words are those of CoNLL's files. Hyphens, points and ampersands stay inside a word. A clitic
 * ('s) and every other punctuation mark or symbol are words of their own; a repeated one (...) is
 * one word. A Han character is a word.
 *
 * Source: `mobilebert_tf.text.words`. Letters and digits are those of the browser's Unicode;
 * characters that the browser or Python does not know yet may be split differently.
 */
export function splitWords(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}
