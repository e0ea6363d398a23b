import { InputError, type Match, NoText, SearchIndex, type TextOutput } from "mobilebert-core";
import { element } from "./element.js";
import { HighlightedText } from "./highlighted-text.js";
import { type Line, linesOf } from "./lines.js";
import type { ModelClient } from "./model-client.js";
import type { ListedModel } from "./model-list.js";
import { Panel } from "./panel.js";
import { bar, choose, cosineInWords, samples } from "./parts.js";
import { LINES, QUERIES } from "./sample-texts.js";

const FACE = {
  id: "search",
  name: "Search",
  heading: "Search your own lines by meaning",
  lead: "The model compares meanings, so a line need not share a word with what you look for.",
  kinds: ["embedding"],
};
/** The most lines that are compared, and the most that are shown. */
const MOST = 1000;
const SHOWN = 6;
/** The most characters of a line that are shown; the model itself reads no more of most lines. */
const WIDTH = 300;

interface Search {
  readonly query: string;
  readonly lines: readonly Line[];
}

/** Finds the lines that mean most nearly what a query means. */
export class SearchPanel extends Panel<Search> {
  protected readonly missing = "Type what you look for, and put lines to search in beside it.";
  private readonly query = element("input", { id: "query", type: "search", autocomplete: "off" });
  private readonly lines = new HighlightedText("lines", () => this.start());
  private readonly found = element("ol", { class: "found", "aria-label": "Lines that were found" });
  private readonly note = element("p", { class: "quiet" });
  // By line, so that a changed text costs only its new lines; null for a line without tokens.
  private readonly vectors = new Map<string, TextOutput | null>();

  constructor(client: ModelClient, models: readonly ListedModel[]) {
    super(FACE, client, models);
    this.query.addEventListener("input", () => this.start());
    this.inputs.append(
      element("label", { for: "query" }, "What you look for"),
      this.query,
      samples(QUERIES, (query) => {
        this.query.value = query;
        this.start();
      }),
      this.found,
      this.note,
    );
    this.results.append(element("label", { for: "lines" }, "Your lines"), this.lines.root);
  }

  protected showSample(): void {
    this.lines.value = LINES.join("\n");
    this.query.value = QUERIES[0]!;
  }

  protected input(): Search | null {
    const query = this.query.value.trim();
    const lines = linesOf(this.lines.value);
    return query === "" || lines.length === 0 ? null : { query, lines };
  }

  protected override forget(): void {
    this.vectors.clear();
  }

  protected async work({ query, lines }: Search, signal: AbortSignal): Promise<string> {
    if (lines.length > MOST) {
      throw new InputError(`There are ${lines.length} lines, and this page compares ${MOST}.`);
    }
    const wanted = await this.ask("embed", query, { signal });
    const index = new SearchIndex();
    const compared: Line[] = [];
    let cutLines = 0;
    for (const [number, line] of lines.entries()) {
      let vector = this.vectors.get(line.text);
      if (vector === undefined) {
        this.showStep({ number: number + 1, count: lines.length }, "Line");
        vector = await this.embed(line.text, signal);
      }
      if (vector === null) continue;
      index.add(vector.values);
      compared.push(line);
      if (vector.isCut) cutLines++;
    }
    this.forgetOthers(lines);
    if (compared.length === 0) throw new NoText("No line has tokens.");
    const matches = index.search(wanted.values, SHOWN);
    this.show(matches, compared);
    const cuts = [
      cutLines > 0 ? `The model read only the beginning of ${counted(cutLines)}.` : "",
      wanted.isCut ? "The model read only the beginning of what you look for." : "",
    ].filter(Boolean);
    this.note.textContent = [`${counted(compared.length)} compared.`, ...cuts].join(" ");
    const [best] = matches;
    return [...cuts, `Best line: ${cut(compared[best!.index]!.text)}`].join(" ");
  }

  protected clear(why: string): void {
    this.found.replaceChildren();
    this.lines.clear();
    this.note.textContent = why;
  }

  /** Returns the vector of a line, and keeps it; null for a line without tokens. */
  private async embed(text: string, signal: AbortSignal): Promise<TextOutput | null> {
    let found: TextOutput | null = null;
    try {
      found = await this.ask("embed", text, { signal });
    } catch (error) {
      if (!(error instanceof NoText)) throw error;
    }
    this.vectors.set(text, found);
    return found;
  }

  private forgetOthers(lines: readonly Line[]): void {
    const texts = new Set(lines.map(({ text }) => text));
    for (const text of this.vectors.keys()) if (!texts.has(text)) this.vectors.delete(text);
  }

  private show(matches: readonly Match[], lines: readonly Line[]): void {
    const buttons = matches.map(({ index, cosine }) => this.button(lines[index]!, cosine));
    this.found.replaceChildren(
      ...matches.map(({ cosine }, rank) => element("li", {}, buttons[rank]!, bar(cosine))),
    );
    this.mark(lines[matches[0]!.index]!, buttons[0]!);
  }

  private button(line: Line, cosine: number): HTMLButtonElement {
    const button = element("button", { type: "button", class: "row", "aria-pressed": "false" });
    const number = element("span", { class: "number" }, cosineInWords(cosine));
    button.append(element("span", {}, cut(line.text)), number);
    button.addEventListener("click", () => {
      if (this.mark(line, button)) this.announce(`Marked: ${cut(line.text)}`);
    });
    return button;
  }

  /** Marks a line, if it is still there: the lines may have changed since. */
  private mark({ text, start, end }: Line, button: HTMLButtonElement): boolean {
    if (this.lines.value.slice(start, end) !== text) return false;
    this.lines.mark({ start, end });
    choose(this.found, button);
    return true;
  }
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

function cut(text: string): string {
  // Half of a surrogate pair is no character.
  return text.length > WIDTH ? `${text.slice(0, WIDTH).replace(/[\uD800-\uDBFF]$/, "")} …` : text;
}
