import { element } from "./element.js";

/** A part of a text that is marked. */
export interface MarkedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A text area whose text can be marked in place: behind it lies the same text, invisible but for
 * its marks.
 */
export class HighlightedText {
  readonly area: HTMLTextAreaElement;
  readonly root = element("div", { class: "highlighted" });
  private readonly behind = element("div", { class: "behind", "aria-hidden": "true" });
  // A mark that was not scrolled to yet.
  private unseen: HTMLElement | null = null;

  constructor(id: string, onInput: () => void) {
    this.area = element("textarea", { id, spellcheck: "false" });
    this.area.addEventListener("input", () => {
      this.clear();
      onInput();
    });
    this.area.addEventListener("scroll", () => this.follow());
    // What is hidden has no size and cannot scroll; it is looked at again when it is shown.
    new ResizeObserver(() => this.reveal()).observe(this.area);
    this.root.append(this.behind, this.area);
  }

  get value(): string {
    return this.area.value;
  }

  set value(text: string) {
    this.area.value = text;
    this.clear();
  }

  /** Marks a part of the text and scrolls to it. */
  mark({ start, end }: MarkedRange): void {
    const text = this.value;
    const mark = element("mark", {}, text.slice(start, end));
    // A line end at the end of a text has no height of its own.
    this.behind.replaceChildren(text.slice(0, start), mark, `${text.slice(end)}\n`);
    this.unseen = mark;
    this.reveal();
  }

  clear(): void {
    this.behind.replaceChildren();
    this.unseen = null;
  }

  /** Scrolls to the mark, once. */
  private reveal(): void {
    const room = this.area.clientHeight;
    if (this.unseen === null || room === 0) return;
    const { offsetTop, offsetHeight } = this.unseen;
    this.unseen = null;
    const top = offsetTop - this.area.scrollTop;
    if (top < 0 || top + offsetHeight > room) this.area.scrollTop = offsetTop - room / 3;
    this.follow();
  }

  private follow(): void {
    this.behind.scrollTop = this.area.scrollTop;
  }
}
