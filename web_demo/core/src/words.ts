/** A word of a text: its slice from `start` up to `end`, in UTF-16 code units. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

// U+E000 is here because Python's expression has it for all of these.
const HAN = new RegExp(
  "^[\\ue000\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}" +
    "\\u{2a700}-\\u{2b73f}\\u{2b740}-\\u{2b81f}\\u{2b820}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}]$",
  "u",
);
const DIGIT = /^\p{Nd}$/u;
// Marks and format characters, such as accents and zero-width ones, belong to the word around them.
const LETTER = /^[\p{L}\p{M}\p{Cf}\p{Nl}\p{No}]$/u;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{Cf}\p{N}_]$/u;
// Python's white space, and the format characters of JavaScript's left out.
const SPACES =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const SPACE = new RegExp(`^[${SPACES}]$`);
// Most characters are these, and a table is faster than an expression.
const ASCII_IS_WORD_CHARACTER = Array.from({ length: 128 }, (_, code) =>
  WORD_CHARACTER.test(String.fromCharCode(code)),
);

/**
 * Splits a text into words, as in the files that taggers are trained on.
 *
 * Words are those of CoNLL's files. Hyphens, points and ampersands stay inside a word. A clitic
 * ('s) and every other punctuation mark or symbol are words of their own; a repeated one (...) is
 * one word. A Han character is a word. It takes texts of any length, in linear time.
 *
 * Source: `mobilebert_tf.text.words`. Letters and digits are those of the browser's Unicode;
 * characters that the browser or Python does not know yet may be split differently.
 */
// No regular expression for a whole word: a browser keeps a step back for every repetition, and
// fails at a word of some millions of characters.
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  for (let start = 0; start < text.length; ) {
    const character = characterAt(text, start);
    let end = start + character.length;
    if (!SPACE.test(character)) {
      if (!HAN.test(character)) {
        end =
          abbreviation(text, start) ??
          joined(text, start) ??
          clitic(text, start) ??
          repeated(text, start);
      }
      words.push({ start, end });
    }
    start = end;
  }
  return words;
}

/** The end of `U.S.`, which is no part of a longer word; null for anything else. */
function abbreviation(text: string, start: number): number | null {
  let end = start;
  let letters = 0;
  for (; isLetter(characterAt(text, end)); letters++) {
    const point = end + characterAt(text, end).length;
    if (text[point] !== ".") break;
    end = point + 1;
  }
  return letters >= 2 && !isWordCharacter(characterAt(text, end)) ? end : null;
}

/** The end of `name`, `@name`, `#topic`, `Osc-Dis`, `3.5`, `AT&T` or `12,000`. */
function joined(text: string, start: number): number | null {
  let end = plain(text, "@#".includes(text[start]!) ? start + 1 : start);
  for (let next = end; next !== null; ) {
    end = next;
    next = isJoint(text, end) ? plain(text, end + 1) : null;
  }
  return end;
}

function isJoint(text: string, at: number): boolean {
  if (text[at] !== ",") return "-.&".includes(text[at] ?? " ");
  return DIGIT.test(characterBefore(text, at)) && DIGIT.test(characterAt(text, at + 1));
}

/** The end of `'s` behind a word. */
function clitic(text: string, start: number): number | null {
  const isBehind = isWordCharacter(characterBefore(text, start));
  return isBehind && "'’".includes(text[start]!) ? plain(text, start + 1) : null;
}

/** The end of `!!!`. */
function repeated(text: string, start: number): number {
  const character = characterAt(text, start);
  let end = start;
  while (characterAt(text, end) === character) end += character.length;
  return end;
}

/** The end of the characters of a word from `start`; null if there are none. */
function plain(text: string, start: number): number | null {
  let end = start;
  for (;;) {
    while (ASCII_IS_WORD_CHARACTER[text.charCodeAt(end)]) end++;
    const character = characterAt(text, end);
    if (!isWordCharacter(character)) return end > start ? end : null;
    end += character.length;
  }
}

/** The character at a place, a surrogate pair whole; "" at the end of the text. */
function characterAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** The character that ends at a place, likewise; "" at the start of the text. */
function characterBefore(text: string, at: number): string {
  const character = characterAt(text, at - 2);
  return character.length === 2 ? character : (text[at - 1] ?? "");
}

function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character) && !HAN.test(character);
}

function isLetter(character: string): boolean {
  return LETTER.test(character) && !HAN.test(character);
}
