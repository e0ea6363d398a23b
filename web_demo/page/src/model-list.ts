import { ModelError } from "mobilebert-core";
import type { Place } from "./protocol.js";

/** A model that the page can load, as `mobilebert package --web` writes it into models.json. */
export interface ListedModel extends Place {
  readonly name: string;
  readonly kind: string;
  /** The size of model.tflite. */
  readonly bytes: number;
  readonly recipe: string;
  /** On the dev set of its task; null if it is not known. */
  readonly score: Score | null;
  /** Texts to try the model with; may be none. */
  readonly samples: readonly string[];
}

export interface Score {
  readonly task: string;
  readonly metric: string;
  readonly value: number;
}

const NAME = "models.json";
const TEXTS = ["name", "kind", "folder", "version", "recipe"] as const;

/** Fetches the list of models that lies beside the page. */
export async function fetchModels(): Promise<ListedModel[]> {
  let content: unknown;
  try {
    const response = await fetch(new URL(NAME, document.baseURI));
    if (!response.ok) throw new Error(`status ${response.status}`);
    content = await response.json();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new ModelError(`Cannot read ${NAME}, which lists the models: ${reason}.`);
  }
  const { models } = Object(content) as { models?: unknown };
  if (!Array.isArray(models) || !models.every(isListed)) {
    throw new ModelError(`${NAME} is not what this page reads: write its folder again.`);
  }
  return models;
}

function isListed(value: unknown): value is ListedModel {
  const model = Object(value) as Record<string, unknown>;
  return (
    TEXTS.every((key) => typeof model[key] === "string") &&
    typeof model.bytes === "number" &&
    (model.score === null || isScore(model.score)) &&
    Array.isArray(model.samples) &&
    model.samples.every((sample) => typeof sample === "string")
  );
}

function isScore(value: unknown): value is Score {
  const score = Object(value) as Record<string, unknown>;
  return (
    typeof score.task === "string" &&
    typeof score.metric === "string" &&
    typeof score.value === "number"
  );
}
