import { type Entity, InputError, ModelError, NoText } from "mobilebert-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AskPanel } from "../src/ask-panel.js";
import { EntitiesPanel } from "../src/entities-panel.js";
import type { ModelClient } from "../src/model-client.js";
import type { Panel } from "../src/panel.js";
import type { Question } from "../src/protocol.js";
import { SearchPanel } from "../src/search-panel.js";
import { checkArguments, FakeElement } from "./fake-document.js";

beforeAll(() => {
  vi.stubGlobal("document", { createElement: () => new FakeElement() });
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
    },
  );
});
afterAll(() => vi.unstubAllGlobals());

/** Opens a panel whose model answers by a function, and returns its root. */
async function opened<I>(
  Made: new (...args: ConstructorParameters<typeof AskPanel>) => Panel<I>,
  kind: string,
  answer: (input: never) => unknown,
): Promise<FakeElement> {
  const ask = async (type: string, argument: { input: never }) =>
    type === "load" ? { length: 64, backend: "none", threads: 1 } : answer(argument.input);
  const facts = { folder: "a", version: "b", name: "c", recipe: "d", bytes: 1 };
  const model = { ...facts, kind, score: null, samples: [] };
  const panel = new Made({ ask } as unknown as ModelClient, [model]);
  await panel.open();
  return panel.root as unknown as FakeElement;
}

function only(root: FakeElement, name: string, value: string): FakeElement {
  const [found, ...others] = root.all(name, value);
  expect(others).toEqual([]);
  return found!;
}

/** Types a text into a field and waits until the panel has answered. */
async function type(root: FakeElement, id: string, text: string): Promise<void> {
  const field = only(root, "id", id);
  field.value = text;
  field.dispatchEvent(new Event("input"));
  await new Promise((resolve) => setTimeout(resolve));
}

function hasTokens(text: string): boolean {
  return /[a-z]/.test(text);
}

test("any number of entities is marked and listed", async () => {
  const count = 20_000;
  const entities = Array.from({ length: count }, (_, number): Entity => {
    return { type: "Dish", text: "pie", start: 4 * number, end: 4 * number + 3, probability: 1 };
  });
  const text = "pie ".repeat(count);
  const root = await opened(EntitiesPanel, "tagging", (asked) => {
    return { entities: asked === text ? entities : [], latency: null };
  });
  const [push, max] = [Array.prototype.push, Math.max];
  try {
    Array.prototype.push = function (...items) {
      checkArguments(items);
      return push.apply(this, items);
    };
    Math.max = (...values) => {
      checkArguments(values);
      return max(...values);
    };
    await type(root, "wish", text);
  } finally {
    Array.prototype.push = push;
    Math.max = max;
  }
  expect(only(root, "class", "alert").textContent).toBe("");
  const marked = only(root, "class", "marked");
  expect(marked.textContent).toBe(text);
  expect(marked.children.filter((child) => typeof child !== "string")).toHaveLength(count);
  expect(only(root, "class", "entities").children).toHaveLength(count);
});

test("a text without tokens is a missing one", async () => {
  const root = await opened(EntitiesPanel, "tagging", (text) => {
    if (!hasTokens(text)) throw new NoText("There is no text.");
    return { entities: [], latency: null };
  });
  const marked = only(root, "class", "marked");
  expect(marked.textContent).toBe("The model found no entities.");
  await type(root, "wish", "\u200b");
  expect(marked.textContent).toBe("Type a text.");
  expect(only(root, "class", "alert").textContent).toBe("");
  await type(root, "wish", "pie");
  expect(marked.textContent).toBe("The model found no entities.");
});

test("the model can be loaded again unless the text is what is wrong", async () => {
  const root = await opened(EntitiesPanel, "tagging", (text) => {
    if (text === "pie") throw new ModelError("The model did not run.");
    throw new InputError("This text is too long.");
  });
  const alert = only(root, "class", "alert");
  expect(alert.textContent).toBe("This text is too long.");
  await type(root, "wish", "pie");
  expect(alert.textContent).toBe("The model did not run.Load the model again");
});

test("a question without tokens is told from a passage without them", async () => {
  const root = await opened(AskPanel, "question_answering", ({ question, passage }: Question) => {
    if (!hasTokens(question)) throw new NoText("There is no question.");
    if (!hasTokens(passage)) throw new NoText("There is no passage.", true);
    return { best: null, alternatives: [], nullOdds: 0, isCut: false, latency: null };
  });
  const answer = only(root, "class", "answer");
  const ask = async (question: string, passage: string): Promise<string> => {
    await type(root, "passage", passage);
    only(root, "id", "question").value = question;
    only(root, "class", "asking").dispatchEvent(new Event("submit"));
    await new Promise((resolve) => setTimeout(resolve));
    expect(only(root, "class", "alert").textContent).toBe("");
    return answer.textContent;
  };
  expect(await ask("", "it")).toBe("Ask something about the passage.");
  expect(await ask("\u200b", "it")).toBe("Ask something about the passage.");
  expect(await ask("who?", "\u200b")).toBe("There is no passage.");
  expect(await ask("who?", "it")).toBe("The passage does not answer this question.");
});

test("the search leaves out lines without tokens", async () => {
  const asked: string[] = [];
  const root = await opened(SearchPanel, "embedding", (text: string) => {
    asked.push(text);
    if (!hasTokens(text)) throw new NoText("There is no text.");
    return { values: text === "a sea" ? [1, 0] : [1, 1], isCut: false, latency: null };
  });
  const missing = "Type what you look for, and put lines to search in beside it.";
  const found = only(root, "class", "found");
  await type(root, "query", "a sea");
  await type(root, "lines", "\u200b\na ship\n\u0301\na sea");
  expect(found.children.map((row) => (row as FakeElement).textContent)).toEqual([
    "a sea1.00",
    "a ship0.71",
  ]);
  expect(root.textContent).toContain("2 lines compared.");
  // They are asked about once, as the others are.
  asked.length = 0;
  await type(root, "query", "ships");
  expect(asked).toEqual(["ships"]);
  for (const [query, lines] of [
    ["ships", "\u200b\n\u0301"],
    ["\u200b", "a ship"],
    ["", "a ship"],
  ] as const) {
    await type(root, "lines", lines);
    await type(root, "query", query);
    expect(root.textContent).toContain(missing);
    expect(found.children).toEqual([]);
    expect(only(root, "class", "alert").textContent).toBe("");
  }
});
