import type { Answer, NoText, Span } from "mobilebert-core";
import { element } from "./element.js";
import { HighlightedText } from "./highlighted-text.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { Panel } from "./panel.js";
import { choose, percent, samples } from "./parts.js";
import type { Question } from "./protocol.js";
import { PASSAGE, QUESTIONS } from "./sample-texts.js";

const FACE = {
  id: "ask",
  name: "Ask",
  heading: "Ask a passage",
  lead: "The model points at the part of the passage that answers your question.",
  kinds: ["question_answering"],
};
/** The most alternatives that are shown. */
const SHOWN = 3;
const NONE = "The passage does not answer this question.";
const CUT = "The model read only the beginning of the question.";

/** Answers questions on a passage, and marks the answer in it. */
export class AskPanel extends Panel<Question> {
  protected readonly missing = "Ask something about the passage.";
  private readonly question = element("input", { id: "question", autocomplete: "off" });
  private readonly passage = new HighlightedText("passage", () => this.tell(this.missing));
  private readonly answer = element("div", { class: "answer" });

  constructor(client: ModelClient, models: readonly ListedModel[]) {
    super(FACE, client, models);
    const form = element("form", { class: "asking" });
    form.append(this.question, element("button", { class: "strong" }, "Ask"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    this.inputs.append(
      element("label", { for: "question" }, "Your question"),
      form,
      samples(QUESTIONS, (question) => {
        this.question.value = question;
        this.start();
      }),
      this.answer,
    );
    this.results.append(element("label", { for: "passage" }, "Passage"), this.passage.root);
  }

  protected showSample(): void {
    this.passage.value = PASSAGE;
    this.question.value = QUESTIONS[0]!;
  }

  protected input(): Question | null {
    const question = this.question.value.trim();
    return question === "" ? null : { question, passage: this.passage.value };
  }

  protected override whatIsMissing({ isSecond, message }: NoText): string {
    return isSecond ? message : this.missing;
  }

  protected async work(input: Question, signal: AbortSignal): Promise<string> {
    this.clear("The model is reading …");
    const found = await this.ask("answer", input, {
      signal,
      onStep: (step) => this.showStep(step, "Window"),
    });
    // Places in a passage that was changed meanwhile would be wrong.
    if (this.passage.value === input.passage) return this.show(found);
    this.clear(this.missing);
    return "";
  }

  protected clear(why: string): void {
    this.passage.clear();
    this.answer.replaceChildren(element("p", { class: "quiet" }, why));
  }

  private show({ best, alternatives, isCut }: Answer): string {
    this.passage.clear();
    const others = alternatives.filter((span) => span !== best).slice(0, SHOWN);
    const list = element("ul", { class: "alternatives" });
    list.append(...others.map((span) => this.other(span, list)));
    const title = best === null ? "The model's guesses all the same" : "Alternatives";
    this.answer.replaceChildren(this.headline(best));
    if (isCut) this.answer.append(element("p", { class: "quiet" }, CUT));
    if (others.length > 0) this.answer.append(element("h3", {}, title), list);
    if (best !== null) this.passage.mark(best);
    const said = best === null ? NONE : sentence(best);
    return isCut ? `${CUT} ${said}` : said;
  }

  private headline(best: Span | null): HTMLElement {
    if (best === null) return element("p", { class: "none" }, NONE);
    const text = element("strong", {}, best.text);
    const row = element("p", { class: "best" }, text, " ");
    row.append(element("span", { class: "quiet" }, percent(best.probability)));
    return row;
  }

  private other(span: Span, list: HTMLElement): HTMLElement {
    const button = element("button", { type: "button", class: "row", "aria-pressed": "false" });
    const probability = element("span", { class: "quiet" }, percent(span.probability));
    button.append(element("span", {}, span.text), probability);
    button.addEventListener("click", () => {
      this.passage.mark(span);
      choose(list, button);
      this.announce(`Marked: ${sentence(span)}`);
    });
    return element("li", {}, button);
  }
}

function sentence({ text, probability }: Span): string {
  return `${text}, ${percent(probability)}`;
}
