import { InputError, ModelError, NoText } from "mobilebert-core";
import type { Abort, Reply, Request, Requests, RequestType, Step } from "./protocol.js";
import workerUrl from "./worker.js?worker&url";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  onStep(step: Step): void;
}

/** What is done while a request runs. */
export interface AskOptions {
  /** Ends the request; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onStep?: (step: Step) => void;
}

/** Asks the worker in which the models run, so that the page never freezes. */
export class ModelClient {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  /** Returns the worker's answer; fails with a `ModelError` for the user, such as `NoText`. */
  ask<T extends RequestType>(
    type: T,
    argument: Requests[T]["argument"],
    { signal, onStep = () => {} }: AskOptions = {},
  ): Promise<Requests[T]["result"]> {
    this.worker ??= this.start();
    const { worker } = this;
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const end = (): void => worker.postMessage({ abort: id } satisfies Abort);
      // A signal may outlive many requests.
      const forget = (): void => signal?.removeEventListener("abort", end);
      this.waiting.set(id, {
        resolve: (result) => {
          forget();
          // The reply may have been under way when the request was aborted.
          if (signal?.aborted) reject(signal.reason);
          else resolve(result as Requests[T]["result"]);
        },
        reject: (error) => {
          forget();
          reject(signal?.aborted ? signal.reason : error);
        },
        onStep: (step) => {
          if (!signal?.aborted) onStep(step);
        },
      });
      signal?.addEventListener("abort", end, { once: true });
      worker.postMessage({ id, type, argument } as Request);
    });
  }

  private start(): Worker {
    const worker = startWorker();
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.take(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      // The next request starts another one.
      worker.terminate();
      this.worker = null;
      const error = new ModelError(`The model's worker stopped: ${event.message || "no reason"}.`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
    return worker;
  }

  private take(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    if ("step" in reply) {
      waiting?.onStep(reply.step);
      return;
    }
    this.waiting.delete(reply.id);
    if ("error" in reply) waiting?.reject(new ModelError(reply.error));
    else if ("inputError" in reply) waiting?.reject(new InputError(reply.inputError));
    else if ("noText" in reply) waiting?.reject(new NoText(reply.noText, reply.isSecond));
    else waiting?.resolve(reply.result);
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
