import { JsonObject } from "./json-object.js";
import { ModelError } from "./model-error.js";
import type { TextFile } from "./text-file.js";

/** The names of the inputs of every exported model, int32 `[1, length]` each. */
const INPUTS = ["ids", "mask", "segment_ids"];

/** What model.json says of a file. */
export interface FileFacts {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** The description of a model, from the `model.json` that the exporter wrote beside it. */
export class ModelSpec {
  /** The most tokens of an input. */
  readonly length: number;

  private constructor(
    /** The model's name; empty if the file has none. */
    readonly name: string,
    /** "classification", "question_answering", ... */
    readonly kind: string,
    /** The lengths of the inputs in tokens, ascending. A file has a signature for each. */
    readonly lengths: readonly number[],
    private readonly signatures: ReadonlyMap<number, string>,
    /** The names of the outputs. */
    readonly outputs: readonly string[],
    /** A name for each class; null if there are none. */
    readonly labels: readonly string[] | null,
    /** Whether texts are lower-cased before the model reads them. */
    readonly lowerCase: boolean,
    /** How the kind makes answers, as in the file; null for its defaults. */
    readonly settings: unknown,
    /** The number of rows of the model's word table; null if the file does not say. */
    readonly vocabularySize: number | null,
    /** The files with the model, by name. */
    readonly files: ReadonlyMap<string, FileFacts>,
  ) {
    this.length = lengths.at(-1)!;
  }

  /**
   * Reads `model.json` and ignores keys that it does not need.
   *
   * @throws ModelError if it is not JSON, or a key is missing or has another type.
   */
  static read(content: TextFile, name = "model.json"): ModelSpec {
    const facts = JsonObject.read(content, name);
    const lengths = facts.wholeNumbers("lengths");
    const isAscending = lengths.every((length, i) => i === 0 || length > lengths[i - 1]!);
    if (lengths.length === 0 || lengths[0]! < 3 || !isAscending) {
      throw new ModelError(`${name}: "lengths" should be ascending numbers above 2.`);
    }
    const signatures = facts.object("signatures");
    const inputs = facts.object("inputs");
    const missing = INPUTS.filter((input) => !inputs.has(input));
    if (missing.length > 0) {
      throw new ModelError(`${name}: "inputs" lacks ${missing.join(", ")}.`);
    }
    return new ModelSpec(
      facts.any("name") === null ? "" : facts.string("name"),
      facts.string("kind"),
      lengths,
      new Map(lengths.map((length) => [length, signatures.string(`${length}`)])),
      facts.object("outputs").names,
      facts.any("labels") === null ? null : facts.strings("labels"),
      facts.boolean("lower_case"),
      facts.any("settings"),
      facts.any("config") === null ? null : readVocabularySize(facts.object("config")),
      new Map(facts.any("files") === null ? [] : facts.objects("files").map(readFile)),
    );
  }

  /**
   * Returns the shortest length that holds so many tokens and one of padding; else the longest.
   *
   * The padding is there, as in `mobilebert_tf.export.file.metadata`, because with MobileBERT's
   * trigram input the last token's state depends on whether another one follows.
   */
  lengthFor(tokens: number): number {
    return this.lengths.find((length) => length > tokens) ?? this.length;
  }

  /** Returns the name of the signature of one of the lengths. */
  signature(length: number): string {
    return this.signatures.get(length)!;
  }

  /** @throws ModelError if the model is not of this kind, or lacks one of these outputs. */
  require(kind: string, ...outputs: string[]): void {
    if (kind !== this.kind) {
      throw new ModelError(
        `The model is one for ${this.kind}, and one for ${kind} is needed here.`,
      );
    }
    const missing = outputs.filter((output) => !this.outputs.includes(output));
    if (missing.length > 0) {
      throw new ModelError(`The model does not give ${missing.join(", ")}: export it again.`);
    }
  }
}

function readVocabularySize(config: JsonObject): number | null {
  const key = "vocab_size";
  return config.has(key) ? config.wholeNumber(key, 1, Number.MAX_SAFE_INTEGER) : null;
}

function readFile(file: JsonObject): [string, FileFacts] {
  const bytes = file.wholeNumber("bytes", 1, Number.MAX_SAFE_INTEGER);
  return [file.string("file"), { bytes, sha256: file.string("sha256") }];
}
