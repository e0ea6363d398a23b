import type { Answer, Classes, FoundEntities, TextOutput } from "mobilebert-core";

/** What models do, by the name of the request. */
export interface Uses {
  answer: { readonly input: Question; readonly result: Answer };
  classify: { readonly input: string; readonly result: Labelled };
  embed: { readonly input: string; readonly result: TextOutput };
  find: { readonly input: string; readonly result: FoundEntities };
}

export type Use = keyof Uses;

export interface Question {
  readonly question: string;
  readonly passage: string;
}

/** The classes of a text. */
export interface Labelled extends Classes {
  /** The classes that the text has; null if it always has the first one. */
  readonly chosen: readonly string[] | null;
}

/** What the page asks of its worker, and what comes back. Models are named by their folders. */
export type Requests = {
  load: { readonly argument: Place; readonly result: LoadedModel };
  close: { readonly argument: string; readonly result: undefined };
} & {
  [U in Use]: {
    readonly argument: { readonly folder: string; readonly input: Uses[U]["input"] };
    readonly result: Uses[U]["result"];
  };
};

export type RequestType = keyof Requests;

/** Where a model is. */
export interface Place {
  /** Its folder, seen from the page's. */
  readonly folder: string;
  /** Another one for each content of the folder. */
  readonly version: string;
}

/** A request with its number. */
export type Request = {
  [T in RequestType]: {
    readonly id: number;
    readonly type: T;
    readonly argument: Requests[T]["argument"];
  };
}[RequestType];

/** Ends the request of that number. */
export interface Abort {
  readonly abort: number;
}

/**
 * A step of the request of that number, a result, or a sentence for the user. `noText` is the
 * sentence of a `NoText`, and `inputError` that of another `InputError`: a worker cannot send an
 * error of a class of its own.
 */
export type Reply = { readonly id: number } & (
  | { readonly step: Step }
  | { readonly result: unknown }
  | { readonly error: string }
  | { readonly inputError: string }
  | { readonly noText: string; readonly isSecond: boolean }
);

/** A part of a text that the model reads next; the first is number 1. */
export interface Step {
  readonly number: number;
  readonly count: number;
}

/** A model that is ready. */
export interface LoadedModel {
  /** The most tokens that it reads at once. */
  readonly length: number;
  /** What runs it, as the runtime says. */
  readonly backend: string;
  readonly threads: number;
}
