import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { StaticServer } from "./server.js";

const REPOSITORY = new URL("../../../", import.meta.url);
const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const PICTURES = process.env.MOBILEBERT_PICTURES;
const models = mkdtempSync(join(tmpdir(), "mobilebert-page-"));
const model = join(models, "models/text_classification");

function inRepository(path: string): string {
  return fileURLToPath(new URL(path, REPOSITORY));
}

/** Writes the folder of a model that the page reads. */
function writeModel(): void {
  rmSync(model, { recursive: true, force: true });
  cpSync(inRepository("models/mobilebert_mini_sst2"), model, { recursive: true });
  copyFileSync(join(model, "mobilebert_mini_sst2_int8.tflite"), join(model, "model.tflite"));
  const table = inRepository("tests/golden/text/normalization_lower_case.txt");
  copyFileSync(table, join(model, "normalization.txt"));
}

let browser: Browser;
let server: StaticServer;
let elsewhere: StaticServer;
let page: Page;

beforeAll(async () => {
  mkdirSync(model, { recursive: true });
  server = await StaticServer.start((path) =>
    path.startsWith("/models/") ? join(models, path) : join(DIST, path),
  );
  elsewhere = await StaticServer.start(() => "");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await elsewhere?.close();
  rmSync(models, { recursive: true });
});

beforeEach(async () => {
  writeModel();
  page = await browser.newPage();
  page.setDefaultTimeout(30_000);
});

afterEach(() => page.close());

async function classes(): Promise<string[]> {
  return page.getByRole("list", { name: "Classes" }).getByRole("listitem").allInnerTexts();
}

describe("classifying", () => {
  test("a sample is classified at once, then what is typed", async () => {
    await page.goto(server.address);
    await page.getByText(/First run \d+ ms/).waitFor();
    expect((await classes())[0]).toMatch(/^positive\s+\d+ %$/);
    await page.getByLabel("Your text").fill("It drags for two hours and goes nowhere.");
    await page.getByText(/then \d+ ms/).waitFor();
    await page.getByRole("listitem").first().getByText("negative").waitFor();
    await page.getByText("mobilebert_mini_sst2, 7.5 MB, WebAssembly, 1 thread").waitFor();
    if (PICTURES !== undefined) {
      await page.screenshot({ path: join(PICTURES, "classify_light.png") });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.screenshot({ path: join(PICTURES, "classify_dark.png") });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.screenshot({ path: join(PICTURES, "classify_phone.png") });
    }
  });

  test("takes a text of a million characters, and says that it read the beginning", async () => {
    await page.goto(server.address);
    await page.getByText(/First run/).waitFor();
    const text = "A good film. \ud800\u0301\u200d\0".repeat(60_000);
    await page.getByLabel("Your text").evaluate((area, value) => {
      (area as HTMLTextAreaElement).value = value;
      area.dispatchEvent(new Event("input"));
    }, text);
    await page.getByText("The model read only the beginning.").waitFor();
    expect(await classes()).toHaveLength(2);
  });

  test("works by keyboard, on a phone's width", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(server.address);
    await page.getByText(/First run/).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("listitem").first().getByText("negative").waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
  });
});

describe("nothing leaves the device:", () => {
  /** Returns what became of a request to another host. */
  const ask = async (address: string): Promise<string> =>
    fetch(address, { mode: "no-cors" }).then(
      () => "sent",
      () => "blocked",
    );

  test("the page cannot ask another host", async () => {
    await page.goto(server.address);
    expect(await page.evaluate(ask, elsewhere.address)).toBe("blocked");
    expect(elsewhere.requests).toEqual([]);
  });

  test("nor can the worker", async () => {
    const started = page.waitForEvent("worker");
    await page.goto(server.address);
    const worker = await started;
    await page.getByText(/First run/).waitFor();
    expect(await worker.evaluate(ask, elsewhere.address)).toBe("blocked");
    expect(await worker.evaluate(ask, server.address)).toBe("sent");
    expect(elsewhere.requests).toEqual([]);
  });

  test("typing asks nobody", async () => {
    await page.goto(server.address);
    await page.getByText(/First run/).waitFor();
    const before = server.requests.length;
    await page.getByLabel("Your text").pressSequentially("A good film");
    await page.getByText(/then \d+ ms/).waitFor();
    expect(server.requests.slice(before)).toEqual([]);
  });
});

describe("a sentence tells what is wrong:", () => {
  test.each([
    ["model.json", null, "cannot read model.json, which belongs to the model: status 404."],
    ["model.tflite", null, "cannot read model.tflite: status 404."],
    ["model.tflite", "no model", "model.tflite is no file that this page can run"],
    ["model.tflite", "", "model.tflite is no file that this page can run"],
    ["vocab.txt", "[PAD]\n[UNK]\n", "vocab.txt lacks the special piece [CLS]."],
    ["labels.txt", "a\nb\n", "labels.txt and model.json name different classes."],
  ])("%s is %j", async (name, content, message) => {
    rmSync(join(model, name));
    if (content !== null) writeFileSync(join(model, name), content);
    await page.goto(server.address);
    await page.getByRole("alert").getByText(message).waitFor();
  });
});
