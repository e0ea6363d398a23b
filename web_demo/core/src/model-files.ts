import { BertTokenizer } from "./bert-tokenizer.js";
import { sha256 } from "./digest.js";
import { readLabels } from "./labels.js";
import { ModelError } from "./model-error.js";
import { ModelSpec } from "./model-spec.js";
import { NormalizationTable } from "./normalization-table.js";
import type { TextFile } from "./text-file.js";
import { Vocabulary } from "./vocabulary.js";

/** The files beside a model: its description, and its vocabulary and table as a tokenizer. */
export interface ModelFiles {
  readonly spec: ModelSpec;
  readonly tokenizer: BertTokenizer;
}

/** The content of a file: its bytes, or its text. */
type Content = Uint8Array<ArrayBuffer> | string;

/** Returns the content of a file by its name; fails if the file is missing. */
export type OpenFile = (name: string) => Promise<Content>;

/**
 * Returns a function that fetches files from a folder.
 *
 * @param folder its address, which ends in "/".
 * @param options for `fetch`.
 */
export function filesAt(
  folder: string | URL,
  options: RequestInit = {},
): (name: string) => Promise<Uint8Array<ArrayBuffer>> {
  const base = new URL(folder, globalThis.location?.href);
  return async (name) => {
    const response = await fetch(new URL(name, base), options);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}

/**
 * Reads model.json, vocab.txt and normalization.txt, and labels.txt if there are labels.
 *
 * @throws ModelError if a file is missing or cannot be used, or one is that of another model.
 */
export async function readModelFiles(open: OpenFile): Promise<ModelFiles> {
  const read = async <T>(name: string, parse: (content: TextFile) => T): Promise<T> =>
    parse(await opened(open, name));
  const spec = await read("model.json", (content) => ModelSpec.read(content));
  const vocabulary = await read("vocab.txt", (content) => Vocabulary.read(content));
  const size = vocabulary.pieces.length;
  if (spec.vocabularySize !== null && spec.vocabularySize !== size) {
    throw new ModelError(
      `vocab.txt has ${size} pieces, and the model has ${spec.vocabularySize}: it is another ` +
        "model's.",
    );
  }
  const table = await read("normalization.txt", (content) => NormalizationTable.read(content));
  if (table.lowerCase !== spec.lowerCase) {
    throw new ModelError(
      "normalization.txt and model.json are of different models: one lower-cases, the other does " +
        "not.",
    );
  }
  if (spec.labels !== null) {
    const labels = await read("labels.txt", (content) => readLabels(content));
    if (labels.join("\n") !== spec.labels.join("\n")) {
      throw new ModelError("labels.txt and model.json name different classes.");
    }
  }
  return { spec, tokenizer: new BertTokenizer(vocabulary, table) };
}

/**
 * Reads the file with the model, for the runtime; gives the bytes that `open` gave, and no copy.
 *
 * @throws ModelError if it is missing, or is not the file that model.json describes.
 */
export async function readModel(
  open: OpenFile,
  spec: ModelSpec,
  name = "model.tflite",
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await opened(open, name);
  if (typeof bytes === "string") throw new ModelError(`${name} is a text, and no model.`);
  const facts = spec.files.get(name);
  if (facts === undefined) return bytes;
  if (bytes.length !== facts.bytes) {
    throw new ModelError(
      `${name} has ${bytes.length} bytes and should have ${facts.bytes}: get it again.`,
    );
  }
  const digest = await sha256(bytes);
  if (digest !== null && digest !== facts.sha256) {
    throw new ModelError(`${name} is not the file that model.json describes: get both again.`);
  }
  return bytes;
}

/** Opens a file; fails with a sentence for the user. */
async function opened(open: OpenFile, name: string): Promise<Content> {
  try {
    return await open(name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new ModelError(`Cannot read ${name}, which belongs to the model: ${reason}.`, {
      cause: error,
    });
  }
}
