import { expect, test } from "vitest";
import { cosineInWords } from "../src/parts.js";

test.each([
  [-0.004, "0.00"],
  [-0, "0.00"],
  [-0.006, "-0.01"],
  [-1, "-1.00"],
  [0.456, "0.46"],
])("the cosine %d is shown as %s", (cosine, shown) => {
  expect(cosineInWords(cosine)).toBe(shown);
});
