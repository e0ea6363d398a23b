import { describe, expect, test } from "vitest";
import {
  EntityFinder,
  type InputTensors,
  LabelChooser,
  ModelSpec,
  NoText,
  QuestionAnswerer,
  SearchIndex,
  type TensorRunner,
  TextClassifier,
  TextEmbedder,
} from "../src/index.js";
import { TimedModel } from "../src/timed-model.js";
import { smallTokenizer } from "./golden.js";

const TOKENIZER = smallTokenizer("who", "is", "in", "it", "anna", "?");
const ANNA = 9;

function spec(kind: string, outputs: string[], facts: Record<string, unknown> = {}): ModelSpec {
  return ModelSpec.read(
    JSON.stringify({
      kind,
      lengths: [12, 24],
      signatures: { "12": "length_12", "24": "length_24" },
      inputs: { ids: {}, mask: {}, segment_ids: {} },
      outputs: Object.fromEntries(outputs.map((name) => [name, {}])),
      labels: null,
      lower_case: true,
      ...facts,
    }),
  );
}

/** A model that answers by a function; it keeps what it was asked. */
class FakeRunner implements TensorRunner {
  readonly calls: [string, InputTensors][] = [];

  constructor(private readonly answer: (ids: Int32Array) => Record<string, number[]>) {}

  async run(signature: string, inputs: InputTensors): Promise<Record<string, Float32Array>> {
    this.calls.push([signature, inputs]);
    const outputs = Object.entries(this.answer(inputs.ids));
    return Object.fromEntries(outputs.map(([name, values]) => [name, Float32Array.from(values)]));
  }
}

function spanRunner(score: (id: number, at: number, ids: Int32Array) => number): FakeRunner {
  return new FakeRunner((ids) => {
    const logits = Array.from(ids, (id, at) => score(id, at, ids));
    return { start_logits: logits, end_logits: logits };
  });
}

describe("answering questions", () => {
  const pointing = (): FakeRunner => spanRunner((id) => (id === ANNA ? 9 : 0));

  function engine(runner: TensorRunner, settings: unknown = null): QuestionAnswerer {
    const found = spec("question_answering", ["start_logits", "end_logits"], { settings });
    return new QuestionAnswerer({ spec: found, tokenizer: TOKENIZER }, runner);
  }

  test("runs the shortest signature for a short passage", async () => {
    const runner = pointing();
    const { best } = await engine(runner).answer("who is it?", "in it is Ánna");
    expect(best).toMatchObject({ text: "Ánna", start: 9, end: 13 });
    // [CLS] who is it ? [SEP] in it is anna [SEP]: 11 of 12, one for padding.
    expect(runner.calls).toEqual([
      [
        "length_12",
        {
          ids: Int32Array.of(2, 5, 6, 8, 10, 3, 7, 8, 6, 9, 3, 0),
          mask: Int32Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0),
          segment_ids: Int32Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0),
        },
      ],
    ]);
    await engine(runner).answer("who is it?", "in it is Anna it");
    expect(runner.calls[1]![0]).toBe("length_24");
  });

  test("points at the answer where it stands, and not at an equal string", async () => {
    // The first "anna" is another window's.
    const passage = `anna ${"in ".repeat(30)}it is anna is in`;
    const runner = spanRunner((id, at, ids) => (id === ANNA && ids[at - 1] === 6 ? 9 : 0));
    const { best } = await engine(runner).answer("who?", passage);
    const start = passage.lastIndexOf("anna");
    expect(best).toMatchObject({ text: "anna", start, end: start + 4 });
  });

  test("runs a long passage in windows that are counted, and can be stopped", async () => {
    const passage = `${"in it is ".repeat(1666)}Anna is`;
    const seen: [number, number][] = [];
    const runner = pointing();
    const found = await engine(runner).answer("who?", passage, {
      beforeRun: (window, count) => seen.push([window, count]),
    });
    expect(seen).toEqual(runner.calls.map((_, index) => [index + 1, runner.calls.length]));
    expect(seen.length).toBeGreaterThan(250);
    expect(found.best!.start).toBe(passage.length - 7);
    expect(found.latency!.median).toBeGreaterThanOrEqual(0);
    const controller = new AbortController();
    const stopped = pointing();
    const work = engine(stopped).answer("who?", passage, {
      signal: controller.signal,
      beforeRun: (window) => window === 3 && controller.abort(new Error("enough")),
    });
    await expect(work).rejects.toThrow("enough");
    expect(stopped.calls).toHaveLength(3);
  });

  test("may find no answer", async () => {
    const unsure = spanRunner((_, at) => (at === 0 ? 1 : 0));
    const none = await engine(unsure, { null_threshold: 1.5 }).answer("who?", "it");
    expect(none).toMatchObject({ best: null, nullOdds: 2, alternatives: [{ text: "it" }] });
    const some = await engine(unsure, { null_threshold: 2 }).answer("who?", "it");
    expect(some.best).toMatchObject({ text: "it" });
    expect((await engine(unsure).answer("who?", "it")).best).toMatchObject({ text: "it" });
  });

  test("follows the settings in model.json", async () => {
    const runner = pointing();
    const found = await engine(runner, { max_question_length: 1 }).answer("who is it?", "anna");
    expect(found.isCut).toBe(true);
    expect(
      (await engine(pointing(), { max_question_length: 4 }).answer("who is it?", "anna")).isCut,
    ).toBe(false);
    expect(Array.from(runner.calls[0]![1].ids.slice(0, 5))).toEqual([2, 5, 3, ANNA, 3]);
  });

  test("says what cannot be done", async () => {
    await expect(engine(pointing()).answer("who?", " \0")).rejects.toThrow(
      "There is no text to look in: give a passage.",
    );
    await expect(engine(new FakeRunner(() => ({}))).answer("who?", "it")).rejects.toThrow(
      "The model file has no start_logits, end_logits: it is not the file that model.json describes.",
    );
    expect(() => engine(pointing(), { stride: 0 })).toThrow('"stride" should be');
    const other = { spec: spec("multi_label", [], { settings: {} }), tokenizer: TOKENIZER };
    expect(() => new QuestionAnswerer(other, pointing())).toThrow("is one for multi_label");
  });
});

describe("reading texts", () => {
  const probabilities = new FakeRunner(() => ({ probabilities: [0.3, 0.625, 0.5] }));
  const labels = ["a", "b", "c"];

  test("gives classes, and tells whether the text was cut", async () => {
    const files = {
      spec: spec("classification", ["probabilities"], { labels }),
      tokenizer: TOKENIZER,
    };
    const classifier = new TextClassifier(files, probabilities);
    const found = await classifier.classify("who is it");
    expect(found.classes.map(({ label }) => label)).toEqual(["b", "c", "a"]);
    expect(found.isCut).toBe(false);
    expect((await classifier.classify("it ".repeat(22))).isCut).toBe(false);
    expect((await classifier.classify("it ".repeat(23))).isCut).toBe(true);
    expect((await classifier.classify("it", "it ".repeat(20))).isCut).toBe(false);
    expect((await classifier.classify("it", "it ".repeat(21))).isCut).toBe(true);
    expect(probabilities.calls[1]![0]).toBe("length_24");
  });

  test("gives the labels above the threshold", async () => {
    const chosen = async (settings: unknown): Promise<readonly string[]> => {
      const found = spec("multi_label", ["probabilities"], { labels, settings });
      return (
        await new LabelChooser({ spec: found, tokenizer: TOKENIZER }, probabilities).choose("it")
      ).labels;
    };
    expect(await chosen(null)).toEqual(["b"]);
    expect(await chosen({ threshold: 0.2 })).toEqual(["b", "c", "a"]);
    expect(await chosen({ threshold: 0.625 })).toEqual([]);
    // In double precision, the probability of a is above it; for Python it is not.
    expect(await chosen({ threshold: 0.3 })).toEqual(["b", "c"]);
    await expect(chosen({ threshold: 2 })).rejects.toThrow('"threshold" should be a number from 0');
    await expect(chosen({ stride: 2 })).rejects.toThrow('"stride" is not one of threshold');
  });

  test("gives vectors for a search", async () => {
    const runner = new FakeRunner((ids) => ({
      sentence_embedding: ids[1] === 5 ? [1, 0] : [0, 1],
    }));
    const files = { spec: spec("embedding", ["sentence_embedding"]), tokenizer: TOKENIZER };
    const embedder = new TextEmbedder(files, runner);
    const index = new SearchIndex();
    for (const text of ["it", "who"]) index.add((await embedder.embed(text)).values);
    const query = await embedder.embed("who is it");
    expect(index.search(query.values, 1)).toEqual([{ index: 1, cosine: 1 }]);
  });

  test("gives entities; the first of equal tags", async () => {
    const tags = ["O", "B-PER", "I-PER"];
    const runner = new FakeRunner((ids) => ({
      logits: Array.from(ids).flatMap((id) => (id === ANNA ? [0, 1, 1] : [1, 0, 1])),
    }));
    const files = { spec: spec("tagging", ["logits"], { labels: tags }), tokenizer: TOKENIZER };
    const { entities } = await new EntityFinder(files, runner).find("It is Ánna, anna.");
    expect(entities.map(({ type, text, start }) => [type, text, start])).toEqual([
      ["PER", "Ánna", 6],
      ["PER", "anna", 12],
    ]);
    expect(entities[0]!.probability).toBeCloseTo(Math.E / (2 * Math.E + 1), 6);
    const wrong = { spec: spec("tagging", ["logits"], { labels }), tokenizer: TOKENIZER };
    expect(() => new EntityFinder(wrong, runner)).toThrow("the model's labels are a, b, c.");
    const short = new EntityFinder(files, new FakeRunner(() => ({ logits: [1, 0, 0] })));
    await expect(short.find("it")).rejects.toThrow("no usable numbers");
  });
});

describe("a text without tokens is not read:", () => {
  const unread = new FakeRunner(() => {
    throw new Error("The model was run.");
  });
  const files = (kind: string, ...outputs: string[]) => ({
    spec: spec(kind, outputs, { labels: kind === "tagging" ? ["O"] : null }),
    tokenizer: TOKENIZER,
  });
  const classifier = new TextClassifier(files("classification", "probabilities"), unread);
  const chooser = new LabelChooser(files("multi_label", "probabilities"), unread);
  const embedder = new TextEmbedder(files("embedding", "sentence_embedding"), unread);
  const finder = new EntityFinder(files("tagging", "logits"), unread);
  const answering = files("question_answering", "start_logits", "end_logits");
  const answerer = new QuestionAnswerer(answering, unread);

  // All have no tokens in Python either: see its test of predictions.
  test.each(["", " \n", "\u200b", "\u0301\u0301", "\0\x01", "\ufeff \u200d"])(
    "%j",
    async (text) => {
      const works: [Promise<unknown>, boolean][] = [
        [classifier.classify(text), false],
        [classifier.classify(text, "it"), false],
        [classifier.classify("it", text), true],
        [chooser.choose(text), false],
        [chooser.choose("it", text), true],
        [embedder.embed(text), false],
        [finder.find(text), false],
        [answerer.answer(text, "it"), false],
        [answerer.answer("who?", text), true],
      ];
      for (const [number, [work, isSecond]] of works.entries()) {
        const error = await work.catch((error: unknown) => error);
        expect(error, `${number}`).toBeInstanceOf(NoText);
        expect((error as NoText).isSecond, `${number}`).toBe(isSecond);
      }
      expect(unread.calls).toEqual([]);
    },
  );
});

test("the first run is timed apart from the median of the others", async () => {
  const files = { spec: spec("embedding", ["sentence_embedding"]), tokenizer: TOKENIZER };
  const times = [0, 100, 100, 103, 103, 104, 104, 109];
  const runner = new FakeRunner(() => ({ sentence_embedding: [1] }));
  const model = new TimedModel(files, runner, () => times.shift()!);
  expect(model.latency).toBeNull();
  const seen: unknown[] = [];
  for (let run = 0; run < 4; run++) {
    await model.run({ ids: [2, 3], firstLength: 2 });
    seen.push(model.latency);
  }
  expect(seen).toEqual([
    { first: 100, median: null },
    { first: 100, median: 3 },
    { first: 100, median: 2 },
    { first: 100, median: 3 },
  ]);
});
