import { describe, expect, test } from "vitest";
import { rankClasses, SearchIndex, sigmoid, softmax } from "../src/index.js";

describe("probabilities", () => {
  test("of one right class add up to 1", () => {
    expect(softmax([0, Math.log(3)])).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.75, 12)]);
    expect(softmax([1000, 1000])).toEqual([0.5, 0.5]);
    expect(softmax([-1000, 0])).toEqual([0, 1]);
  });

  test("of several right classes are each on their own", () => {
    expect(sigmoid([0, Math.log(3), -1000, 1000])).toEqual([0.5, expect.closeTo(0.75, 12), 0, 1]);
  });

  test("are ranked with their labels", () => {
    expect(rankClasses([0.25, 0.5, 0.25], ["a", "b", "c"])).toEqual([
      { label: "b", probability: 0.5 },
      { label: "a", probability: 0.25 },
      { label: "c", probability: 0.25 },
    ]);
    expect(rankClasses([0.25, 0.75], null).map(({ label }) => label)).toEqual(["1", "0"]);
    expect(() => rankClasses([0.5, 0.5], ["a"])).toThrow("gave 2 probabilities for 1 labels");
    expect(() => rankClasses([Number.NaN], ["a"])).toThrow("no usable numbers");
  });
});

describe("search", () => {
  test("ranks by the cosine, whatever the lengths", () => {
    const index = new SearchIndex();
    for (const vector of [
      [0, 5],
      [3, 4],
      [-1, 0],
      [30, 40],
      [1, 0],
    ])
      index.add(vector);
    const found = index.search([2, 0], 4);
    expect(found.map((match) => match.index)).toEqual([4, 1, 3, 0]);
    const cosines = [1, 0.6, 0.6, 0].map((cosine) => expect.closeTo(cosine, 6));
    expect(found.map((match) => match.cosine)).toEqual(cosines);
    expect(new SearchIndex().search([1], 3)).toEqual([]);
  });

  test("refuses vectors that cannot be compared", () => {
    const index = new SearchIndex();
    index.add([1, 0]);
    expect(() => index.add([1])).toThrow(
      "A vector of 1 numbers cannot be compared with ones of 2.",
    );
    expect(() => index.search([0, 0], 1)).toThrow("no usable numbers");
    expect(() => index.add([Number.NaN, 0])).toThrow("no usable numbers");
    expect(index.size).toBe(1);
  });
});
