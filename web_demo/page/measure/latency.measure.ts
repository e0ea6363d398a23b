/**
 * Measures files of 128 tokens in Chromium and with LiteRT for Python, in turns on this machine, the
 * time from a reload to the first answer, and the size of the page. docs/web.md has the command.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { expect, test } from "vitest";
import { StaticServer } from "../test/server.js";
import type { Measuring } from "./runs.js";

const LENGTH = 128;
const ROUNDS = 5;
const RUNS = 40;
const PAGE = fileURLToPath(new URL("..", import.meta.url));
const REPOSITORY = resolve(PAGE, "../..");
const SITE = resolve(REPOSITORY, process.env.MOBILEBERT_SITE ?? "build/web_site");
const FILES = (process.env.MOBILEBERT_FILES ?? "").split(",").filter(Boolean);
const LITERT = join(dirname(createRequire(import.meta.url).resolve("@litertjs/core")), "..");
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
declare const measuring: Measuring;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** LiteRT for Python with a file: its version, and a function that returns the times of runs. */
async function python(file: string) {
  const program = join(PAGE, "measure/litert.py");
  const interpreter = join(REPOSITORY, ".venv/bin/python");
  const child = spawn(interpreter, [program, file, `${LENGTH}`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const version: string = await next();
  const run = async (count: number): Promise<number[]> => {
    child.stdin.write(`${count}\n`);
    return next();
  };
  return { version, run, end: () => child.stdin.end() };
}

/** A file in a page of its own. */
async function inBrowser(browser: Browser, address: string) {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await page.waitForFunction(() => "measuring" in globalThis);
  const found = await page.evaluate(() => measuring.load("model.tflite"));
  const run = (count: number) =>
    page.evaluate(([count, length]) => measuring.run(count!, length!), [count, LENGTH]);
  return { ...found, run, end: () => page.close() };
}

async function measure(browser: Browser, server: StaticServer, file: string): Promise<string> {
  server.changes.set("/model.tflite", readFileSync(file));
  const plain = await inBrowser(browser, server.address);
  Object.assign(server.headers, ISOLATED);
  const threaded = await inBrowser(browser, server.address);
  for (const name of Object.keys(ISOLATED)) delete server.headers[name];
  const native = await python(file);
  const ways = [native, plain, threaded];
  const times = ways.map((): number[] => []);
  for (const way of ways) await way.run(5);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [number, way] of ways.entries()) times[number]!.push(...(await way.run(RUNS)));
  }
  for (const way of ways) await way.end();
  const cells = times.map((of) => `${median(of).toFixed(1)} (${Math.min(...of).toFixed(1)})`);
  return `| ${[basename(file), ...cells].join(" | ")} |`;
}

test.skipIf(FILES.length === 0)("latency", { timeout: 600_000 }, async () => {
  const outDir = join(REPOSITORY, "build/web_measure");
  await build({
    configFile: false,
    logLevel: "error",
    root: join(PAGE, "measure"),
    base: "./",
    define: { LITERT_FOLDER: JSON.stringify("litert/") },
    build: { outDir, emptyOutDir: true, target: "es2022" },
  });
  symlinkSync(join(LITERT, "wasm"), join(outDir, "litert"));
  const server = await StaticServer.start(outDir);
  const browser = await launch();
  const rows: string[] = [];
  for (const file of FILES) rows.push(await measure(browser, server, resolve(REPOSITORY, file)));
  const { version } = JSON.parse(readFileSync(join(LITERT, "package.json"), "utf-8"));
  const native = await python(resolve(REPOSITORY, FILES[0]!));
  console.log(
    [
      `${new Date().toISOString()}, ${cpus().length} x ${cpus()[0]!.model}`,
      `load ${loadavg()[0]!.toFixed(1)}, Chromium ${browser.version()}, @litertjs/core ${version}, ` +
        `ai-edge-litert ${native.version}`,
      `| file | Python, 1 thread | browser, 1 thread | browser, ${cpus().length} threads |`,
      "|---|---|---|---|",
      ...rows,
    ].join("\n"),
  );
  native.end();
  await browser.close();
  await server.close();
});

test("the time from a reload to the first answer", { timeout: 120_000 }, async () => {
  const server = await StaticServer.start(SITE);
  const browser = await launch();
  const answers = { ask: ".best", search: ".found li", classify: ".classes li", entities: "mark" };
  for (const [tab, answer] of Object.entries(answers)) {
    const page = await (await browser.newContext()).newPage();
    const shown = page.locator(`#panel-${tab} ${answer}`).first();
    await page.goto(`${server.address}#${tab}`);
    await shown.waitFor();
    const times: number[] = [];
    for (let number = 0; number < 5; number++) {
      const start = performance.now();
      await page.reload({ waitUntil: "commit" });
      await shown.waitFor();
      times.push(performance.now() - start);
    }
    console.log(`${tab}: ${times.map((time) => (time / 1000).toFixed(1)).join(", ")} s`);
    expect(median(times)).toBeLessThan(3000);
  }
  await browser.close();
  await server.close();
});

test("the size of the page", () => {
  const sizes = new Map<string, [number, number]>();
  for (const entry of readdirSync(join(PAGE, "dist"), { recursive: true, encoding: "utf-8" })) {
    const path = join(PAGE, "dist", entry);
    if (!statSync(path).isFile()) continue;
    const name = entry.startsWith("litert") ? basename(entry) : `page, ${extname(entry)}`;
    const [bytes, zipped] = sizes.get(name) ?? [0, 0];
    const content = readFileSync(path);
    sizes.set(name, [bytes + content.length, zipped + gzipSync(content).length]);
  }
  for (const [name, [bytes, zipped]] of sizes) {
    console.log(`| ${name} | ${(bytes / 1000).toFixed(0)} kB | ${(zipped / 1000).toFixed(0)} kB |`);
  }
});
