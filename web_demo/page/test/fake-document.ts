/** Fewer than any browser takes: WebKit takes 65,536, and V8 twice as many on a page. */
const MOST_ARGUMENTS = 10_000;

/** Fails for a call that has too many arguments. */
export function checkArguments(given: readonly unknown[]): void {
  if (given.length > MOST_ARGUMENTS) throw new RangeError(`a call of ${given.length} arguments`);
}

/** What the panels use of an element, without a browser. */
export class FakeElement extends EventTarget {
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, string> = {};
  children: (FakeElement | string)[] = [];
  value = "";

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  append(...nodes: (FakeElement | string)[]): void {
    checkArguments(nodes);
    for (const node of nodes) this.children.push(node);
  }

  replaceChildren(...nodes: (FakeElement | string)[]): void {
    checkArguments(nodes);
    this.children = nodes;
  }

  replaceWith(): void {}

  contains(): boolean {
    return false;
  }

  querySelector(): null {
    return null;
  }

  querySelectorAll(): FakeElement[] {
    return [];
  }

  get textContent(): string {
    const texts = this.children.map((child) =>
      typeof child === "string" ? child : child.textContent,
    );
    return texts.join("");
  }

  set textContent(text: string) {
    this.children = [text];
  }

  /** Returns the elements inside with this attribute. */
  all(name: string, value: string): FakeElement[] {
    return this.children.flatMap((child) => {
      if (typeof child === "string") return [];
      const inside = child.all(name, value);
      return child.attributes.get(name) === value ? [child, ...inside] : inside;
    });
  }
}
