import { CombiningMarks } from "./combining-marks.js";
import {
  CASED,
  IGNORABLE,
  type NormalizationTable,
  REMOVED,
  SPECIAL,
} from "./normalization-table.js";
import { Normalized } from "./normalized.js";

// In no vocabulary.
const UNKNOWN = 0xffff;
const SIGMA = 0x3a3;
const FINAL_SIGMA = 0x3c2;

// The Unicode Standard, section 3.12: Hangul syllables are numbered by their letters.
const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = 11172;
const FIRST_LEAD = 0x1100;
const FIRST_VOWEL = 0x1161;
const BEFORE_TAILS = 0x11a7;
const VOWELS = 21;
const TAILS = 28;

/**
 * Cleans a text; if the table says so, lower-cases it and strips its accents.
 *
 * Source: `_clean_text` and `_run_strip_accents` of google-research/bert's tokenization.py, in the
 * steps that `mobilebert_tf.text.normalization_table` describes. Every text takes linear time.
 */
export class Normalizer {
  constructor(private readonly table: NormalizationTable) {}

  /** Normalizes a text. A lone surrogate becomes U+FFFF, which is in no vocabulary. */
  normalize(text: string): Normalized {
    const cleaned = this.cleaned(text);
    return this.table.lowerCase ? this.withoutAccents(this.lowered(cleaned)) : cleaned;
  }

  private cleaned(text: string): Normalized {
    const cleaned = new Normalized();
    for (let place = 0; place < text.length; ) {
      const point = text.codePointAt(place)!;
      if (point >= 0xd800 && point <= 0xdfff) {
        // Two of these must not become a pair when the characters between are removed.
        cleaned.add(UNKNOWN, place);
      } else if ((this.table.classes(point) & REMOVED) === 0) {
        cleaned.add(point, place);
      }
      place += point > 0xffff ? 2 : 1;
    }
    return cleaned;
  }

  private lowered(text: Normalized): Normalized {
    const lowered = new Normalized();
    let followsCase = false;
    for (let index = 0; index < text.size; index++) {
      const point = text.points[index]!;
      const place = text.places[index]!;
      const classes = this.table.classes(point);
      const lower = (classes & SPECIAL) === 0 ? undefined : this.table.lower(point);
      if (lower === undefined) {
        lowered.add(point, place);
      } else if (point === SIGMA && followsCase && !this.meetsCase(text, index + 1)) {
        lowered.add(FINAL_SIGMA, place);
      } else {
        for (const part of lower) lowered.add(part, place);
      }
      if ((classes & IGNORABLE) === 0) followsCase = (classes & CASED) !== 0;
    }
    return lowered;
  }

  /**
   * Returns whether the next character that is not ignorable has case. A search ends at the next
   * sigma, which has case, so all searches together take linear time.
   */
  private meetsCase(text: Normalized, from: number): boolean {
    for (let index = from; index < text.size; index++) {
      const classes = this.table.classes(text.points[index]!);
      if ((classes & IGNORABLE) === 0) return (classes & CASED) !== 0;
    }
    return false;
  }

  /**
   * Decomposes by NFD and drops accents. Where NFD reorders marks, their places stay in order, so
   * that marks exchange places, as in the tokenizers library that `mobilebert_tf.Tokenizer` uses.
   */
  private withoutAccents(text: Normalized): Normalized {
    const marks = new CombiningMarks(this.table, text.places);
    for (const point of text.points) {
      const syllable = point - FIRST_SYLLABLE;
      if (syllable >= 0 && syllable < SYLLABLES) {
        marks.add(FIRST_LEAD + Math.floor(syllable / (VOWELS * TAILS)), false);
        marks.add(FIRST_VOWEL + (Math.floor(syllable / TAILS) % VOWELS), true);
        if (syllable % TAILS > 0) marks.add(BEFORE_TAILS + (syllable % TAILS), true);
        continue;
      }
      const isSpecial = (this.table.classes(point) & SPECIAL) !== 0;
      const parts = isSpecial ? this.table.decomposition(point) : undefined;
      if (parts === undefined) {
        marks.add(point, false);
      } else {
        for (const [at, part] of parts.entries()) marks.add(part, at > 0);
      }
    }
    return marks.finish();
  }
}
