import { readFileSync } from "node:fs";
import { join as joinPath } from "node:path";
import { describe, expect, test } from "vitest";
import {
  BertTokenizer,
  Cascade,
  decodeSpans,
  EntityFinder,
  join,
  type ModelFiles,
  type ModelInput,
  ModelSpec,
  NormalizationTable,
  NoText,
  QuestionAnswerer,
  questionWindows,
  readQuestionSettings,
  softmax,
  splitWords,
  TextClassifier,
  taggedWindows,
  Vocabulary,
} from "../src/index.js";
import { smallTokenizer, type TextCase } from "./golden.js";

/** Where tests/golden/make_cases.py wrote Python's results in this run. */
const DIRECTORY = process.env.MOBILEBERT_CASES;

function read(name: string): Uint8Array {
  return readFileSync(joinPath(DIRECTORY!, name));
}

function readJson<T>(name: string): T {
  return JSON.parse(read(name).toString());
}

function tokenizerOf(folder: string, table = "lower_case"): BertTokenizer {
  return new BertTokenizer(
    Vocabulary.read(read(`${folder}/vocab.txt`)),
    NormalizationTable.read(read(`${folder}/${table}.txt`)),
  );
}

function units(text: string): string {
  return Array.from(text, (_, at) => text.charCodeAt(at).toString(16)).join(" ");
}

interface QuestionCase {
  readonly question: string;
  readonly passage: string;
  readonly length: number;
  readonly settings: unknown;
  readonly windows: {
    readonly ids: number[];
    readonly first_length: number;
    readonly starts: number[];
    readonly ends: number[];
    readonly words: number[];
    readonly is_max_context: boolean[];
    readonly start_logits: number[];
    readonly end_logits: number[];
  }[];
  readonly null_odds: number;
  readonly answer: string | null;
  readonly log_total: number | null;
  readonly spans: {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    readonly score: number;
    readonly probability: number;
  }[];
}

interface TaggingCase {
  readonly text: string;
  readonly length: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly windows: { readonly ids: number[]; readonly words: number[]; logits: number[][] }[];
  readonly entities: { readonly probability: number }[];
}

interface CascadeCase {
  readonly text: string;
  /** Null where they are not finite. */
  readonly first: number[] | null;
  readonly second: number[];
  readonly threshold: number;
  readonly answered_by: string;
  /** Null for a text without tokens, and so are the labels. */
  readonly confidence: number | null;
  readonly labels: string[] | null;
}

interface PackingCase {
  readonly a: number[];
  readonly b: number[] | null;
  readonly length: number;
  readonly ids: number[];
  readonly first_length: number;
}

// `make web-test` writes the cases.
describe.skipIf(DIRECTORY === undefined)("Python's results (MOBILEBERT_CASES)", () => {
  test.each(["lower_case", "cased"])("on random texts, %s", (table) => {
    const { cases } = readJson<{ cases: TextCase[] }>(`random/${table}.json`);
    expect(cases).toHaveLength(10_000);
    const tokenizer = tokenizerOf("random", table);
    let known = 0;
    for (const { text, ids, starts, ends } of cases) {
      const found = tokenizer.tokenize(text);
      // Comparing strings is faster; `toEqual` shows where they differ.
      if (JSON.stringify(found) !== JSON.stringify({ ids, starts, ends })) {
        expect(found, units(text)).toEqual({ ids, starts, ends });
      }
      known += ids.filter((id) => id > 4).length;
    }
    // Most pieces must not be unknown.
    expect(known).toBeGreaterThan(10_000);
    console.log(`measured: ${cases.length} random texts, ${table}, ${known} known pieces: equal`);
  });

  test("on questions", async () => {
    const { cases, source } = readJson<{ cases: QuestionCase[]; source: string }>(
      "squad/cases.json",
    );
    const tokenizer = tokenizerOf("squad");
    let count = 0;
    for (const one of cases) {
      const settings = readQuestionSettings(one.settings);
      const windows = questionWindows(tokenizer, one.question, one.passage, one.length, settings);
      expect(windows, one.question).toEqual(
        one.windows.map(({ ids, first_length, starts, ends, words, is_max_context }) => ({
          ids,
          firstLength: first_length,
          starts,
          ends,
          words,
          isMaxContext: is_max_context,
        })),
      );
      const decoded = decodeSpans(
        one.passage,
        windows,
        one.windows.map((window) => Float32Array.from(window.start_logits)),
        one.windows.map((window) => Float32Array.from(window.end_logits)),
        settings,
      );
      expect(decoded.nullOdds).toBe(one.null_odds);
      expect(decoded.spans, one.question).toEqual(
        one.spans.map((span) => ({
          ...span,
          probability: expect.closeTo(Math.exp(span.score - one.log_total!), 9),
        })),
      );
      expect(softmax(decoded.spans.map(({ score }) => score))).toEqual(
        one.spans.map(({ probability }) => expect.closeTo(probability, 9)),
      );
      const answered = answerer(tokenizer, one).answer(one.question, one.passage);
      if (tokenizer.tokenize(one.question).ids.length === 0) {
        await expect(answered).rejects.toThrow("There is no question");
      } else if (windows.length === 0) {
        await expect(answered).rejects.toThrow("There is no text to look in");
      } else {
        expect((await answered).best?.text ?? null, one.question).toBe(one.answer);
      }
      count += windows.length;
    }
    for (const answer of [null, expect.any(String)]) {
      expect(cases.map((one) => one.answer)).toContainEqual(answer);
    }
    expect(count, "no passage has several windows").toBeGreaterThan(cases.length);
    expect(new Set(cases.map(({ settings }) => JSON.stringify(settings))).size).toBeGreaterThan(2);
    console.log(`measured: ${cases.length} questions of ${source}, ${count} windows: equal`);
  });

  test("on words and entities", async () => {
    const { cases, tags } = readJson<{ cases: TaggingCase[]; tags: string[] }>(
      "tagging/cases.json",
    );
    expect(cases.length).toBeGreaterThan(1500);
    const tokenizer = tokenizerOf("tagging");
    let count = 0;
    for (const one of cases) {
      const words = splitWords(one.text);
      expect(words, units(one.text)).toEqual(
        one.starts.map((start, index) => ({ start, end: one.ends[index] })),
      );
      const strings = words.map(({ start, end }) => one.text.slice(start, end));
      expect(taggedWindows(tokenizer, strings, one.length), units(one.text)).toEqual(
        one.windows.map(({ ids, words }) => ({ ids, firstLength: ids.length, words })),
      );
      const work = finder(tokenizer, one, tags).find(one.text);
      if (one.windows[0]!.ids.length === 2) {
        expect(one.entities).toEqual([]);
        await expect(work, units(one.text)).rejects.toThrow(NoText);
        continue;
      }
      const found = await work;
      expect(found.entities, units(one.text)).toEqual(
        one.entities.map((entity) => ({
          ...entity,
          probability: expect.closeTo(entity.probability, 9),
        })),
      );
      count += found.entities.length;
    }
    expect(count).toBeGreaterThan(cases.length);
    console.log(`measured: words of ${cases.length} texts, ${count} entities: equal`);
  });

  test("on cascades", async () => {
    const { cases, labels } = readJson<{ cases: CascadeCase[]; labels: string[] }>(
      "cascade/cases.json",
    );
    for (const one of cases) {
      const work = cascade(one, labels).classify(one.text);
      if (one.labels === null) {
        await expect(work, JSON.stringify(one)).rejects.toThrow(NoText);
        continue;
      }
      const found = await work;
      expect(found.isOfSecond, JSON.stringify(one)).toBe(one.answered_by === "second");
      expect(found.confidence).toBe(one.confidence);
      expect(found.classes.map(({ label }) => label)).toEqual(one.labels);
    }
    const bySecond = cases.filter((one) => one.answered_by === "second").length;
    expect(bySecond).toBeGreaterThan(cases.length / 5);
    expect(bySecond).toBeLessThan((cases.length * 4) / 5);
    console.log(`measured: ${cases.length} cascades, ${bySecond} by the second model: equal`);
  });

  test("on packing", () => {
    const { cases } = readJson<{ cases: PackingCase[] }>("packing/cases.json");
    const vocabulary = new Vocabulary(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]);
    expect(cases.length).toBeGreaterThan(100);
    for (const { a, b, length, ids, first_length } of cases) {
      expect(join(vocabulary, a, b, length)).toEqual({
        ids,
        firstLength: first_length,
      } satisfies ModelInput);
    }
  });
});

/** Returns the files of a model of one length, with these facts. */
function filesOf(tokenizer: BertTokenizer, length: number, facts: object): ModelFiles {
  const common = {
    lengths: [length],
    signatures: { [length]: "only" },
    inputs: { ids: {}, mask: {}, segment_ids: {} },
    lower_case: true,
  };
  return { spec: ModelSpec.read(JSON.stringify({ ...common, ...facts })), tokenizer };
}

/** Returns an answerer whose model gives the case's logits. */
function answerer(tokenizer: BertTokenizer, one: QuestionCase): QuestionAnswerer {
  const files = filesOf(tokenizer, one.length, {
    kind: "question_answering",
    outputs: { start_logits: {}, end_logits: {} },
    settings: one.settings,
  });
  const rows = one.windows.map((window) => ({
    start_logits: Float32Array.from(window.start_logits),
    end_logits: Float32Array.from(window.end_logits),
  }));
  return new QuestionAnswerer(files, { run: async () => rows.shift()! });
}

/** Returns a cascade whose models give the case's probabilities. */
function cascade(one: CascadeCase, labels: string[]): Cascade {
  const tokenizer = smallTokenizer("a");
  const files = filesOf(tokenizer, 8, {
    kind: "classification",
    outputs: { probabilities: {} },
    labels,
  });
  const missing = labels.map(() => Number.NaN);
  const [first, second] = [one.first ?? missing, one.second].map(
    (row) =>
      new TextClassifier(files, { run: async () => ({ probabilities: Float32Array.from(row) }) }),
  );
  const settings = { labels, threshold: one.threshold, checksums: ["", ""] };
  return new Cascade(settings, first!, second!);
}

/** Returns a finder whose model gives the case's logits. */
function finder(tokenizer: BertTokenizer, one: TaggingCase, labels: string[]): EntityFinder {
  const files = filesOf(tokenizer, one.length, {
    kind: "tagging",
    outputs: { logits: {} },
    labels,
  });
  const rows = one.windows.map(({ logits }) => Float32Array.from(logits.flat()));
  return new EntityFinder(files, { run: async () => ({ logits: rows.shift()! }) });
}
