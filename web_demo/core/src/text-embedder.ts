import type { ModelFiles } from "./model-files.js";
import type { TensorRunner } from "./tensor-runner.js";
import { TextModel, type TextOutput } from "./text-model.js";

/** Makes vectors of texts: the more alike two texts are, the greater is their cosine. */
export class TextEmbedder {
  private readonly model: TextModel;

  /** @throws ModelError if the model is of another kind. */
  constructor(files: ModelFiles, runner: TensorRunner) {
    this.model = new TextModel(files, runner, "embedding", "sentence_embedding");
  }

  /**
   * Returns the vector of a text as `values`, of length 1; for a `SearchIndex`.
   *
   * @throws NoText if the text has no tokens.
   */
  async embed(text: string): Promise<TextOutput> {
    return this.model.run(text, null);
  }
}
