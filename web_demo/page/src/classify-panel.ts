import type { Classes, LabelledClass } from "mobilebert-core";
import { element } from "./element.js";
import { Latest } from "./latest.js";
import type { ModelClient } from "./model-client.js";
import type { LoadedModel } from "./protocol.js";

const SAMPLES = [
  "A film to remember: funny, warm and beautifully played.",
  "It drags for two hours and goes nowhere.",
];

/** Classifies a text while it is typed. */
export class ClassifyPanel {
  readonly root = element("section", { "aria-label": "Classify as you type" });
  private readonly text = element("textarea", { id: "text", rows: "4" });
  private readonly classes = element("ul", { class: "classes", "aria-label": "Classes" });
  private readonly facts = element("p", { class: "quiet" }, "Loading the model ...");
  private readonly latency = element("p", { class: "quiet", "aria-live": "off" });
  private readonly alert = element("p", { role: "alert" });
  private readonly typed = new Latest<string>((text) => this.classify(text));

  constructor(private readonly client: ModelClient) {
    const label = element("label", { for: "text" }, "Your text");
    this.text.addEventListener("input", () => this.typed.give(this.text.value));
    const samples = SAMPLES.map((sample, index) => {
      const button = element("button", { type: "button" }, `Sample ${index + 1}`);
      button.addEventListener("click", () => this.show(sample));
      return button;
    });
    this.root.append(
      label,
      this.text,
      ...samples,
      this.classes,
      this.latency,
      this.facts,
      this.alert,
    );
  }

  /** Loads the model of a folder, and classifies a sample. */
  async load(folder: string): Promise<void> {
    try {
      this.facts.textContent = describe(await this.client.ask("load", folder));
      if (this.text.value === "") this.show(SAMPLES[0]!);
      else await this.typed.give(this.text.value);
    } catch (error) {
      this.facts.textContent = "";
      this.fail(error);
    }
  }

  private show(text: string): void {
    this.text.value = text;
    this.typed.give(text);
  }

  private async classify(text: string): Promise<void> {
    try {
      const found = await this.client.ask("classify", text);
      this.classes.replaceChildren(...found.classes.map(row));
      this.latency.textContent = describeLatency(found);
      this.alert.textContent = "";
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.classes.replaceChildren();
    this.alert.textContent = error instanceof Error ? error.message : String(error);
  }
}

function row({ label, probability }: LabelledClass): HTMLElement {
  const percent = `${Math.round(100 * probability)} %`;
  const filled = element("span");
  filled.style.width = `${100 * probability}%`;
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.append(filled);
  const item = element("li");
  item.append(element("span", {}, label), bar, element("span", { class: "percent" }, percent));
  return item;
}

function describe({ name, bytes, backend, threads }: LoadedModel): string {
  const size = (bytes / 1e6).toFixed(1);
  return `${name}, ${size} MB, ${backend}, ${threads === 1 ? "1 thread" : `${threads} threads`}`;
}

function describeLatency({ latency, isCut }: Classes): string {
  if (latency === null) return "";
  const median = latency.median === null ? "" : `, then ${latency.median.toFixed(0)} ms`;
  const cut = isCut ? " The model read only the beginning." : "";
  return `First run ${latency.first.toFixed(0)} ms${median}.${cut}`;
}
