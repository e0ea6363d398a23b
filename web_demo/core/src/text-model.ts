import type { ModelFiles } from "./model-files.js";
import { join } from "./model-input.js";
import { NoText } from "./no-text.js";
import type { TensorRunner } from "./tensor-runner.js";
import { type Latency, TimedModel } from "./timed-model.js";

/** One output of a model that reads a text, or a pair of texts. */
export interface TextOutput {
  readonly values: Float32Array;
  /** Whether the text was too long, so that the model read only its beginning. */
  readonly isCut: boolean;
  readonly latency: Latency | null;
}

/** Runs a model on texts. Of a text that is too long it reads only the beginning. */
export class TextModel {
  private readonly model: TimedModel;

  /** @throws ModelError if the model is of another kind, or lacks the output. */
  constructor(
    private readonly files: ModelFiles,
    runner: TensorRunner,
    kind: string,
    private readonly output: string,
  ) {
    files.spec.require(kind, output);
    this.model = new TimedModel(files, runner);
  }

  /** @throws NoText if the text has no tokens, or there is a second one that has none. */
  async run(text: string, secondText: string | null): Promise<TextOutput> {
    const { spec, tokenizer } = this.files;
    const first = tokenizer.tokenize(text).ids;
    const second = secondText === null ? null : tokenizer.tokenize(secondText).ids;
    if (first.length === 0) throw new NoText("There is no text to read.");
    if (second?.length === 0) throw new NoText("There is no second text to read.", true);
    const whole = second === null ? first.length + 2 : first.length + second.length + 3;
    const outputs = await this.model.run(join(tokenizer.vocabulary, first, second, spec.length));
    return {
      values: outputs[this.output]!,
      isCut: whole > spec.length,
      latency: this.model.latency,
    };
  }
}
