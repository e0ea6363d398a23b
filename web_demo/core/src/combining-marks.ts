import { ACCENT, type NormalizationTable, SPECIAL } from "./normalization-table.js";
import { Normalized } from "./normalized.js";

/** Puts runs of combining marks into NFD's order, drops accents, and gives the rest its places. */
export class CombiningMarks {
  private readonly found = new Normalized();
  // By combining class, which is 1 to 254: stable, and linear for a million marks in a row.
  private readonly run = new Map<number, { point: number; isInserted: boolean }[]>();
  private nextPlace = 0;

  /** @param places of the characters that are added, in the text's order. */
  constructor(
    private readonly table: NormalizationTable,
    private readonly places: readonly number[],
  ) {}

  /**
   * Adds a character of a decomposition.
   *
   * @param isInserted whether it is another than the first: it has that one's place.
   */
  add(point: number, isInserted: boolean): void {
    const isSpecial = (this.table.classes(point) & SPECIAL) !== 0;
    const combiningClass = isSpecial ? this.table.combiningClass(point) : 0;
    if (combiningClass === 0) {
      this.flush();
      this.emit(point, isInserted);
      return;
    }
    const marks = this.run.get(combiningClass);
    if (marks === undefined) this.run.set(combiningClass, [{ point, isInserted }]);
    else marks.push({ point, isInserted });
  }

  /** Returns all characters that stay. */
  finish(): Normalized {
    this.flush();
    return this.found;
  }

  private flush(): void {
    if (this.run.size === 0) return;
    for (const combiningClass of [...this.run.keys()].sort((a, b) => a - b)) {
      for (const mark of this.run.get(combiningClass)!) this.emit(mark.point, mark.isInserted);
    }
    this.run.clear();
  }

  private emit(point: number, isInserted: boolean): void {
    if (!isInserted) this.nextPlace++;
    if ((this.table.classes(point) & ACCENT) === 0) {
      this.found.add(point, this.places[this.nextPlace - 1]!);
    }
  }
}
