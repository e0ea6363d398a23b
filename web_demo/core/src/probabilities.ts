import { ModelError } from "./model-error.js";
import { UnusableNumbers } from "./unusable-numbers.js";

/** Returns the probabilities of classes of which one is right, from their logits. */
export function softmax(logits: ArrayLike<number>): number[] {
  const numbers = Array.from(logits);
  const most = numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = numbers.map((logit) => Math.exp(logit - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** Returns the probabilities of classes of which any number is right, from their logits. */
export function sigmoid(logits: ArrayLike<number>): number[] {
  return Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)));
}

/** A class with its label, and its probability between 0 and 1. */
export interface LabelledClass {
  readonly label: string;
  readonly probability: number;
}

/**
 * Names the classes of probabilities, most probable first; equal ones keep their order.
 *
 * @param labels a name for each class; null names them "0", "1", ...
 * @throws ModelError if the numbers of probabilities and labels differ, or a probability is not
 *   finite.
 */
export function rankClasses(
  probabilities: ArrayLike<number>,
  labels: readonly string[] | null,
): LabelledClass[] {
  if (labels !== null && labels.length !== probabilities.length) {
    throw new ModelError(
      `The model gave ${probabilities.length} probabilities for ${labels.length} labels: its ` +
        "label file is another model's.",
    );
  }
  if (!Array.from(probabilities).every(Number.isFinite)) {
    throw new UnusableNumbers();
  }
  return Array.from(probabilities, (probability, number) => ({
    label: labels?.[number] ?? `${number}`,
    probability,
  })).sort((a, b) => b.probability - a.probability);
}
