import { expect, test } from "vitest";
import { Latest } from "../src/latest.js";

test("only the latest of what comes meanwhile is done", async () => {
  const done: number[] = [];
  const waiting: (() => void)[] = [];
  const latest = new Latest<number>(async (value) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    done.push(value);
  });
  const first = latest.give(1);
  await latest.give(2);
  await latest.give(3);
  expect(waiting).toHaveLength(1);
  waiting.shift()!();
  await new Promise((resolve) => setTimeout(resolve));
  waiting.shift()!();
  await first;
  expect(done).toEqual([1, 3]);
  const again = latest.give(4);
  waiting.shift()!();
  await again;
  expect(done).toEqual([1, 3, 4]);
});
