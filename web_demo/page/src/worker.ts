import { ModelError, type RunOptions } from "mobilebert-core";
import { LoadedModel } from "./loaded-model.js";
import type { Abort, Reply, Request, Use } from "./protocol.js";

// model-client.ts sets it: the folder of the page.
declare const self: { readonly folder: string };

const models = new Map<string, LoadedModel>();
const waiting = new Map<number, AbortController>();

function close(folder: string): void {
  models.get(folder)?.close();
  models.delete(folder);
}

async function handle(request: Request, options: RunOptions): Promise<unknown> {
  if (request.type === "close") return close(request.argument);
  if (request.type === "load") {
    const { folder } = request.argument;
    close(folder);
    models.set(folder, await LoadedModel.load(request.argument, self.folder));
    return models.get(folder)!.description;
  }
  const { folder, input } = request.argument;
  const model = models.get(folder);
  if (model === undefined) throw new ModelError("The model is not loaded.");
  const use = model.engine[request.type] as Work | undefined;
  if (use === undefined) throw new ModelError(`The model cannot ${request.type satisfies Use}.`);
  return use(input, options);
}

type Work = (input: unknown, options: RunOptions) => Promise<unknown>;

async function reply(request: Request): Promise<Reply> {
  const { id } = request;
  const { signal } = waiting.get(id)!;
  const beforeRun = async (number: number, count: number): Promise<void> => {
    postMessage({ id, step: { number, count } } satisfies Reply);
    await otherEvents();
    signal.throwIfAborted();
  };
  try {
    signal.throwIfAborted();
    return { id, result: await handle(request, { beforeRun, signal }) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  } finally {
    waiting.delete(id);
  }
}

/** Lets the events that wait come first, among them one that ends the work. */
function otherEvents(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

// One after the other: a runtime is for one thread at a time.
let last: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Request | Abort>) => {
  if ("abort" in data) {
    waiting.get(data.abort)?.abort();
    return;
  }
  waiting.set(data.id, new AbortController());
  last = last.then(async () => postMessage(await reply(data)));
});
