/** A line of a text without the spaces around it, and its place. */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the lines of a text that are not empty. */
export function linesOf(text: string): Line[] {
  return Array.from(text.matchAll(/\S(?:[^\n]*\S)?/g), ({ 0: line, index }) => ({
    text: line,
    start: index,
    end: index + line.length,
  }));
}
