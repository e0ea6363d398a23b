import type { LabelledClass } from "mobilebert-core";
import { element } from "./element.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { Panel } from "./panel.js";
import { bar, percent, samples } from "./parts.js";
import type { Labelled } from "./protocol.js";
import { REVIEWS } from "./sample-texts.js";

const FACE = {
  id: "classify",
  name: "Classify",
  heading: "Classify as you type",
  lead: "Every key runs the model again.",
  kinds: ["classification", "multi_label"],
};

/** Classifies a text while it is typed. */
export class ClassifyPanel extends Panel<string> {
  protected readonly missing = "Type a text.";
  private readonly text = element("textarea", { id: "text", rows: "5" });
  private readonly classes = element("ul", { class: "classes", "aria-label": "Classes" });
  private readonly note = element("p", { class: "quiet" });

  constructor(client: ModelClient, models: readonly ListedModel[]) {
    super(FACE, client, models);
    this.text.addEventListener("input", () => this.start());
    this.inputs.append(
      element("label", { for: "text" }, "Your text"),
      this.text,
      samples(REVIEWS, (review) => {
        this.text.value = review;
        this.start();
      }),
    );
    this.results.append(element("h3", {}, "Classes"), this.classes, this.note);
  }

  protected showSample(): void {
    this.text.value = REVIEWS[0]!;
  }

  protected input(): string | null {
    return this.text.value.trim() === "" ? null : this.text.value;
  }

  protected async work(text: string, signal: AbortSignal): Promise<string> {
    return this.show(await this.ask("classify", text, { signal }));
  }

  protected clear(why: string): void {
    this.classes.replaceChildren();
    this.note.textContent = why;
  }

  private show({ classes, chosen, isCut }: Labelled): string {
    const has = new Set(chosen ?? [classes[0]!.label]);
    this.classes.replaceChildren(...classes.map((one) => row(one, has.has(one.label))));
    const notes = [
      has.size === 0 ? "No label is probable enough." : "",
      isCut ? "The model read only the beginning." : "",
    ];
    this.note.textContent = notes.filter(Boolean).join(" ");
    const named = classes.filter(({ label }) => has.has(label));
    const said = named.map(({ label, probability }) => `${label}, ${percent(probability)}`);
    return [...said, this.note.textContent].join(". ");
  }
}

function row({ label, probability }: LabelledClass, isChosen: boolean): HTMLElement {
  const name = element("span", { class: "label" }, label.replaceAll("_", " "));
  const value = element("span", { class: "number" }, percent(probability));
  const attributes: Record<string, string> = isChosen ? { class: "chosen" } : {};
  return element("li", attributes, name, bar(probability), value);
}
