import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StaticServer } from "../../page/test/server.js";

const APP = fileURLToPath(new URL("..", import.meta.url));
const LITERT = join(dirname(createRequire(import.meta.url).resolve("@litertjs/core")), "../wasm");
const folder = mkdtempSync(join(tmpdir(), "mobilebert-example-"));
let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  // As the documentation says: the built app, LiteRT.js's files, and a model's folder.
  cpSync(join(APP, "dist"), folder, { recursive: true });
  symlinkSync(LITERT, join(folder, "litert"));
  const model = "models/mobilebert_mini_squad-int8";
  symlinkSync(join(process.env.MOBILEBERT_SITE ?? "", model), join(folder, "model"));
  server = await StaticServer.start(folder);
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

test("the app answers a question", async () => {
  const page = await browser.newPage();
  await page.goto(server.address);
  await page.getByLabel("Passage").fill("The ferry left service in 1998, after many years.");
  await page.getByLabel("Question").fill("When did the ferry leave service?");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.locator("output:text-is('1998')").waitFor();
});

test("the app answers one question at a time", async () => {
  const page = await browser.newPage();
  await page.goto(server.address);
  const long = "The ferry left service in 1998, after many years. ".repeat(50);
  await page.getByLabel("Passage").fill(long);
  await page.getByLabel("Question").fill("When did the ferry leave service?");
  const button = page.getByRole("button", { name: "Ask" });
  await page.locator("output:text-is('')").waitFor({ state: "attached" });
  const isDisabled = await button.evaluate((element) => {
    (element as HTMLButtonElement).click();
    return (element as HTMLButtonElement).disabled;
  });
  expect(isDisabled).toBe(true);
  await page.locator("output:text-is('1998')").waitFor();
  expect(await button.isDisabled()).toBe(false);
});

test("the app says what is wrong with a model", async () => {
  server.changes.set("/vocab.txt", null);
  const page = await browser.newPage();
  await page.goto(server.address);
  await page.locator("output").getByText("Cannot read vocab.txt").waitFor();
});

test("the documentation shows this app, and it is short", () => {
  const code = readFileSync(join(APP, "src/app.ts"), "utf-8");
  const docs = readFileSync(join(APP, "../../docs/web.md"), "utf-8");
  expect(docs).toContain(`\`\`\`ts\n${code}\`\`\``);
  expect(docs).toContain(readFileSync(join(APP, "index.html"), "utf-8"));
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(70);
});
