import { type Classes, filesAt, ModelError, readModelFiles, TextClassifier } from "mobilebert-core";
import { LiteRtRunner } from "./litert-runner.js";
import type { LoadedModel } from "./protocol.js";

/** A text classifier with its model. */
export class LoadedClassifier {
  private constructor(
    readonly description: LoadedModel,
    private readonly classifier: TextClassifier,
    private readonly runner: LiteRtRunner,
  ) {}

  /**
   * Loads the files of a folder: model.tflite and what `readModelFiles` reads.
   *
   * @param folder its address, which ends in "/".
   * @param page the address of the page.
   * @throws ModelError if a file cannot be read or used.
   */
  static async load(folder: URL, page: string): Promise<LoadedClassifier> {
    const open = filesAt(folder);
    const files = await readModelFiles(open);
    const content = await open("model.tflite").catch((error: Error) => {
      throw new ModelError(`cannot read model.tflite: ${error.message}.`);
    });
    const runner = await LiteRtRunner.load(content as Uint8Array, page);
    const classifier = new TextClassifier(files, runner);
    const { name, kind } = files.spec;
    const bytes = content.length;
    const description = { name, kind, bytes, backend: "WebAssembly", threads: runner.threads };
    return new LoadedClassifier(description, classifier, runner);
  }

  classify(text: string): Promise<Classes> {
    return this.classifier.classify(text);
  }

  close(): void {
    this.runner.close();
  }
}
