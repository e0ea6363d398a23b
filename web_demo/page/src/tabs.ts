import { element } from "./element.js";

/** What a tab shows. */
export interface Tab {
  readonly id: string;
  readonly name: string;
  readonly root: HTMLElement;
  /** Whether it has what it needs; where the address names no tab, the first such one opens. */
  readonly isUsable: boolean;
  /** Called each time the tab is chosen. */
  open(): void;
}

/**
 * Tabs as the ARIA Authoring Practices describe them: one is reached with Tab, the others from it
 * with the arrow keys, Home and End. The address names the tab, so that it can be linked.
 */
export class Tabs {
  readonly root = element("div", { class: "tabs" });
  private readonly buttons: HTMLButtonElement[] = [];

  /** @param tabs at least one. */
  constructor(
    label: string,
    private readonly tabs: readonly Tab[],
  ) {
    const list = element("div", { role: "tablist", "aria-label": label });
    this.root.append(list);
    for (const [number, { id, name, root }] of tabs.entries()) {
      const button = element(
        "button",
        { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` },
        name,
      );
      button.addEventListener("click", () => this.choose(number));
      root.id = `panel-${id}`;
      root.setAttribute("role", "tabpanel");
      root.setAttribute("aria-labelledby", button.id);
      this.buttons.push(button);
      list.append(button);
    }
    list.addEventListener("keydown", (event) => this.move(event));
    this.root.append(...tabs.map(({ root }) => root));
    addEventListener("hashchange", () => this.show(this.named()));
    this.show(this.named());
  }

  private named(): number {
    const found = this.tabs.findIndex(({ id }) => `#${id}` === location.hash);
    if (found >= 0) return found;
    const usable = this.tabs.findIndex(({ isUsable }) => isUsable);
    return Math.max(usable, 0);
  }

  private choose(number: number): void {
    history.replaceState(null, "", `#${this.tabs[number]!.id}`);
    this.show(number);
  }

  private show(number: number): void {
    for (const [other, button] of this.buttons.entries()) {
      const isChosen = other === number;
      button.setAttribute("aria-selected", `${isChosen}`);
      button.tabIndex = isChosen ? 0 : -1;
      this.tabs[other]!.root.hidden = !isChosen;
    }
    this.tabs[number]!.open();
  }

  private move(event: KeyboardEvent): void {
    const { length } = this.buttons;
    const current = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
    const target = {
      ArrowRight: (current + 1) % length,
      ArrowLeft: (current + length - 1) % length,
      Home: 0,
      End: length - 1,
    }[event.key];
    if (target === undefined || current < 0) return;
    event.preventDefault();
    this.buttons[target]!.focus();
    this.choose(target);
  }
}
