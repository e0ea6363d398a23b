import { ModelError } from "./model-error.js";
import { readLines, type TextFile } from "./text-file.js";

/**
 * The word pieces of a model; a piece's id is its position.
 *
 * Strict like `mobilebert_tf.text.Vocabulary`: pieces that would shift ids, or could never match,
 * are refused.
 */
export class Vocabulary {
  /** Ids of the special pieces. */
  readonly padId: number;
  readonly unknownId: number;
  readonly clsId: number;
  readonly sepId: number;
  private readonly ids = new Map<string, number>();

  /**
   * @param pieces in the order of their ids; pieces inside a word start with "##".
   * @param name names the vocabulary in messages.
   * @throws ModelError if there are no pieces, a piece is empty, repeated or has white space, or a
   *   special piece is missing.
   */
  constructor(
    readonly pieces: readonly string[],
    name = "vocab.txt",
  ) {
    if (pieces.length === 0) throw new ModelError(`${name} is empty.`);
    for (const [id, piece] of pieces.entries()) {
      const line = `${name}, line ${id + 1}`;
      if (piece === "") throw new ModelError(`${line} is empty: a line holds one piece.`);
      if (/[ \t\r\n]/.test(piece)) {
        throw new ModelError(`${line}: the piece "${piece}" contains white space.`);
      }
      const other = this.ids.get(piece);
      if (other !== undefined) {
        throw new ModelError(`${line}: the piece "${piece}" is on line ${other + 1} already.`);
      }
      this.ids.set(piece, id);
    }
    const special = (piece: string): number => {
      const id = this.ids.get(piece);
      if (id === undefined) throw new ModelError(`${name} lacks the special piece ${piece}.`);
      return id;
    };
    this.padId = special("[PAD]");
    this.unknownId = special("[UNK]");
    this.clsId = special("[CLS]");
    this.sepId = special("[SEP]");
  }

  /**
   * Reads a file with one piece per line; Windows line ends are accepted.
   *
   * @throws ModelError as the constructor does, and if the file is not UTF-8.
   */
  static read(content: TextFile, name = "vocab.txt"): Vocabulary {
    return new Vocabulary(readLines(content, name), name);
  }

  /** Returns the id of a piece; undefined if the vocabulary does not have it. */
  id(piece: string): number | undefined {
    return this.ids.get(piece);
  }
}
