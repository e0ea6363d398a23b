import { expect, test } from "vitest";
import { Latest } from "../src/latest.js";

/** Work that ends when it is told to, and what was done. */
function work() {
  const done: (number | string)[] = [];
  const ends: (() => void)[] = [];
  const latest = new Latest<number>(async (value, signal) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    done.push(signal.aborted ? `${value} ended` : value);
  });
  const end = async (): Promise<void> => {
    ends.shift()!();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { latest, done, ends, end };
}

test("only the latest of what comes meanwhile is done", async () => {
  const { latest, done, ends, end } = work();
  const first = latest.give(1);
  await latest.give(2);
  await latest.give(3);
  expect(ends).toHaveLength(1);
  await end();
  await end();
  await first;
  expect(done).toEqual(["1 ended", 3]);
  const again = latest.give(4);
  await end();
  await again;
  expect(done).toEqual(["1 ended", 3, 4]);
});

test("stopping ends the work, and drops what waits", async () => {
  const { latest, done, end } = work();
  latest.stop();
  latest.give(1);
  latest.give(2);
  latest.stop();
  await end();
  expect(done).toEqual(["1 ended"]);
});
