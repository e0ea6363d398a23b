import { JsonObject } from "./json-object.js";
import type { ModelFiles } from "./model-files.js";
import { rankClasses } from "./probabilities.js";
import type { TensorRunner } from "./tensor-runner.js";
import type { Classes } from "./text-classifier.js";
import { TextModel } from "./text-model.js";

/** The labels of a text, and all classes. */
export interface ChosenLabels extends Classes {
  /** The labels that the text has, most probable first; there may be none. */
  readonly labels: readonly string[];
}

/**
 * Chooses any number of labels for a text: those whose probability is above the threshold in
 * `model.json`. The same labels as `mobilebert predict`, most probable first.
 */
export class LabelChooser {
  private readonly model: TextModel;
  private readonly names: readonly string[] | null;
  private readonly threshold: number;

  /** @throws ModelError if the model is of another kind, or its settings cannot be used. */
  constructor(files: ModelFiles, runner: TensorRunner) {
    this.model = new TextModel(files, runner, "multi_label", "probabilities");
    this.names = files.spec.labels;
    // Python compares in single precision.
    this.threshold = Math.fround(readThreshold(files.spec.settings));
  }

  /**
   * @param secondText for a model of pairs of texts.
   * @throws NoText if a text has no tokens.
   */
  async choose(text: string, secondText: string | null = null): Promise<ChosenLabels> {
    const { values, isCut, latency } = await this.model.run(text, secondText);
    const classes = rankClasses(values, this.names);
    const labels = classes
      .filter(({ probability }) => probability > this.threshold)
      .map(({ label }) => label);
    return { labels, classes, isCut, latency };
  }
}

/** The default is that of `mobilebert_tf.kinds.multi_label`. */
function readThreshold(settings: unknown): number {
  const found = new JsonObject(settings ?? {}, 'model.json, "settings"');
  found.requireOnly("threshold");
  return found.has("threshold") ? found.number("threshold", 0, 1) : 0.5;
}
