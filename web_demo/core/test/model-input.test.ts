import { describe, expect, test } from "vitest";
import { join, toTensors, Vocabulary } from "../src/index.js";

const VOCABULARY = new Vocabulary(["[UNK]", "[PAD]", "[CLS]", "[SEP]"]);

describe("a model's input", () => {
  test("is packed and padded", () => {
    const input = join(VOCABULARY, [7, 8], [9], 7);
    expect(input).toEqual({ ids: [2, 7, 8, 3, 9, 3], firstLength: 4 });
    expect(toTensors(input, 7, VOCABULARY.padId)).toEqual({
      ids: Int32Array.of(2, 7, 8, 3, 9, 3, 1),
      mask: Int32Array.of(1, 1, 1, 1, 1, 1, 0),
      segment_ids: Int32Array.of(0, 0, 0, 0, 1, 1, 0),
    });
  });

  test("is cut", () => {
    expect(join(VOCABULARY, [5, 6, 7], null, 4)).toEqual({ ids: [2, 5, 6, 3], firstLength: 4 });
    // The odd place is the first text's.
    expect(join(VOCABULARY, [5, 5, 5], [6, 6, 6], 6).ids).toEqual([2, 5, 5, 3, 6, 3]);
    expect(join(VOCABULARY, [5, 5, 5], [6], 6).ids).toEqual([2, 5, 5, 3, 6, 3]);
    expect(join(VOCABULARY, [5], [6, 6, 6], 6).ids).toEqual([2, 5, 3, 6, 6, 3]);
  });
});
