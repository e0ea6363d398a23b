import { InputError, ModelError, NoText } from "mobilebert-core";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { ModelClient } from "../src/model-client.js";
import type { Reply } from "../src/protocol.js";

vi.mock("../src/worker.js?worker&url", () => ({ default: "worker.js" }));

/** A worker that answers when a test says so. */
class FakeWorker extends EventTarget {
  static last: FakeWorker;
  readonly posted: unknown[] = [];

  constructor() {
    super();
    FakeWorker.last = this;
  }

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  answer(id: number, result: unknown): void {
    this.reply({ id, result });
  }

  reply(data: Reply): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

vi.stubGlobal("Worker", FakeWorker);
vi.stubGlobal("document", { baseURI: "http://localhost/" });
afterAll(() => vi.unstubAllGlobals());

let client: ModelClient;
beforeEach(() => {
  client = new ModelClient();
});

test("a signal ends the request that is under way, and none that was answered", async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const first = client.ask("close", "a", options);
  const worker = FakeWorker.last;
  worker.answer(1, "done");
  expect(await first).toBe("done");
  const second = client.ask("close", "b", options);
  controller.abort(new Error("enough"));
  expect(worker.posted).toEqual([
    { id: 1, type: "close", argument: "a" },
    { id: 2, type: "close", argument: "b" },
    { abort: 2 },
  ]);
  worker.answer(2, "too late");
  await expect(second).rejects.toThrow("enough");
});

test("texts that cannot be used are told from other errors", async () => {
  const works = [1, 2, 3, 4].map(() => client.ask("close", "a"));
  const worker = FakeWorker.last;
  worker.reply({ id: 1, noText: "No passage.", isSecond: true });
  worker.reply({ id: 2, noText: "No question.", isSecond: false });
  worker.reply({ id: 3, error: "Wrong." });
  worker.reply({ id: 4, inputError: "Too long." });
  const errors = await Promise.all(works.map((work) => work.catch((error: unknown) => error)));
  expect(errors[0]).toEqual(new NoText("No passage.", true));
  expect(errors[1]).toEqual(new NoText("No question."));
  expect(errors[2]).toEqual(new ModelError("Wrong."));
  expect(errors[3]).toEqual(new InputError("Too long."));
  expect(errors.map((error) => error instanceof NoText)).toEqual([true, true, false, false]);
  expect(errors.map((error) => error instanceof InputError)).toEqual([true, true, false, true]);
});
