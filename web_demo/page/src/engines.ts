import {
  EntityFinder,
  LabelChooser,
  type ModelFiles,
  QuestionAnswerer,
  type RunOptions,
  type TensorRunner,
  TextClassifier,
  TextEmbedder,
} from "mobilebert-core";
import type { Use, Uses } from "./protocol.js";

/** What a loaded model does. */
export type Engine = {
  readonly [U in Use]?: (
    input: Uses[U]["input"],
    options: RunOptions,
  ) => Promise<Uses[U]["result"]>;
};

/** Makes the engine of a model. */
export type EngineMaker = (files: ModelFiles, runner: TensorRunner) => Engine;

/** The makers of engines, by the kind of the model. */
export const ENGINES: Readonly<Record<string, EngineMaker>> = {
  question_answering(files, runner) {
    const answerer = new QuestionAnswerer(files, runner);
    return {
      answer: ({ question, passage }, options) => answerer.answer(question, passage, options),
    };
  },
  classification(files, runner) {
    const classifier = new TextClassifier(files, runner);
    return { classify: async (text) => ({ ...(await classifier.classify(text)), chosen: null }) };
  },
  multi_label(files, runner) {
    const chooser = new LabelChooser(files, runner);
    return {
      async classify(text) {
        const { labels, ...classes } = await chooser.choose(text);
        return { ...classes, chosen: labels };
      },
    };
  },
  tagging(files, runner) {
    const finder = new EntityFinder(files, runner);
    return { find: (text, options) => finder.find(text, options) };
  },
  embedding(files, runner) {
    const embedder = new TextEmbedder(files, runner);
    return { embed: (text) => embedder.embed(text) };
  },
};
