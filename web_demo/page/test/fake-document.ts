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
    for (const node of nodes) this.children.push(node);
  }

  replaceChildren(...nodes: (FakeElement | string)[]): void {
    this.children = nodes;
  }

  replaceWith(): void {}

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
