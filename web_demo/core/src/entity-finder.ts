import { type Entity, entities, type WordTag } from "./entities.js";
import { ModelError } from "./model-error.js";
import type { ModelFiles } from "./model-files.js";
import { NoText } from "./no-text.js";
import { softmax } from "./probabilities.js";
import type { RunOptions } from "./question-answerer.js";
import { taggedWindows } from "./tagged-windows.js";
import type { TensorRunner } from "./tensor-runner.js";
import { type Latency, TimedModel } from "./timed-model.js";
import { UnusableNumbers } from "./unusable-numbers.js";
import { splitWords } from "./words.js";

/** The entities of a text, in order. */
export interface FoundEntities {
  readonly entities: readonly Entity[];
  readonly latency: Latency | null;
}

// A word without pieces is surely O.
const NOTHING: WordTag = { tag: "O", probability: 1 };

/**
 * Finds entities in texts of any length. The entities equal those of `mobilebert predict` with a
 * model for tagging.
 */
export class EntityFinder {
  private readonly model: TimedModel;
  private readonly labels: readonly string[];

  /** @throws ModelError if the model is of another kind, or its labels are no tags. */
  constructor(
    private readonly files: ModelFiles,
    runner: TensorRunner,
  ) {
    files.spec.require("tagging", "logits");
    const labels = files.spec.labels ?? [];
    if (!labels.includes("O") || !labels.every((label) => /^(?:O|[BI]-.+)$/s.test(label))) {
      throw new ModelError(
        "Entities are told by the tags O, B-type and I-type, and the model's labels are " +
          `${labels.join(", ") || "missing"}.`,
      );
    }
    this.labels = labels;
    this.model = new TimedModel(files, runner);
  }

  /** @throws NoText if the text has no tokens. */
  async find(text: string, options: RunOptions = {}): Promise<FoundEntities> {
    const { spec, tokenizer } = this.files;
    const words = splitWords(text);
    const tags = new Array<WordTag>(words.length).fill(NOTHING);
    const windows = taggedWindows(
      tokenizer,
      words.map(({ start, end }) => text.slice(start, end)),
      spec.length,
    );
    // [CLS] and [SEP] alone.
    if (windows[0]!.ids.length === 2) throw new NoText("There is no text to find entities in.");
    for (const [index, window] of windows.entries()) {
      options.signal?.throwIfAborted();
      await options.beforeRun?.(index + 1, windows.length);
      const logits = (await this.model.run(window)).logits!;
      for (const [token, word] of window.words.entries()) {
        if (word >= 0) tags[word] = this.tagAt(logits, token);
      }
    }
    return { entities: entities(text, words, tags), latency: this.model.latency };
  }

  /** Returns the most probable tag of a token; the first of equal ones. */
  private tagAt(logits: Float32Array, token: number): WordTag {
    const count = this.labels.length;
    const row = logits.subarray(token * count, (token + 1) * count);
    if (row.length < count || !row.every(Number.isFinite)) {
      throw new UnusableNumbers();
    }
    const probabilities = softmax(row);
    const best = row.indexOf(row.reduce((a, b) => Math.max(a, b)));
    return { tag: this.labels[best]!, probability: probabilities[best]! };
  }
}
