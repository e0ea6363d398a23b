import { ModelError } from "mobilebert-core";
import { LoadedClassifier } from "./loaded-classifier.js";
import type { Reply, Request, Requests, RequestType } from "./protocol.js";

// model-client.ts sets it: the folder of the page.
declare const self: { readonly folder: string };

let classifier: LoadedClassifier | null = null;

const handlers: {
  [T in RequestType]: (argument: Requests[T]["argument"]) => Promise<Requests[T]["result"]>;
} = {
  async load(folder) {
    classifier?.close();
    classifier = null;
    classifier = await LoadedClassifier.load(new URL(`${folder}/`, self.folder), self.folder);
    return classifier.description;
  },
  async classify(text) {
    if (classifier === null) throw new ModelError("No model is loaded.");
    return classifier.classify(text);
  },
};

async function reply({ id, type, argument }: Request): Promise<Reply> {
  try {
    return { id, result: await handlers[type](argument) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

// One after the other: a runtime is for one thread at a time.
let last: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Request>) => {
  last = last.then(async () => postMessage(await reply(data)));
});
