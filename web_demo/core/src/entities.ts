import type { Word } from "./words.js";

/** A slice of a text that its tags name. */
export interface Entity {
  readonly type: string;
  readonly text: string;
  /** Its start in the text, in UTF-16 code units. */
  readonly start: number;
  /** Its exclusive end, likewise. */
  readonly end: number;
  /** The mean of the probabilities of its words' tags. */
  readonly probability: number;
}

/** The tag of a word, "O", "B-type" or "I-type", and its probability. */
export interface WordTag {
  readonly tag: string;
  readonly probability: number;
}

/**
 * Returns the entities of a text, in order.
 *
 * I-type continues an entity of its type; after anything else it begins one, as in conlleval.
 *
 * Source: `mobilebert_tf.evaluation.entities`.
 *
 * @param words the words of the text.
 * @param tags a tag for each word.
 */
export function entities(text: string, words: readonly Word[], tags: readonly WordTag[]): Entity[] {
  const found: Entity[] = [];
  for (let first = 0; first < tags.length; ) {
    const type = typeOf(tags[first]!.tag);
    let end = first + 1;
    if (type !== null) {
      while (end < tags.length && tags[end]!.tag === `I-${type}`) end++;
      const start = words[first]!.start;
      const stop = words[end - 1]!.end;
      const total = tags.slice(first, end).reduce((sum, tag) => sum + tag.probability, 0);
      const probability = total / (end - first);
      found.push({ type, text: text.slice(start, stop), start, end: stop, probability });
    }
    first = end;
  }
  return found;
}

/** Returns the type that a tag names; null if the tag is O. */
function typeOf(tag: string): string | null {
  return tag === "O" ? null : tag.slice(2);
}
