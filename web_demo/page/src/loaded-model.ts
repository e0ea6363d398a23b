import { filesAt, ModelError, type OpenFile, readModel, readModelFiles } from "mobilebert-core";
import { ENGINES, type Engine } from "./engines.js";
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
   * Loads model.tflite and the files beside it.
   *
   * @param page the address of the page.
   * @throws ModelError if a file cannot be read or used.
   */
  static async load({ folder, version }: Place, page: string): Promise<LoadedModel> {
    const fetched = filesAt(new URL(`${folder}/`, page));
    // The service worker keeps what has a version.
    const open: OpenFile = (name) => fetched(`${name}?v=${version}`);
    const files = await readModelFiles(open);
    const { spec } = files;
    const make = Object.hasOwn(ENGINES, spec.kind) ? ENGINES[spec.kind] : undefined;
    if (make === undefined) throw new ModelError(`This page has no use for ${spec.kind}.`);
    const content = await readModel(open, spec);
    const runner = await LiteRtRunner.load(content, page);
    const { backend, threads } = runner;
    const { name, length } = spec;
    const description = { name, length, bytes: content.length, backend, threads };
    return new LoadedModel(description, make(files, runner), runner);
  }

  close(): void {
    this.runner.close();
  }
}
