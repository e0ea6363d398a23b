import type { Entity } from "mobilebert-core";
import { element } from "./element.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { percent } from "./parts.js";
import { WISHES } from "./sample-texts.js";
import { TextPanel } from "./text-panel.js";

const FACE = {
  id: "entities",
  name: "Entities",
  heading: "Find entities",
  lead: "The model names the parts of a text, such as a dish, a place or a price.",
  kinds: ["tagging"],
};
/** The number of colours in page.css. */
const COLOURS = 8;

/** Finds and marks entities while a text is typed. */
export class EntitiesPanel extends TextPanel {
  private readonly marked = element("div", { class: "marked" });
  private readonly found = element("ul", { class: "entities", "aria-label": "Entities" });
  // A type keeps its colour while the page is open.
  private readonly colours = new Map<string, number>();

  constructor(client: ModelClient, models: readonly ListedModel[]) {
    super(FACE, client, models, "wish", WISHES);
    this.results.append(element("h3", {}, "Entities"), this.marked, this.found);
  }

  protected async work(text: string, signal: AbortSignal): Promise<string> {
    const { entities } = await this.ask("find", text, {
      signal,
      onStep: (step) => this.showStep(step, "Part"),
    });
    if (entities.length === 0) {
      this.clear("The model found no entities.");
      return "The model found no entities.";
    }
    this.marked.replaceChildren();
    this.found.replaceChildren();
    // One by one, since a call takes only so many arguments.
    for (const part of this.parts(text, entities)) this.marked.append(part);
    for (const entity of entities) this.found.append(this.row(entity));
    return entities.map((entity) => `${nameOf(entity)}: ${entity.text}`).join(". ");
  }

  protected clear(why: string): void {
    this.marked.replaceChildren(element("p", { class: "quiet" }, why));
    this.found.replaceChildren();
  }

  private parts(text: string, entities: readonly Entity[]): (Node | string)[] {
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const { start, end, type } of entities) {
      const mark = element("mark", { "data-colour": this.colour(type) }, text.slice(start, end));
      parts.push(text.slice(from, start), mark);
      from = end;
    }
    return [...parts, text.slice(from)];
  }

  private row(entity: Entity): HTMLElement {
    const type = element("span", { class: "type", "data-colour": this.colour(entity.type) });
    type.append(nameOf(entity));
    const probability = element("span", { class: "number" }, percent(entity.probability));
    return element("li", {}, type, element("span", {}, entity.text), probability);
  }

  private colour(type: string): string {
    if (!this.colours.has(type)) this.colours.set(type, this.colours.size % COLOURS);
    return `${this.colours.get(type)}`;
  }
}

function nameOf({ type }: Entity): string {
  return type.replaceAll("_", " ");
}
