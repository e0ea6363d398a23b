import { element } from "./element.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { type Face, Panel } from "./panel.js";
import { samples } from "./parts.js";

/** A panel that works on one text while it is typed. */
export abstract class TextPanel extends Panel<string> {
  protected readonly missing = "Type a text.";
  private readonly text: HTMLTextAreaElement;
  private list: HTMLElement = element("ul");
  // A text that nobody typed makes way for the next model's sample.
  private offered: readonly string[] = [""];

  /**
   * @param id of the field.
   * @param texts samples for models that have none of their own.
   */
  constructor(
    face: Face,
    client: ModelClient,
    models: readonly ListedModel[],
    id: string,
    private readonly texts: readonly string[],
  ) {
    super(face, client, models);
    this.text = element("textarea", { id, rows: "5" });
    this.text.addEventListener("input", () => this.start());
    this.inputs.append(element("label", { for: id }, "Your text"), this.text, this.list);
  }

  protected showSample(): void {
    const texts = this.samples.length > 0 ? this.samples : this.texts;
    if (this.offered.includes(this.text.value)) this.text.value = texts[0]!;
    this.offered = texts;
    const list = samples(texts, (text) => {
      this.text.value = text;
      this.start();
    });
    this.list.replaceWith(list);
    this.list = list;
  }

  protected override forget(): void {
    this.showSample();
  }

  protected input(): string | null {
    return this.text.value.trim() === "" ? null : this.text.value;
  }
}
