import { ModelError } from "./model-error.js";
import { readLines, type TextFile } from "./text-file.js";

/**
 * Reads `labels.txt`: the name of each class, one per line.
 *
 * @throws ModelError if it is not UTF-8, has no lines, or a line is empty or repeated.
 */
export function readLabels(content: TextFile, name = "labels.txt"): string[] {
  const labels = readLines(content, name);
  if (labels.length === 0) throw new ModelError(`${name} is empty.`);
  const lines = new Map<string, number>();
  for (const [index, label] of labels.entries()) {
    const line = `${name}, line ${index + 1}`;
    if (label === "") throw new ModelError(`${line} is empty: a line holds one label.`);
    const other = lines.get(label);
    if (other !== undefined) {
      throw new ModelError(`${line}: the label "${label}" is on line ${other + 1} already.`);
    }
    lines.set(label, index);
  }
  return labels;
}
