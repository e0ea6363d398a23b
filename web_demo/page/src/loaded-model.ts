import {
  filesAt,
  ModelError,
  type ModelFiles,
  type OpenFile,
  readModel,
  readModelFiles,
  sha256,
} from "mobilebert-core";
import { ENGINES, type Engine, type EngineMaker } from "./engines.js";
import { LiteRtRunner } from "./litert-runner.js";
import type { LoadedModel as Description, Place } from "./protocol.js";

/** A model in memory. */
export class LoadedModel {
  private constructor(
    readonly description: Description,
    readonly engine: Engine,
    private readonly runner: LiteRtRunner,
  ) {}

  /**
   * Fetches model.tflite and the files beside it.
   *
   * @param page the address of the page.
   * @param from where the files may come from; "host" does without what the browser kept.
   * @returns a function that opens the model; only that needs the runtime.
   * @throws ModelError if a file cannot be read or used.
   */
  static async fetch(
    { folder, version }: Place,
    page: string,
    from: "anywhere" | "host",
  ): Promise<() => Promise<LoadedModel>> {
    const cache = from === "host" ? "reload" : "default";
    const fetched = filesAt(new URL(`${folder}/`, page), { cache });
    const contents = new Map<string, Uint8Array<ArrayBuffer>>();
    const open: OpenFile = async (name) => {
      // The service worker keeps what has a version.
      const content = await fetched(`${name}?v=${version}`);
      contents.set(name, content);
      return content;
    };
    const files = await readModelFiles(open);
    const { spec } = files;
    const make = Object.hasOwn(ENGINES, spec.kind) ? ENGINES[spec.kind] : undefined;
    if (make === undefined) throw new ModelError(`This page has no use for ${spec.kind}.`);
    const content = await readModel(open, spec);
    await check(contents, version);
    contents.clear();
    return () => LoadedModel.open(files, make, content, page);
  }

  private static async open(
    files: ModelFiles,
    make: EngineMaker,
    content: Uint8Array,
    page: string,
  ): Promise<LoadedModel> {
    const runner = await LiteRtRunner.load(content, page);
    try {
      const { backend, threads } = runner;
      const description = { length: files.spec.length, backend, threads };
      return new LoadedModel(description, make(files, runner), runner);
    } catch (error) {
      runner.close();
      throw error;
    }
  }

  close(): void {
    this.runner.close();
  }
}

/** Checks that the files have the version that models.json tells: it may be older, or newer. */
async function check(
  contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  version: string,
): Promise<void> {
  const digest = await sha256(joined(contents));
  if (digest === null || digest.slice(0, version.length) === version) return;
  throw new ModelError(
    "The model's files are not those that models.json lists: reload the page, and load the model " +
      "again.",
  );
}

/** Returns the files in the order of their names, one after the other. */
function joined(contents: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const names = Array.from(contents.keys()).sort();
  const files = names.map((name) => contents.get(name)!);
  const whole = new Uint8Array(files.reduce((size, file) => size + file.length, 0));
  let size = 0;
  for (const file of files) {
    whole.set(file, size);
    size += file.length;
  }
  return whole;
}
