import { ModelError } from "./model-error.js";
import { readText, type TextFile } from "./text-file.js";

/** The classes of a character, as bits. */
export const REMOVED = 1;
export const WHITESPACE = 2;
export const ISOLATED = 4;
export const ACCENT = 8;
export const CASED = 16;
export const IGNORABLE = 32;
/** The character is in a map: it has a lower case, a decomposition or a combining class. */
export const SPECIAL = 64;

const MARKS = new Map([
  ["removed", REMOVED],
  ["whitespace", WHITESPACE],
  ["isolated", ISOLATED],
  ["accent", ACCENT],
  ["cased", CASED],
  ["ignorable", IGNORABLE],
]);
const FIRST_LINE = "mobilebert-normalization 1";
const LAST_CODE_POINT = 0x10ffff;
// A file that repeats wide ranges would keep the reader busy for hours.
const MOST_SET = 4 * (LAST_CODE_POINT + 1);
const PAGE_BITS = 8;
const PAGE_MASK = (1 << PAGE_BITS) - 1;

/** A line of the table that is not understood. */
class WrongLine extends Error {}

function require(condition: boolean): void {
  if (!condition) throw new WrongLine();
}

/**
 * The facts of Unicode that the tokenizer needs. They come from the model's file, because versions
 * of Unicode differ between browsers.
 *
 * Source of the format: `mobilebert_tf.text.normalization_table`, which writes and describes it.
 */
export class NormalizationTable {
  // A bit for each class that a character is in; a page is missing if all of its bits are 0.
  private readonly pages = new Array<Uint8Array | undefined>((LAST_CODE_POINT >> PAGE_BITS) + 1);
  private readonly combiningClasses = new Map<number, number>();
  private readonly lowerCases = new Map<number, readonly number[]>();
  private readonly decompositions = new Map<number, readonly number[]>();
  private lowers = false;
  // The code points that the lines so far have set; one that is set twice counts twice.
  private total = 0;

  private constructor() {}

  /** Whether texts are lower-cased and lose their accents. */
  get lowerCase(): boolean {
    return this.lowers;
  }

  /**
   * Reads the table.
   *
   * @throws ModelError if it is not a complete table of the version that is known here.
   */
  static read(content: TextFile, name = "normalization.txt"): NormalizationTable {
    const lines = readText(content, name).replace(/\n$/, "").split("\n");
    if (lines[0] !== FIRST_LINE) {
      throw new ModelError(
        `${name} is not a table that is known here: it should start with "${FIRST_LINE}".`,
      );
    }
    if (lines.at(-1) !== "end") throw new ModelError(`${name} is cut: its end is missing.`);
    const table = new NormalizationTable();
    for (let number = 1; number < lines.length - 1; number++) {
      try {
        table.readLine(number, lines[number]!.split(" "));
      } catch (error) {
        if (!(error instanceof WrongLine)) throw error;
        throw new ModelError(`${name}, line ${number + 1} is not understood: "${lines[number]}".`);
      }
    }
    return table;
  }

  /** Returns the classes of a code point. */
  classes(point: number): number {
    return this.pages[point >> PAGE_BITS]?.[point & PAGE_MASK] ?? 0;
  }

  /** Returns the canonical combining class; 0 for a character that is never reordered. */
  combiningClass(point: number): number {
    return this.combiningClasses.get(point) ?? 0;
  }

  /** Returns the lower case; undefined if it is the character itself. */
  lower(point: number): readonly number[] | undefined {
    return this.lowerCases.get(point);
  }

  /** Returns the full canonical decomposition; undefined if it is the character itself. */
  decomposition(point: number): readonly number[] | undefined {
    return this.decompositions.get(point);
  }

  private readLine(number: number, fields: readonly string[]): void {
    const [name, ...values] = fields;
    if (number === 1) {
      require(name === "lower_case" && values.length === 1 && /^(true|false)$/.test(values[0]!));
      this.lowers = values[0] === "true";
      return;
    }
    require(values.length > 0 && values.every((value) => /^[0-9a-fA-F]{1,6}$/.test(value)));
    const [first, ...rest] = values.map((value) => Number.parseInt(value, 16));
    this.add(name!, first!, rest);
  }

  private add(name: string, first: number, rest: readonly number[]): void {
    const [last = first, ...values] = rest;
    require([first, last, ...values].every((point) => point <= LAST_CODE_POINT) && first <= last);
    this.total += last - first + 1;
    require(this.total <= MOST_SET);
    const mark = MARKS.get(name);
    if (mark !== undefined) {
      require(values.length === 0);
      this.mark(first, last, mark);
      return;
    }
    require(values.length === 1 || (values.length > 1 && first === last));
    this.mark(first, last, SPECIAL);
    for (let point = first; point <= last; point++) {
      this.addToMap(name, point, point - first, values);
    }
  }

  private addToMap(name: string, point: number, step: number, values: readonly number[]): void {
    if (name === "class") {
      require(values.length === 1 && values[0]! >= 1 && values[0]! <= 254);
      this.combiningClasses.set(point, values[0]!);
    } else if (name === "lower") {
      // A range gives the lower case of its first character; the others count on from it.
      const lower = values.map((value) => value + step);
      require(lower.every((value) => value <= LAST_CODE_POINT));
      this.lowerCases.set(point, lower);
    } else {
      require(name === "nfd");
      this.decompositions.set(point, values);
    }
  }

  private mark(first: number, last: number, mark: number): void {
    for (let point = first; point <= last; point++) {
      const number = point >> PAGE_BITS;
      const page = this.pages[number] ?? new Uint8Array(PAGE_MASK + 1);
      this.pages[number] = page;
      page[point & PAGE_MASK]! |= mark;
    }
  }
}
