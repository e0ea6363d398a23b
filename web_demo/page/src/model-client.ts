import { ModelError } from "mobilebert-core";
import type { Reply, Requests, RequestType } from "./protocol.js";
import workerUrl from "./worker.js?worker&url";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Asks the worker in which the model runs, so that the page never freezes. */
export class ModelClient {
  private readonly worker = startWorker();
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor() {
    this.worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("error" in data) waiting?.reject(new ModelError(data.error));
      else waiting?.resolve(data.result);
    });
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      const error = new ModelError(`The model's worker stopped: ${event.message || "no reason"}.`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
  }

  /** Returns the worker's answer; fails with a `ModelError` for the user. */
  ask<T extends RequestType>(
    type: T,
    argument: Requests[T]["argument"],
  ): Promise<Requests[T]["result"]> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: (result) => resolve(result as never), reject });
      this.worker.postMessage({ id, type, argument });
    });
  }
}

/**
 * A worker with an address of its own would have the content security policy of its file's headers,
 * which a static host does not send. One from a blob inherits the page's.
 */
function startWorker(): Worker {
  const script = new URL(workerUrl, document.baseURI).href;
  const source = `self.folder = ${JSON.stringify(document.baseURI)}; importScripts(${JSON.stringify(script)});`;
  const blob = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  return new Worker(blob);
}
