import { ModelError } from "./model-error.js";
import { UnusableNumbers } from "./unusable-numbers.js";

/** A vector that was found: its number in the index, and its cosine with the query, -1 to 1. */
export interface Match {
  readonly index: number;
  readonly cosine: number;
}

/** Finds the vectors that are most like another, by comparing with all of them. */
export class SearchIndex {
  private readonly vectors: Float32Array[] = [];

  /** The number of vectors. */
  get size(): number {
    return this.vectors.length;
  }

  /**
   * Adds a vector; its number is the index's size before.
   *
   * @throws ModelError if it is not as long as the others, has no length, or is not finite.
   */
  add(vector: ArrayLike<number>): void {
    this.vectors.push(this.unit(vector));
  }

  /**
   * Returns the vectors that are most like the query, best first; equal ones keep their order.
   *
   * @param count the most that are returned.
   * @throws ModelError as `add` does.
   */
  search(query: ArrayLike<number>, count: number): Match[] {
    const unit = this.unit(query);
    return this.vectors
      .map((vector, index) => ({ index, cosine: dot(unit, vector) }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, count);
  }

  private unit(vector: ArrayLike<number>): Float32Array {
    const size = this.vectors[0]?.length ?? vector.length;
    if (vector.length !== size) {
      throw new ModelError(
        `A vector of ${vector.length} numbers cannot be compared with ones of ${size}.`,
      );
    }
    const norm = Math.sqrt(dot(vector, vector));
    if (!(norm > 0 && norm < Number.POSITIVE_INFINITY)) {
      throw new UnusableNumbers();
    }
    return Float32Array.from(vector, (value) => value / norm);
  }
}

function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}
