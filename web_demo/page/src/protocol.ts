import type { Classes } from "mobilebert-core";

/** What the page asks of its worker, and what comes back, by the request's type. */
export interface Requests {
  load: { readonly argument: string; readonly result: LoadedModel };
  classify: { readonly argument: string; readonly result: Classes };
}

export type RequestType = keyof Requests;

/** A request with its number. */
export interface Request<T extends RequestType = RequestType> {
  readonly id: number;
  readonly type: T;
  readonly argument: Requests[T]["argument"];
}

/** The answer to the request of that number: a result, or a sentence for the user. */
export type Reply = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly error: string }
);

/** A model that is ready. */
export interface LoadedModel {
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  /** What runs it, as the runtime says. */
  readonly backend: string;
  readonly threads: number;
}
