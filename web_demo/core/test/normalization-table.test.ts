import { describe, expect, test } from "vitest";
import { NormalizationTable } from "../src/index.js";
import { ACCENT, REMOVED, SPECIAL, WHITESPACE } from "../src/normalization-table.js";
import { goldenTable } from "./golden.js";

const HEAD = "mobilebert-normalization 1\nlower_case true\n";

describe("the normalization table", () => {
  test("has every kind of record", () => {
    const table = NormalizationTable.read(
      `${HEAD}removed 0 8\nisolated 21\naccent 300\ncased 41\nignorable 27\nwhitespace 10ffff\n` +
        "class 300 302 e6\nlower 41 5a 61\nlower 130 130 69 307\nnfd e9 e9 65 301\nend\n",
    );
    expect(table.lowerCase).toBe(true);
    expect([8, 9, 0x10ffff, 0x300].map((point) => table.classes(point))).toEqual([
      REMOVED,
      0,
      WHITESPACE,
      ACCENT | SPECIAL,
    ]);
    expect([0x300, 0x302, 0x303].map((point) => table.combiningClass(point))).toEqual([
      230, 230, 0,
    ]);
    expect([0x5a, 0x130, 0x61].map((point) => table.lower(point))).toEqual([
      [0x7a],
      [0x69, 0x307],
      undefined,
    ]);
    expect(table.decomposition(0xe9)).toEqual([0x65, 0x301]);
    expect(goldenTable(false).lowerCase).toBe(false);
  });

  test.each([
    ["removed 0\nend\n", "is not a table that is known here"],
    ["mobilebert-normalization 2\nend\n", "is not a table that is known here"],
    [`${HEAD}removed 0`, "normalization.txt is cut"],
    [`${HEAD.replace("true", "yes")}end\n`, 'line 2 is not understood: "lower_case yes"'],
    ["", "is not a table that is known here"],
  ])("refuses %j", (content, message) => {
    expect(() => NormalizationTable.read(content)).toThrow(message);
  });

  test.each([
    "",
    "removed",
    "removed x",
    "removed -1",
    "removed 8 0",
    "removed 0 110000",
    "removed 0 1 2",
    "lower 41",
    "lower 41 42",
    "lower 41 42 61 62",
    "lower 41 42 10ffff",
    "nfd e9 e9 110000",
    "other 0 1 2",
    "removed  1",
    "class 300 300 0",
    "class 300 300 ff",
  ])("names the line %j", (line) => {
    expect(() => NormalizationTable.read(`${HEAD}${line}\nend\n`)).toThrow(
      `normalization.txt, line 3 is not understood: "${line}".`,
    );
  });

  test.each(["removed 0 10ffff", "class 0 10ffff 1"])("refuses too many of %j", (line) => {
    expect(() => NormalizationTable.read(`${HEAD}${`${line}\n`.repeat(5)}end\n`)).toThrow(
      `normalization.txt, line 7 is not understood: "${line}".`,
    );
  });
});
