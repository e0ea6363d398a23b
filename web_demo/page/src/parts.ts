import { element } from "./element.js";

/** Returns a probability in words, such as "98 %". */
export function percent(probability: number): string {
  return `${Math.round(100 * probability)}\u00A0%`;
}

/** Returns a cosine in words, such as "0.45"; one just below 0 is "0.00". */
export function cosineInWords(cosine: number): string {
  return cosine.toFixed(2).replace("-0.00", "0.00");
}

/** Makes a bar of this share of its length; the number beside it says the same. */
export function bar(share: number): HTMLElement {
  const filled = element("span");
  filled.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, filled);
}

/** Shows and tells which button of a list is chosen. */
export function choose(list: HTMLElement, chosen: HTMLButtonElement): void {
  for (const button of list.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", `${button === chosen}`);
  }
}

/** Makes a button for each sample text. */
export function samples(texts: readonly string[], use: (text: string) => void): HTMLElement {
  const list = element("ul", { class: "samples", "aria-label": "Samples" });
  for (const text of texts) {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => use(text));
    list.append(element("li", {}, button));
  }
  return list;
}
