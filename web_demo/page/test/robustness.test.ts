import { describe, expect, test } from "vitest";
import { site } from "./site.js";

const at = site();

async function alertIn(tab: string, message: string | RegExp): Promise<void> {
  await at.page.goto(`${at.server.address}#${tab}`);
  await at.panel(tab).getByRole("alert").getByText(message).waitFor();
}

describe("a sentence tells what is wrong with a model's files:", () => {
  test.each([
    ["model.json", null, "Cannot read model.json, which belongs to the model: status 404."],
    ["model.tflite", null, "Cannot read model.tflite, which belongs to the model: status 404."],
    ["vocab.txt", "[PAD]\n[UNK]\n", "vocab.txt lacks the special piece [CLS]."],
    [
      "vocab.txt",
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n",
      "vocab.txt has 5 pieces, and the model has 30522: it is another model's.",
    ],
    ["labels.txt", "a\nb\n", "labels.txt and model.json name different classes."],
  ])("%s is %j", async (name, content, message) => {
    at.change("classify", name, content);
    await alertIn("classify", message);
  });

  test.each([
    ["cut off", (whole: Uint8Array) => whole.subarray(0, 1_000_000)],
    ["no model", () => new TextEncoder().encode("no model")],
  ])("model.tflite is %s", async (_, changed) => {
    const whole = at.file("classify", "model.tflite");
    const content = changed(whole);
    at.change("classify", "model.tflite", content);
    const sizes = `has ${content.length} bytes and should have ${whole.length}`;
    await alertIn("classify", `model.tflite ${sizes}: get it again.`);
  });

  test("model.tflite has a wrong byte", async () => {
    const wrong = at.file("classify", "model.tflite");
    wrong[1_000_000]! ^= 1;
    at.change("classify", "model.tflite", wrong);
    await alertIn("classify", "model.tflite is not the file that model.json describes");
  });

  // Without digests in model.json the runtime itself has to refuse them.
  test.each([
    ["no model", "no flatbuffer at all".repeat(50)],
    ["empty", ""],
  ])("model.tflite is %s, and nothing describes it", async (_, content) => {
    at.changeFacts("classify", { files: [] });
    at.change("classify", "model.tflite", content);
    await alertIn("classify", "model.tflite is no file that this page can run");
    const sentence = await at.panel("classify").locator(".alert span").textContent();
    expect(sentence).toMatch(/can run: (?!Error: ).*[^.]\.$/s);
  });

  test("model.tflite is another model's", async () => {
    at.changeFacts("classify", { files: [] });
    at.change("classify", "model.tflite", at.file("entities", "model.tflite"));
    await alertIn("classify", /The model (did not run|file has no probabilities)/);
  });

  test("the kind is one that the page has no use for", async () => {
    at.changeFacts("classify", { kind: "toString" });
    await alertIn("classify", "This page has no use for toString.");
  });

  test("models.json is older or newer than the files", async () => {
    at.list("mobilebert_mini_sst2-int8", "0123456789abcdef");
    await alertIn("classify", "The model's files are not those that models.json lists");
  });

  test.each([
    ["vocab.txt", null, "Cannot read vocab.txt"],
    // The host is being written. The browser has kept what came.
    ["model.tflite", "half", "model.tflite has 4 bytes"],
    ["model.json", "{}", "model.json"],
  ])("and the model can be loaded again: %s is %j", async (name, content, message) => {
    at.server.changes.set(`mobilebert_mini_sst2-int8/${name}`, content);
    await alertIn("classify", message);
    at.server.changes.clear();
    const panel = at.panel("classify");
    await panel.getByRole("button", { name: "Load the model again" }).click();
    await panel.getByText("First run").waitFor();
    expect(await panel.locator(".alert").textContent()).toBe("");
  });
});

describe("a sentence tells what is wrong with the page's folder or browser:", () => {
  test.each([
    [null, "Cannot read models.json, which lists the models: status 404."],
    ["<!doctype html>", "Cannot read models.json, which lists the models: "],
    ['{"models": [{"name": 1}]}', "models.json is not what this page reads"],
    ["null", "models.json is not what this page reads"],
  ])("models.json is %j", async (content, message) => {
    at.server.changes.set("/models.json", content);
    await at.page.goto(at.server.address);
    await at.page.getByRole("alert").getByText(message).waitFor();
  });

  test("there is no model for a tab", async () => {
    at.server.changes.set("/models.json", '{"models": []}');
    await alertIn("entities", "There is no model for tagging beside this page.");
  });

  test("LiteRT.js is missing", async () => {
    at.server.changes.set("_internal.js", null);
    await alertIn("classify", "This browser cannot run models: ");
  });

  test("LiteRT.js's WebAssembly is missing", async () => {
    at.server.changes.set("_internal.wasm", null);
    await alertIn("classify", "This browser cannot run models: ");
  });

  test("memory is refused", async () => {
    const script = 'throw new RangeError("WebAssembly.Memory(): could not allocate memory");';
    at.server.changes.set("_internal.js", script);
    await alertIn("classify", "could not allocate memory");
  });

  test("the worker stops, and another one takes its place", async () => {
    const started = at.page.waitForEvent("worker");
    const panel = await at.open("classify");
    const worker = await started;
    const closed = new Promise((resolve) => worker.once("close", resolve));
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new Error("lost");
        // After the answer to this call.
      }, 500);
    });
    await closed;
    await panel.getByLabel("Your text").fill("A good film");
    await panel.getByRole("alert").getByText("The model is not loaded.").waitFor();
    await panel.getByRole("button", { name: "Load the model again" }).click();
    await panel.locator(".classes li").first().waitFor();
  });

  test("WebAssembly has no SIMD", async () => {
    await at.page.addInitScript(() => {
      WebAssembly.validate = () => false;
    });
    await at.page.goto(at.server.address);
    await at.page.getByRole("alert").getByText("WebAssembly has no SIMD").waitFor();
  });

  test("there is no WebAssembly", async () => {
    await at.page.addInitScript("delete globalThis.WebAssembly");
    await at.page.goto(at.server.address);
    await at.page.getByRole("alert").getByText("does not run WebAssembly").waitFor();
  });
});

describe("a text of a million characters, some of them odd,", () => {
  const ODD = "\ud800\u0301\u200d\0\u{1F468}\u200d\u{1F469} ";
  const TEXT = ("It is a good film, and so is the book. ".repeat(200) + ODD).repeat(130);

  /** Puts the text into a field as pasting does, which takes its time otherwise. */
  async function paste(label: string, tab: string): Promise<void> {
    await at
      .panel(tab)
      .getByLabel(label, { exact: true })
      .evaluate((area, value) => {
        (area as HTMLTextAreaElement).value = value;
        area.dispatchEvent(new Event("input"));
      }, TEXT);
  }

  test("is classified by its beginning", async () => {
    const panel = await at.open("classify");
    await paste("Your text", "classify");
    await panel.getByText("The model read only the beginning.").first().waitFor();
    expect(await panel.locator(".classes li").count()).toBe(2);
  });

  test("is a passage that is read in windows while the page goes on", async () => {
    const panel = await at.open("ask");
    await paste("Passage", "ask");
    await panel.getByRole("button", { name: "Ask", exact: true }).click();
    await panel.getByText(/^Window \d+ of \d{4}$/).waitFor();
    await panel.getByRole("button", { name: "Stop" }).click();
    await panel.locator(".answer").getByText("Stopped.").waitFor();
  });

  test("is a text with entities that is read in parts", async () => {
    const panel = await at.open("entities");
    await paste("Your text", "entities");
    await panel.getByText(/^Part \d+ of \d{4}$/).waitFor();
    await panel.getByLabel("Your text").fill("cheap thai food");
    await panel.getByRole("list", { name: "Entities" }).getByText("thai").waitFor();
  });

  test("is a line that is compared by its beginning", async () => {
    const panel = await at.open("search");
    await paste("Your lines", "search");
    await panel.getByText("1 line compared.").waitFor();
    await panel.getByText("The model read only the beginning of 1 line.").first().waitFor();
  });
});

test("odd texts are classified, or called missing", async () => {
  const panel = await at.open("classify");
  const note = panel.locator(".results").getByText("Type a text.");
  const missing = ["", "\u0301\u0301", " ", "\u200d\u200b", "\n", "\0"];
  // A text is between two that are missing, so that what is seen is the second one's.
  const odd = missing.flatMap((text, at) => [["\ud800", "𝔘𝔫𝔦", "你好，世界"][at % 3]!, text]);
  for (const text of odd) {
    await panel.getByLabel("Your text").evaluate((area, value) => {
      (area as HTMLTextAreaElement).value = value;
      area.dispatchEvent(new Event("input"));
    }, text);
    if (missing.includes(text)) await note.waitFor();
    else await panel.locator(".classes li").first().waitFor();
    expect(await panel.locator(".alert").textContent(), JSON.stringify(text)).toBe("");
  }
});
