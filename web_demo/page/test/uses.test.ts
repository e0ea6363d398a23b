import { describe, expect, test } from "vitest";
import { site } from "./site.js";

const at = site();

/** Returns the marked part of a passage or of lines. */
function marked(tab: string): Promise<string | null> {
  return at.panel(tab).locator(".behind mark").textContent();
}

describe("asking a passage", () => {
  test("a sample is answered at once, and its answer is marked in the passage", async () => {
    const panel = await at.open("ask");
    await panel.locator(".best").getByText("1998").waitFor();
    expect(await marked("ask")).toBe("1998");
    expect(await panel.getByRole("status").first().textContent()).toMatch(/^1998, \d+\s%$/);
    await panel.getByRole("button", { name: "How many passengers" }).click();
    await panel.locator(".best").getByText("88,000", { exact: true }).waitFor();
    expect(await marked("ask")).toBe("88,000");
    await panel.getByText("Median").waitFor();
  });

  test("an alternative is marked when it is chosen", async () => {
    const panel = await at.open("ask");
    const other = panel.locator(".alternatives button").first();
    const text = await other.locator("span").first().textContent();
    expect(text).not.toBe("1998");
    const pressed = panel.locator(".alternatives [aria-pressed=true]");
    expect(await pressed.count()).toBe(0);
    await other.click();
    expect(await marked("ask")).toBe(text);
    expect(await pressed.locator("span").first().textContent()).toBe(text);
    const said = await panel.getByRole("status").first().textContent();
    expect(said!.startsWith(`Marked: ${text}, `)).toBe(true);
  });

  test("that a question is too long is said", async () => {
    const panel = await at.open("ask");
    expect(await panel.getByText("only the beginning of the question").count()).toBe(0);
    await panel.getByLabel("Your question").fill("When did she leave service ? ".repeat(20));
    await panel.getByLabel("Your question").press("Enter");
    await panel.locator(".answer").getByText("only the beginning of the question").waitFor();
    expect(await panel.getByRole("status").first().textContent()).toContain("only the beginning");
  });

  test("a passage of one's own is asked, by keyboard", async () => {
    const panel = await at.open("ask");
    const passage = "The bakery in Elm Street opens at six.\n\nIts owner is Rosa Lind.";
    await panel.getByLabel("Passage").fill(passage);
    // The old answer's place means nothing in another text.
    expect(await panel.locator(".behind mark").count()).toBe(0);
    await panel.getByLabel("Your question").fill("Who is the owner of the bakery?");
    await panel.getByLabel("Your question").press("Enter");
    await panel.locator(".best").waitFor();
    const answer = await panel.locator(".best strong").textContent();
    expect(passage).toContain(answer);
    expect(await marked("ask")).toBe(answer);
  });

  test("a long passage shows its windows, and can be stopped", async () => {
    const panel = await at.open("ask");
    const sample = await panel.getByLabel("Passage").inputValue();
    await panel.getByLabel("Passage").fill(sample.repeat(600));
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    await panel.getByText(/^Window \d+ of \d\d\d+$/).waitFor();
    await panel.getByRole("progressbar").waitFor();
    await panel.getByRole("button", { name: "Stop" }).click();
    await panel.locator(".answer").getByText("Stopped.").waitFor();
    expect(await panel.getByRole("status").first().textContent()).toBe("Stopped.");
    expect(await panel.getByRole("progressbar").count()).toBe(0);
    expect(await at.page.evaluate(() => document.activeElement!.id)).toBe("panel-ask");
    await panel.getByLabel("Passage").fill(sample.repeat(3));
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    await panel.locator(".best").waitFor();
  });

  test("the focus does not fall from Stop to the page when the work ends", async () => {
    const panel = await at.open("ask");
    const sample = await panel.getByLabel("Passage").inputValue();
    await panel.getByLabel("Passage").fill(sample.repeat(60));
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    await panel.getByRole("button", { name: "Stop" }).focus();
    await panel.locator(".best").waitFor();
    await expect.poll(() => at.page.evaluate(() => document.activeElement!.id)).toBe("panel-ask");
  });

  test("while a long passage is read, other tabs work", async () => {
    const panel = await at.open("ask");
    const sample = await panel.getByLabel("Passage").inputValue();
    await panel.getByLabel("Passage").fill(sample.repeat(600));
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    const window = panel.getByText(/^Window \d+ of \d\d\d+$/);
    await window.waitFor();
    await at.page.getByRole("tab", { name: "Classify" }).click();
    await at.panel("classify").locator(".classes li").first().waitFor();
    await at.page.getByRole("tab", { name: "Ask" }).click();
    await window.waitFor();
  });

  test("an answer that came while its tab was hidden is scrolled to", async () => {
    const panel = await at.open("ask");
    const area = panel.getByLabel("Passage");
    await area.fill(`${"Nothing is told here.\n".repeat(60)}${await area.inputValue()}`);
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    await at.page.getByRole("tab", { name: "Classify" }).click();
    await panel.locator(".behind mark").waitFor({ state: "attached" });
    expect(await area.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await at.page.getByRole("tab", { name: "Ask" }).click();
    await expect.poll(() => area.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(100);
  });

  test("without an answer it says so, and shows the model's guesses", async () => {
    at.changeFacts("ask", { settings: { null_threshold: -1000 } });
    const panel = await at.open("ask");
    await panel.locator(".none").getByText("The passage does not answer").waitFor();
    await panel.getByText("The model's guesses all the same").waitFor();
    expect(await panel.locator(".alternatives").textContent()).toContain("1998");
    expect(await panel.locator(".behind mark").count()).toBe(0);
  });

  test("without a question or a passage it says what is missing", async () => {
    const panel = await at.open("ask");
    await panel.getByLabel("Your question").fill(" ");
    await panel.getByLabel("Your question").press("Enter");
    const said = panel.locator(".answer");
    await said.getByText("Ask something about the passage.").waitFor();
    await panel.getByLabel("Your question").fill("Who?");
    await panel.getByLabel("Passage").fill("");
    await panel.getByLabel("Your question").press("Enter");
    await said.getByText("There is no text to look in: give a passage.").waitFor();
    await panel.getByLabel("Your question").fill("\u200b");
    await panel.getByLabel("Your question").press("Enter");
    await said.getByText("Ask something about the passage.").waitFor();
    expect(await panel.locator(".alert").textContent()).toBe("");
  });
});

describe("searching by meaning", () => {
  test("finds a line that shares no word with the query", async () => {
    const panel = await at.open("search");
    const best = panel
      .getByRole("listitem")
      .filter({ has: at.page.locator(".bar") })
      .first();
    await best.getByText("Our cat needs her tablets every evening").waitFor();
    expect(await marked("search")).toBe("Our cat needs her tablets every evening");
    await panel.getByLabel("What you look for").fill("railway departure");
    await best.getByText("The train to Basel leaves from platform seven").waitFor();
  });

  test("reads only new lines again", async () => {
    const panel = await at.open("search");
    const lines = panel.getByLabel("Your lines");
    await lines.fill(`${await lines.inputValue()}\nThe vet gave us pills for the dog`);
    await panel.getByText("11 lines compared.").waitFor();
    await panel.getByRole("listitem").getByText("The vet gave us pills").waitFor();
    await panel.getByRole("button", { name: "The vet gave us pills" }).click();
    expect(await marked("search")).toBe("The vet gave us pills for the dog");
    expect(await panel.getByRole("status").first().textContent()).toBe(
      "Marked: The vet gave us pills for the dog",
    );
    expect(await panel.locator(".found [aria-pressed=true] span").first().textContent()).toBe(
      "The vet gave us pills for the dog",
    );
  });

  test("says of which texts the model read only the beginning", async () => {
    const panel = await at.open("search");
    const long = "the cat needs her tablets ".repeat(100);
    expect(await panel.getByText("only the beginning").count()).toBe(0);
    await panel.getByLabel("Your lines").fill(`one line\n${long}\nthe last ${long}`);
    await panel.getByText("The model read only the beginning of 2 lines.").first().waitFor();
    await panel.getByLabel("What you look for").fill(long);
    await panel.getByText("only the beginning of what you look for").first().waitFor();
  });

  test("a result of other lines marks nothing, and half a character is not shown", async () => {
    const panel = await at.open("search");
    const lines = panel.getByLabel("Your lines");
    await panel.locator(".behind mark").waitFor({ state: "attached" });
    const many = Array.from({ length: 900 }, (_, number) => `line ${number}`).join("\n");
    await lines.fill(`${many}\n${await lines.inputValue()}`);
    await panel.getByText(/^Line \d+ of 9\d\d$/).waitFor();
    await panel.locator(".found button").first().click();
    expect(await panel.locator(".behind mark").count()).toBe(0);
    await lines.fill(`${"x".repeat(299)}\u{1F600}\u{1F600}`);
    await panel.getByText("1 line compared.").waitFor();
    expect(await panel.locator(".found button span").first().textContent()).toBe(
      `${"x".repeat(299)} …`,
    );
  });

  test("what ends work under way stays to be read", async () => {
    const panel = await at.open("search");
    const many = Array.from({ length: 900 }, (_, number) => `line ${number}`).join("\n");
    await panel.getByLabel("Your lines").fill(many);
    await panel.getByText(/^Line \d+ of 900$/).waitFor();
    const seen = await panel.evaluateHandle((root) => {
      const texts: string[] = [];
      new MutationObserver(() => texts.push(root.textContent ?? "")).observe(root, {
        childList: true,
        characterData: true,
        subtree: true,
      });
      return texts;
    });
    await panel.getByLabel("Your lines").fill("\n\n");
    await panel.getByText("put lines to search in beside it.").first().waitFor();
    expect(await panel.getByRole("progressbar").count()).toBe(0);
    // The worker takes one request after the other: with this answer the old work has ended.
    await panel.getByLabel("Your lines").fill("one line");
    await panel.getByText("1 line compared.").waitFor();
    const wrong = /Stopped|900 lines compared/;
    expect((await seen.jsonValue()).filter((text) => wrong.test(text))).toEqual([]);
  });

  test("says what is missing, and how many lines are too many", async () => {
    const panel = await at.open("search");
    await panel.getByLabel("Your lines").fill("\n\n");
    await panel.getByText("put lines to search in beside it.").first().waitFor();
    await panel.getByLabel("Your lines").fill("\u200b\none line\n\u0301");
    await panel.getByText("1 line compared.").waitFor();
    await panel.getByLabel("Your lines").fill("\u200b\n\u0301");
    await panel.getByText("put lines to search in beside it.").first().waitFor();
    await panel.getByLabel("Your lines").fill("line\n".repeat(1001));
    const alert = panel.getByRole("alert");
    await alert.getByText("There are 1001 lines").waitFor();
    // Another attempt with these lines would fail as well.
    expect(await alert.getByRole("button").count()).toBe(0);
  });
});

describe("classifying", () => {
  test("a sample is classified at once, then what is typed", async () => {
    const panel = await at.open("classify");
    const first = panel.getByRole("list", { name: "Classes" }).getByRole("listitem").first();
    expect(await first.textContent()).toMatch(/^positive\d+\s%$/);
    await panel.getByLabel("Your text").fill("It drags for two hours and goes nowhere.");
    await first.getByText("negative").waitFor();
    await panel.getByLabel("Your text").fill("");
    await panel.locator(".columns").getByText("Type a text.").waitFor();
    expect(await first.count()).toBe(0);
  });

  test("goes on while another tab waits for its model's file", async () => {
    at.hold("search", "model.tflite");
    const panel = await at.open("classify");
    await at.page.getByRole("tab", { name: "Search" }).click();
    await expect.poll(() => at.server.requests.at(-1)).toMatch(/embedding.*model\.tflite$/);
    await at.page.getByRole("tab", { name: "Classify" }).click();
    await panel.getByLabel("Your text").fill("It drags for two hours and goes nowhere.");
    await panel.locator(".classes li").first().getByText("negative").waitFor();
  });

  test("several labels are shown as the model chooses them", async () => {
    const settings = { threshold: 0 };
    at.changeFacts("classify", { kind: "multi_label", settings });
    let panel = await at.open("classify");
    expect(await panel.locator(".classes .chosen").count()).toBe(2);
    at.changeFacts("classify", { kind: "multi_label", settings: { threshold: 1 } });
    await at.context.close();
    at.context = await at.browser.newContext();
    at.page = await at.context.newPage();
    panel = await at.open("classify");
    await panel.getByText("No label is probable enough.").first().waitFor();
    expect(await panel.locator(".classes li").count()).toBe(2);
  });
});

test("of many labels the likeliest are shown, as bars", async () => {
  const panel = await at.open("classify");
  const picker = panel.getByRole("combobox", { name: "Model" });
  const names = await picker.locator("option").allTextContents();
  await picker.selectOption({ index: names.findIndex((name) => name.includes("emotion")) });
  await panel.locator(".classes .chosen").getByText("gratitude").waitFor();
  expect(await panel.locator(".classes li").count()).toBe(8);
  expect(await panel.locator(".classes .bar").count()).toBe(8);
  await panel.getByText(/^8 of \d\d classes\.$/).waitFor();
});

test("names of classes are said without underlines", async () => {
  at.changeFacts("classify", { labels: ["not_good", "very_good"] });
  at.change("classify", "labels.txt", "not_good\nvery_good\n");
  const panel = await at.open("classify");
  expect(await panel.getByRole("status").first().textContent()).toMatch(/^very good, \d+\s%/);
});

test("entities are marked in the text and listed", async () => {
  const panel = await at.open("entities");
  const list = panel.getByRole("list", { name: "Entities" });
  await list.getByText("near the river").waitFor();
  expect(await panel.locator(".marked mark").allInnerTexts()).toEqual([
    "cheap",
    "thai",
    "open after ten",
    "near the river",
  ]);
  expect(await list.getByRole("listitem").first().textContent()).toMatch(/^Pricecheap\d+\s%$/);
  await panel.getByLabel("Your text").fill("hello");
  await panel.locator(".marked").getByText("The model found no entities.").waitFor();
});

describe("the model of a tab", () => {
  test("is named with size and score, and with what runs it", async () => {
    const panel = await at.open("classify");
    const chosen = panel.getByRole("combobox", { name: "Model" }).locator("option:checked");
    expect(await chosen.textContent()).toBe("mobilebert_mini_sst2, int8 · 7.4 MB");
    const facts = await at.facts("classify");
    const list = await (await fetch(`${at.server.address}models.json`)).json();
    const { score } = list.models.find(({ kind }: { kind: string }) => kind === "classification");
    expect(facts).toMatchObject({
      Size: "7.4 MB",
      "Runs on": "WebAssembly, relaxed SIMD",
      Threads: "1",
      "Reads at once": "64 tokens",
      "Score on sst2": `accuracy ${score.value.toFixed(2)}`,
      "First run": expect.stringMatching(/^[\d.]+ ms$/),
    });
  });

  test("can be another one", async () => {
    const list = JSON.parse(await (await fetch(`${at.server.address}models.json`)).text());
    const sst2 = list.models.find(({ kind }: { kind: string }) => kind === "classification");
    const samples = ["A sample of its own."];
    list.models = [sst2, { ...sst2, name: "another", score: null, samples }];
    at.server.changes.set("/models.json", JSON.stringify(list));
    const panel = await at.open("classify");
    const picker = panel.getByRole("combobox", { name: "Model" });
    await picker.selectOption({ index: 1 });
    await panel.locator(".facts:not(:has-text('Score'))").getByText("First run").waitFor();
    expect(await panel.locator(".classes li").count()).toBe(2);
    // A sample makes way for the model's own, and what somebody typed does not.
    expect(await panel.getByLabel("Your text").inputValue()).toBe("A sample of its own.");
    expect(await panel.getByRole("list", { name: "Samples" }).textContent()).toBe(samples[0]);
    await panel.getByLabel("Your text").fill("My own text");
    await picker.selectOption({ index: 0 });
    await panel.locator(".facts:has-text('Score')").getByText("First run").waitFor();
    expect(await panel.getByLabel("Your text").inputValue()).toBe("My own text");
  });

  test("and what was wrong with one that is no longer chosen is not shown", async () => {
    const list = JSON.parse(await (await fetch(`${at.server.address}models.json`)).text());
    const sst2 = list.models.find(({ kind }: { kind: string }) => kind === "classification");
    list.models = [
      sst2,
      { ...sst2, name: "lost", folder: "models/lost" },
      { ...sst2, name: "another", score: null },
    ];
    at.server.changes.set("/models.json", JSON.stringify(list));
    const panel = await at.open("classify");
    const seen = await panel.locator(".alert").evaluateHandle((alert) => {
      const sentences: (string | null)[] = [];
      const watch = new MutationObserver(() => sentences.push(alert.textContent));
      watch.observe(alert, { childList: true, characterData: true, subtree: true });
      return sentences;
    });
    await panel.getByRole("combobox", { name: "Model" }).evaluate((select) => {
      for (const value of ["1", "2"]) {
        (select as HTMLSelectElement).value = value;
        select.dispatchEvent(new Event("change"));
      }
    });
    await panel.locator(".facts:not(:has-text('Score'))").getByText("First run").waitFor();
    expect((await seen.jsonValue()).filter((sentence) => sentence !== "")).toEqual([]);
  });
});
