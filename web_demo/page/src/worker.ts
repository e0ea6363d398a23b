import { InputError, ModelError, NoText, type RunOptions } from "mobilebert-core";
import { LoadedModel } from "./loaded-model.js";
import { Lock } from "./lock.js";
import type { Abort, LoadedModel as Description, Place, Reply, Request, Use } from "./protocol.js";

// model-client.ts sets it: the folder of the page.
declare const self: { readonly folder: string };

const models = new Map<string, LoadedModel>();
const waiting = new Map<number, AbortController>();
// The folders whose models could not be used when they were last loaded.
const failed = new Set<string>();
// A runtime is for one thread at a time.
const runtime = new Lock();

/** Waits for something while other models have the runtime. */
async function waitFor<T>(something: () => Promise<T>): Promise<T> {
  runtime.free();
  try {
    return await something();
  } finally {
    await runtime.take();
  }
}

function close(folder: string): void {
  models.get(folder)?.close();
  models.delete(folder);
}

async function handle(request: Request, options: RunOptions): Promise<unknown> {
  if (request.type === "close") return close(request.argument);
  if (request.type === "load") return load(request.argument);
  const { folder, input } = request.argument;
  const model = models.get(folder);
  if (model === undefined) throw new ModelError("The model is not loaded.");
  const use = model.engine[request.type] as Work | undefined;
  if (use === undefined) throw new ModelError(`The model cannot ${request.type satisfies Use}.`);
  return use(input, options);
}

async function load(place: Place): Promise<Description> {
  const { folder } = place;
  close(folder);
  // What the browser kept of a model that failed may be what is wrong.
  const from = failed.has(folder) ? "host" : "anywhere";
  let model: LoadedModel | undefined;
  try {
    const open = await waitFor(() => LoadedModel.fetch(place, self.folder, from));
    // Another request may have loaded it meanwhile, and its user works with it.
    model = models.get(folder) ?? (await open());
  } catch (error) {
    failed.add(folder);
    throw error;
  }
  failed.delete(folder);
  models.set(folder, model);
  return model.description;
}

type Work = (input: unknown, options: RunOptions) => Promise<unknown>;

async function reply(request: Request): Promise<Reply> {
  const { id } = request;
  const { signal } = waiting.get(id)!;
  const beforeRun = async (number: number, count: number): Promise<void> => {
    postMessage({ id, step: { number, count } } satisfies Reply);
    // Between two runs other models have their turn, and what ends this work is heard.
    await waitFor(otherEvents);
    signal.throwIfAborted();
  };
  await runtime.take();
  try {
    signal.throwIfAborted();
    return { id, result: await handle(request, { beforeRun, signal }) };
  } catch (error) {
    if (error instanceof NoText) return { id, noText: error.message, isSecond: error.isSecond };
    if (error instanceof InputError) return { id, inputError: error.message };
    return { id, error: error instanceof Error ? error.message : String(error) };
  } finally {
    runtime.free();
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

addEventListener("message", async ({ data }: MessageEvent<Request | Abort>) => {
  if ("abort" in data) {
    waiting.get(data.abort)?.abort();
    return;
  }
  waiting.set(data.id, new AbortController());
  postMessage(await reply(data));
});
