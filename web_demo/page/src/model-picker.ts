import type { Latency } from "mobilebert-core";
import { element } from "./element.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import type { LoadedModel } from "./protocol.js";

/** Chooses and loads the model of a tab, and shows what runs it and how fast. */
export class ModelPicker {
  readonly root = element("section", { class: "model", "aria-label": "Model" });
  private readonly select = element("select");
  private readonly state = element("p", { class: "quiet", role: "status" });
  private readonly facts = element("dl", { class: "facts" });
  private loaded: ListedModel | null = null;
  private loads = 0;

  /**
   * @param models those that do what the tab does; at least one.
   * @param onChange called when the user picks another one.
   */
  constructor(
    private readonly client: ModelClient,
    private readonly models: readonly ListedModel[],
    onChange: () => void,
  ) {
    for (const [number, { name, recipe, bytes }] of models.entries()) {
      const option = `${name}, ${recipe} · ${megabytes(bytes)}`;
      this.select.append(element("option", { value: `${number}` }, option));
    }
    this.select.addEventListener("change", onChange);
    const label = element("label", { class: "field" }, element("span", {}, "Model"), this.select);
    this.root.append(label, this.facts, this.state);
  }

  /** The model that is chosen, ready or not. */
  get chosen(): ListedModel {
    return this.models[Number(this.select.value)]!;
  }

  /** The folder of the model that is ready; null if none is. */
  get folder(): string | null {
    return this.loaded?.folder ?? null;
  }

  /**
   * Loads the chosen model.
   *
   * @returns whether it is ready; false if another one was chosen meanwhile.
   * @throws ModelError if it cannot be used.
   */
  async load(): Promise<boolean> {
    const number = ++this.loads;
    const model = this.chosen;
    const before = this.loaded;
    this.loaded = null;
    this.facts.replaceChildren();
    this.state.textContent = `Loading ${model.name}, ${megabytes(model.bytes)} …`;
    try {
      if (before !== null) await this.client.ask("close", before.folder);
      const { folder, version } = model;
      const found = await this.client.ask("load", { folder, version });
      if (number !== this.loads) {
        this.drop(model);
        return false;
      }
      this.loaded = model;
      this.show(model, found);
      return true;
    } catch (error) {
      if (number !== this.loads) return false;
      throw error;
    } finally {
      if (number === this.loads) this.state.textContent = "";
    }
  }

  /** Shows how long the model's runs took. */
  showLatency(latency: Latency | null): void {
    if (latency === null) return;
    this.fact("First run", milliseconds(latency.first));
    if (latency.median !== null) this.fact("Median", milliseconds(latency.median));
  }

  /** Closes a model that is not wanted any more. */
  private drop({ folder }: ListedModel): void {
    if (this.chosen.folder !== folder) this.client.ask("close", folder);
  }

  private show({ bytes, score }: ListedModel, { backend, threads, length }: LoadedModel): void {
    // A phone cuts the end of a long name in the list, where the size stands too.
    this.fact("Size", megabytes(bytes));
    this.fact("Runs on", backend);
    this.fact("Threads", `${threads}`);
    this.fact("Reads at once", `${length} tokens`);
    if (score !== null) {
      const metric = score.metric.replaceAll("_", " ");
      this.fact(`Score on ${score.task}`, `${metric} ${score.value.toFixed(2)}`);
    }
  }

  private fact(name: string, value: string): void {
    const known = this.facts.querySelector(`[data-fact="${name}"] dd`);
    if (known !== null) {
      known.textContent = value;
      return;
    }
    const pair = element("div", { "data-fact": name });
    pair.append(element("dt", {}, name), element("dd", {}, value));
    this.facts.append(pair);
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}
