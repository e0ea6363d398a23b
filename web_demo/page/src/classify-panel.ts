import type { LabelledClass } from "mobilebert-core";
import { element } from "./element.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { bar, percent } from "./parts.js";
import type { Labelled } from "./protocol.js";
import { REVIEWS } from "./sample-texts.js";
import { TextPanel } from "./text-panel.js";

const FACE = {
  id: "classify",
  name: "Classify",
  heading: "Classify as you type",
  lead: "Every key runs the model again.",
  kinds: ["classification", "multi_label"],
};

/** The most classes that are shown, beside those that the text has. */
const SHOWN = 8;

/** Classifies a text while it is typed. */
export class ClassifyPanel extends TextPanel {
  private readonly classes = element("ul", { class: "classes", "aria-label": "Classes" });
  private readonly note = element("p", { class: "quiet" });

  constructor(client: ModelClient, models: readonly ListedModel[]) {
    super(FACE, client, models, "text", REVIEWS);
    this.results.append(element("h3", {}, "Classes"), this.classes, this.note);
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
    const shown = classes.slice(0, Math.max(SHOWN, has.size));
    this.classes.replaceChildren(...shown.map((one) => row(one, has.has(one.label))));
    const notes = [
      shown.length < classes.length ? `${shown.length} of ${classes.length} classes.` : "",
      has.size === 0 ? "No label is probable enough." : "",
      isCut ? "The model read only the beginning." : "",
    ];
    this.note.textContent = notes.filter(Boolean).join(" ");
    const named = classes.filter(({ label }) => has.has(label));
    const said = named.map((one) => `${nameOf(one)}, ${percent(one.probability)}`);
    return [...said, this.note.textContent].join(". ");
  }
}

function nameOf({ label }: LabelledClass): string {
  return label.replaceAll("_", " ");
}

function row(one: LabelledClass, isChosen: boolean): HTMLElement {
  const name = element("span", { class: "label" }, nameOf(one));
  const value = element("span", { class: "number" }, percent(one.probability));
  const attributes: Record<string, string> = isChosen ? { class: "chosen" } : {};
  return element("li", attributes, name, bar(one.probability), value);
}
