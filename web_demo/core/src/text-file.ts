import { ModelError } from "./model-error.js";

/** The content of a text file: its bytes, which should be UTF-8, or the text itself. */
export type TextFile = Uint8Array | string;

const NEW_LINE = 10;

/**
 * Returns the text of a file.
 *
 * @param name names the file in messages.
 * @throws ModelError if it is not UTF-8, or starts with a byte order mark.
 */
export function readText(content: TextFile, name: string): string {
  const text = typeof content === "string" ? content : decode(content, name);
  if (text.startsWith("\uFEFF")) {
    throw new ModelError(`${name} starts with a byte order mark: save it as UTF-8 without one.`);
  }
  return text;
}

/** Returns the lines of a file; Windows line ends are accepted. A last line end is optional. */
export function readLines(content: TextFile, name: string): string[] {
  // Only "\n" ends a line: a piece may be any other character, U+2028 among them.
  const text = readText(content, name).replaceAll("\r\n", "\n");
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function decode(bytes: Uint8Array, name: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new ModelError(`${name}, line ${firstWrongLine(bytes, decoder)} is not UTF-8.`, {
      cause: error,
    });
  }
}

function firstWrongLine(bytes: Uint8Array, decoder: TextDecoder): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(NEW_LINE, start);
    const end = found < 0 ? bytes.length : found;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line;
    }
    start = end + 1;
  }
  return line;
}
