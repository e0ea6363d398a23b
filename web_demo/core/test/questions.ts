import { QUESTION_DEFAULTS, type QuestionSettings } from "../src/index.js";
import { goldenJson } from "./golden.js";

interface SquadFile {
  readonly data: { paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[];
}

export interface Question {
  readonly question: string;
  readonly passage: string;
}

/** The questions of tests/golden/squad, by their ids. */
export const goldenQuestions: ReadonlyMap<string, Question> = new Map(
  goldenJson<SquadFile>("squad/questions.json").data.flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ context, qas }) =>
      qas.map(({ id, question }) => [id, { question, passage: context }] as const),
    ),
  ),
);

export interface WindowSetting {
  readonly length: number;
  readonly stride: number;
  readonly max_question_length: number;
}

export function settingsOf(setting: WindowSetting): QuestionSettings {
  return {
    ...QUESTION_DEFAULTS,
    stride: setting.stride,
    maxQuestionLength: setting.max_question_length,
  };
}
