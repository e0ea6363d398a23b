import { ModelError } from "./model-error.js";
import type { ModelFiles } from "./model-files.js";
import { type ModelInput, toTensors } from "./model-input.js";
import type { TensorRunner } from "./tensor-runner.js";

/** How long the model's runs took, in milliseconds. */
export interface Latency {
  /** The time of the first run since the model was loaded; it prepares the kernels. */
  readonly first: number;
  /** The median of the latest runs after the first; null if there was none. */
  readonly median: number | null;
}

/** The number of runs that a median is of. */
const KEPT = 101;

/** Runs inputs with the shortest signature that fits, and measures the time. */
export class TimedModel {
  private first: number | null = null;
  private readonly latest: number[] = [];

  /** @param now a clock, in milliseconds. */
  constructor(
    private readonly files: ModelFiles,
    private readonly runner: TensorRunner,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The latency of the runs so far; null before the first. */
  get latency(): Latency | null {
    return this.first === null ? null : { first: this.first, median: this.median() };
  }

  /**
   * Runs an input.
   *
   * @throws ModelError if the model file lacks an output that model.json names.
   */
  async run(input: ModelInput): Promise<Readonly<Record<string, Float32Array>>> {
    const { spec, tokenizer } = this.files;
    const length = spec.lengthFor(input.ids.length);
    const tensors = toTensors(input, length, tokenizer.vocabulary.padId);
    const start = this.now();
    const outputs = await this.runner.run(spec.signature(length), tensors);
    this.add(this.now() - start);
    const missing = spec.outputs.filter((output) => !Object.hasOwn(outputs, output));
    if (missing.length > 0) {
      throw new ModelError(
        `The model file has no ${missing.join(", ")}: it is not the file that model.json ` +
          "describes.",
      );
    }
    return outputs;
  }

  private add(milliseconds: number): void {
    if (this.first === null) {
      this.first = milliseconds;
      return;
    }
    if (this.latest.length === KEPT) this.latest.shift();
    this.latest.push(milliseconds);
  }

  private median(): number | null {
    if (this.latest.length === 0) return null;
    const sorted = this.latest.toSorted((a, b) => a - b);
    // Both are the middle one if the number is odd.
    const middle = (sorted.length - 1) / 2;
    return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  }
}
