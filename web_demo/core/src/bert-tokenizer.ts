import { ISOLATED, type NormalizationTable, WHITESPACE } from "./normalization-table.js";
import type { Normalized } from "./normalized.js";
import { Normalizer } from "./normalizer.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * The word pieces of a text. Places are indices into the string, in UTF-16 code units as everywhere
 * in JavaScript: `text.slice(starts[i], ends[i])`. None is inside a surrogate pair.
 */
export interface Tokens {
  /** Ids in the vocabulary, without [CLS] and [SEP]. */
  readonly ids: readonly number[];
  /** The start of each piece in the text. */
  readonly starts: readonly number[];
  /** The exclusive end of each piece in the text. */
  readonly ends: readonly number[];
}

const CONTINUES = "##";
// Google's limit.
const MAX_CHARACTERS_PER_WORD = 200;

/**
 * Splits texts into BERT's word pieces, with their places in the original text.
 *
 * Ids and places equal those of `mobilebert_tf.Tokenizer` with the same vocabulary. Its source is
 * `FullTokenizer` in google-research/bert's tokenization.py. It takes every text without failing,
 * in linear time. "[MASK]" in a text is read as letters and brackets, not as the special piece.
 */
export class BertTokenizer {
  private readonly normalizer: Normalizer;
  private readonly continuations = new Map<string, number>();
  private readonly longestPiece: number;

  constructor(
    readonly vocabulary: Vocabulary,
    private readonly table: NormalizationTable,
  ) {
    this.normalizer = new Normalizer(table);
    let longest = 0;
    for (const [id, piece] of vocabulary.pieces.entries()) {
      if (piece.startsWith(CONTINUES)) this.continuations.set(piece.slice(CONTINUES.length), id);
      longest = Math.max(longest, piece.length);
    }
    this.longestPiece = longest;
  }

  /** Returns the pieces of a text. */
  tokenize(text: string): Tokens {
    const normalized = this.normalizer.normalize(text);
    const pieces = new Pieces(text, normalized.places);
    let start = 0;
    for (let index = 0; index < normalized.size; index++) {
      const classes = this.table.classes(normalized.points[index]!);
      if ((classes & (WHITESPACE | ISOLATED)) !== 0) {
        this.addWord(normalized, start, index, pieces);
        if ((classes & ISOLATED) !== 0) this.addWord(normalized, index, index + 1, pieces);
        start = index + 1;
      }
    }
    this.addWord(normalized, start, normalized.size, pieces);
    return { ids: pieces.ids, starts: pieces.starts, ends: pieces.ends };
  }

  /** Adds a word's longest matching pieces; or one unknown piece if a part of it matches none. */
  private addWord(text: Normalized, start: number, end: number, pieces: Pieces): void {
    if (start === end) return;
    const before = pieces.ids.length;
    const isShort = end - start <= MAX_CHARACTERS_PER_WORD;
    if (!isShort || !this.matchWord(text.points.slice(start, end), start, pieces)) {
      pieces.removeFrom(before);
      pieces.add(this.vocabulary.unknownId, start, end);
    }
  }

  private matchWord(points: readonly number[], start: number, pieces: Pieces): boolean {
    const word = String.fromCodePoint(...points);
    // Where in `word` each code point ends.
    let length = 0;
    const ends = points.map((point) => {
      length += point > 0xffff ? 2 : 1;
      return length;
    });
    for (let from = 0; from < points.length; ) {
      const begin = from === 0 ? 0 : ends[from - 1]!;
      let to = points.length;
      let id: number | undefined;
      for (; to > from; to--) {
        if (ends[to - 1]! - begin > this.longestPiece) continue;
        const piece = word.slice(begin, ends[to - 1]);
        id = from === 0 ? this.vocabulary.id(piece) : this.continuations.get(piece);
        if (id !== undefined) break;
      }
      if (id === undefined) return false;
      pieces.add(id, start + from, start + to);
      from = to;
    }
    return true;
  }
}

/** A growing list of pieces. */
class Pieces {
  readonly ids: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  constructor(
    private readonly text: string,
    private readonly places: readonly number[],
  ) {}

  /** Adds a piece of the normalized code points from `first` up to `end`. */
  add(id: number, first: number, end: number): void {
    const last = this.places[end - 1]!;
    this.ids.push(id);
    this.starts.push(this.places[first]!);
    this.ends.push(last + (this.text.codePointAt(last)! > 0xffff ? 2 : 1));
  }

  removeFrom(size: number): void {
    for (const list of [this.ids, this.starts, this.ends]) list.length = size;
  }
}
