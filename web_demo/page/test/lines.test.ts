import { expect, test } from "vitest";
import { linesOf } from "../src/lines.js";

test("lines have no spaces around them, and their places in the text", () => {
  const text = "\n  one two \r\n\t\n😀\u2028x\nlast";
  expect(linesOf(text).map(({ text }) => text)).toEqual(["one two", "😀\u2028x", "last"]);
  for (const line of linesOf(text)) expect(text.slice(line.start, line.end)).toBe(line.text);
  expect(linesOf(" \n\n")).toEqual([]);
});
