import { JsonObject } from "./json-object.js";
import { ModelError } from "./model-error.js";
import type { Classes, TextClassifier } from "./text-classifier.js";
import type { TextFile } from "./text-file.js";
import { UnusableNumbers } from "./unusable-numbers.js";

/** The threshold between two models, from the JSON file that `mobilebert cascade` wrote. */
export interface CascadeSettings {
  /** The classes of both models; null if they have no names. */
  readonly labels: readonly string[] | null;
  /** The first answer stands where its confidence is above it; from 0 to 1. */
  readonly threshold: number;
  /** The SHA-256 of the first and of the second file, in hexadecimal digits. */
  readonly checksums: readonly string[];
}

const KIND = "classification";

/**
 * Reads the file and ignores keys that it does not need.
 *
 * @throws ModelError if it is not JSON, a key is missing or has another type or range, or the
 *   models are no classifiers.
 */
export function readCascadeSettings(content: TextFile, name = "cascade.json"): CascadeSettings {
  const facts = JsonObject.read(content, name);
  const kind = facts.string("kind");
  if (kind !== KIND) {
    throw new ModelError(`${name} is for ${kind}, and this core has cascades for ${KIND}.`);
  }
  const files = facts.objects("files");
  if (files.length !== 2) throw new ModelError(`${name}: "files" should name two files.`);
  return {
    labels: facts.any("labels") === null ? null : facts.strings("labels"),
    threshold: facts.number("threshold", 0, 1),
    checksums: files.map((file) => file.string("sha256")),
  };
}

/** The classes of a text, and whose they are. */
export interface CascadeClasses extends Classes {
  /** Whether the second model answered. */
  readonly isOfSecond: boolean;
  /** The probability of the best class. */
  readonly confidence: number;
}

/**
 * Asks a small classifier, and a larger one where the small one is not sure. The answers equal
 * those of `mobilebert predict` with the same file. A classifier is as sure as its best class is
 * probable, and not sure where its numbers are not finite.
 */
export class Cascade {
  /** @throws ModelError if the models are not those for which the threshold was chosen. */
  constructor(
    private readonly settings: CascadeSettings,
    private readonly first: TextClassifier,
    private readonly second: TextClassifier,
  ) {
    for (const [index, { spec }] of [first, second].entries()) {
      if (spec.labels?.join("\n") !== settings.labels?.join("\n")) {
        throw new ModelError("The models of the cascade have other labels than its file.");
      }
      const known = Array.from(spec.files.values(), ({ sha256 }) => sha256);
      if (known.length > 0 && !known.includes(settings.checksums[index]!)) {
        throw new ModelError(
          `The cascade's threshold was chosen for other models than ${spec.name}: choose it again.`,
        );
      }
    }
  }

  /**
   * @param secondText for models of pairs of texts.
   * @throws NoText if a text has no tokens; no model is asked about it.
   */
  async classify(text: string, secondText: string | null = null): Promise<CascadeClasses> {
    try {
      const found = named(await this.first.classify(text, secondText), false);
      if (found.confidence > this.settings.threshold) return found;
    } catch (error) {
      if (!(error instanceof UnusableNumbers)) throw error;
    }
    return named(await this.second.classify(text, secondText), true);
  }
}

function named(classes: Classes, isOfSecond: boolean): CascadeClasses {
  return { ...classes, isOfSecond, confidence: classes.classes[0]!.probability };
}
