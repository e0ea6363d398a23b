import type { ModelFiles } from "./model-files.js";
import type { ModelSpec } from "./model-spec.js";
import { type LabelledClass, rankClasses } from "./probabilities.js";
import type { TensorRunner } from "./tensor-runner.js";
import { TextModel } from "./text-model.js";
import type { Latency } from "./timed-model.js";

/** The classes of a text. */
export interface Classes {
  /** All classes, most probable first. */
  readonly classes: readonly LabelledClass[];
  /** Whether the text was too long, so that the model read only its beginning. */
  readonly isCut: boolean;
  readonly latency: Latency | null;
}

/** Classifies texts. The classes equal those of `mobilebert predict`. */
export class TextClassifier {
  private readonly model: TextModel;
  /** Of the model. */
  readonly spec: ModelSpec;

  /** @throws ModelError if the model is of another kind. */
  constructor(files: ModelFiles, runner: TensorRunner) {
    this.model = new TextModel(files, runner, "classification", "probabilities");
    this.spec = files.spec;
  }

  /**
   * @param secondText for a model of pairs of texts.
   * @throws NoText if a text has no tokens.
   */
  async classify(text: string, secondText: string | null = null): Promise<Classes> {
    const { values, isCut, latency } = await this.model.run(text, secondText);
    return { classes: rankClasses(values, this.spec.labels), isCut, latency };
  }
}
