export { BertTokenizer, type Tokens } from "./bert-tokenizer.js";
export {
  Cascade,
  type CascadeClasses,
  type CascadeSettings,
  readCascadeSettings,
} from "./cascade.js";
export { sha256 } from "./digest.js";
export { type Entity, entities, type WordTag } from "./entities.js";
export { EntityFinder, type FoundEntities } from "./entity-finder.js";
export { InputError } from "./input-error.js";
export { type ChosenLabels, LabelChooser } from "./label-chooser.js";
export { readLabels } from "./labels.js";
export { ModelError } from "./model-error.js";
export {
  filesAt,
  type ModelFiles,
  type OpenFile,
  readModel,
  readModelFiles,
} from "./model-files.js";
export { type InputTensors, join, type ModelInput, toTensors } from "./model-input.js";
export { type FileFacts, ModelSpec } from "./model-spec.js";
export { NoText } from "./no-text.js";
export { NormalizationTable } from "./normalization-table.js";
export { type LabelledClass, rankClasses, sigmoid, softmax } from "./probabilities.js";
export {
  type Answer,
  type BeforeRun,
  QuestionAnswerer,
  type RunOptions,
} from "./question-answerer.js";
export {
  QUESTION_DEFAULTS,
  type QuestionSettings,
  readQuestionSettings,
} from "./question-settings.js";
export { type QuestionWindow, questionWindows } from "./question-windows.js";
export { type Match, SearchIndex } from "./search-index.js";
export { type DecodedSpans, decodeSpans, type Span, type WindowLogits } from "./span-decoding.js";
export { type TaggedWindow, taggedWindows } from "./tagged-windows.js";
export type { TensorRunner } from "./tensor-runner.js";
export { type Classes, TextClassifier } from "./text-classifier.js";
export { TextEmbedder } from "./text-embedder.js";
export type { TextFile } from "./text-file.js";
export type { TextOutput } from "./text-model.js";
export type { Latency } from "./timed-model.js";
export { UnusableNumbers } from "./unusable-numbers.js";
export { Vocabulary } from "./vocabulary.js";
export { splitWords, type Word } from "./words.js";
