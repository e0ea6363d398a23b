import { InputError, NoText } from "mobilebert-core";
import { element } from "./element.js";
import { Latest } from "./latest.js";
import type { AskOptions, ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { ModelPicker } from "./model-picker.js";
import type { Requests, Step, Use, Uses } from "./protocol.js";

/** What a panel is called, and for which models it is. */
export interface Face {
  readonly id: string;
  /** On its tab. */
  readonly name: string;
  readonly heading: string;
  readonly lead: string;
  readonly kinds: readonly string[];
}

/** A use of a model: fields for the input, the result, and the model. */
export abstract class Panel<I> {
  readonly root = element("section", { class: "panel", tabindex: "-1" });
  protected readonly inputs = element("div", { class: "inputs" });
  protected readonly results = element("div", { class: "results" });
  private readonly picker: ModelPicker | null;
  private readonly runs = new Latest<I>((input, signal) => this.run(input, signal));
  // For screen readers: the result in a sentence.
  private readonly summary = element("p", { class: "unseen", role: "status" });
  private readonly message = element("span");
  private readonly alert = element("div", { class: "alert", role: "alert" }, this.message);
  private readonly bar = element("progress", { "aria-label": "Progress" });
  private readonly step = element("span", { class: "quiet" });
  private readonly progress = element("div", { class: "progress", hidden: "" });
  private isOpened = false;
  private loads = 0;

  constructor(
    readonly face: Face,
    private readonly client: ModelClient,
    models: readonly ListedModel[],
  ) {
    const own = models.filter(({ kind }) => face.kinds.includes(kind));
    this.picker = own.length === 0 ? null : new ModelPicker(client, own, () => this.load());
    const stop = element("button", { type: "button", class: "plain" }, "Stop");
    stop.addEventListener("click", () => this.stop("Stopped."));
    this.progress.append(this.bar, this.step, stop);
    const heading = element("div", { class: "heading" });
    heading.append(element("h2", {}, face.heading), element("p", { class: "quiet" }, face.lead));
    const columns = element("div", { class: "columns" }, this.inputs, this.results);
    this.root.append(heading, this.alert, columns, this.summary);
    if (this.picker !== null) this.root.append(this.picker.root);
  }

  /** Whether there is a model for this use. */
  get hasModel(): boolean {
    return this.picker !== null;
  }

  /** Shows the panel's sample and loads its model, the first time. */
  async open(): Promise<void> {
    if (this.isOpened) return;
    this.isOpened = true;
    this.inputs.append(this.progress);
    this.showSample();
    if (this.picker === null) {
      this.warn(`There is no model for ${this.face.kinds[0]!.replace("_", " ")} beside this page.`);
    } else await this.load();
  }

  /** Puts a sample into the fields. */
  protected abstract showSample(): void;

  /** Returns what is in the fields; null if something is missing. */
  protected abstract input(): I | null;

  /** Asks the model, and shows the result. */
  protected abstract work(input: I, signal: AbortSignal): Promise<string>;

  /** Shows that there is no result, and why. */
  protected abstract clear(why: string): void;

  /** Why there is no result if something is missing in the fields. */
  protected abstract readonly missing: string;

  /** Why there is no result if a text in the fields has no tokens, as a zero-width space has none. */
  protected whatIsMissing(_: NoText): string {
    return this.missing;
  }

  /** Forgets what belongs to the model before. */
  protected forget(): void {}

  /** Works on what is in the fields now. */
  protected async start(): Promise<void> {
    if (this.picker === null || this.picker.folder === null) return;
    const input = this.input();
    if (input !== null) {
      await this.runs.give(input);
      return;
    }
    this.stop(this.missing);
  }

  /** The sample texts of the chosen model, which may have none. */
  protected get samples(): readonly string[] {
    return this.picker?.chosen.samples ?? [];
  }

  /** Says a sentence to screen readers. */
  protected announce(sentence: string): void {
    this.summary.textContent = sentence;
  }

  /** Asks the panel's model. */
  protected async ask<U extends Use>(
    use: U,
    input: Uses[U]["input"],
    options: AskOptions,
  ): Promise<Uses[U]["result"]> {
    const folder = this.picker?.folder ?? "";
    const argument = { folder, input } as Requests[U]["argument"];
    const result: Uses[U]["result"] = await this.client.ask(use, argument, options);
    this.picker?.showLatency(result.latency);
    return result;
  }

  /** Shows how far the work is; a single step is too short to be seen. */
  protected showStep({ number, count }: Step, noun: string): void {
    this.progress.hidden = count === 1;
    this.bar.max = count;
    this.bar.value = number - 1;
    this.step.textContent = `${noun} ${number} of ${count}`;
  }

  private async load(): Promise<void> {
    this.forget();
    this.stop("The model is loading …");
    const number = ++this.loads;
    this.root.setAttribute("aria-busy", "true");
    try {
      if (!(await this.picker!.load())) return;
      this.clear(this.missing);
    } catch (error) {
      this.warn(error instanceof Error ? error.message : String(error));
      return;
    } finally {
      if (number === this.loads) this.root.removeAttribute("aria-busy");
    }
    await this.start();
  }

  private async run(input: I, signal: AbortSignal): Promise<void> {
    try {
      this.announce(await this.work(input, signal));
      this.warn("");
    } catch (error) {
      // Whoever ended the work has updated the page.
      if (signal.aborted) return;
      if (error instanceof NoText) {
        this.warn("");
        this.tell(this.whatIsMissing(error));
        return;
      }
      const canLoad = !(error instanceof InputError);
      this.warn(error instanceof Error ? error.message : String(error), canLoad);
    } finally {
      this.hideProgress();
    }
  }

  /** Ends the work under way, and shows why there is no result. */
  private stop(why: string): void {
    this.runs.stop();
    this.hideProgress();
    this.warn("");
    this.tell(why);
  }

  /** Shows that there is no result, and why, to eyes and ears. */
  protected tell(why: string): void {
    this.clear(why);
    this.announce(why);
  }

  private hideProgress(): void {
    const hadFocus = this.progress.contains(document.activeElement);
    this.progress.hidden = true;
    if (hadFocus) this.keepFocus();
  }

  /** Gives the focus of a button that is no longer there to the panel. */
  private keepFocus(): void {
    this.root.focus({ preventScroll: true });
  }

  /**
   * Shows what is wrong; an empty sentence takes it away.
   *
   * @param canLoad whether it may help to load the model again.
   */
  private warn(sentence: string, canLoad = true): void {
    this.message.textContent = sentence;
    this.alert.querySelector("button")?.remove();
    if (sentence === "") return;
    this.tell("");
    if (this.picker === null || !canLoad) return;
    const again = element("button", { type: "button", class: "plain" }, "Load the model again");
    again.addEventListener("click", () => {
      this.load();
      this.keepFocus();
    });
    this.alert.append(again);
  }
}
