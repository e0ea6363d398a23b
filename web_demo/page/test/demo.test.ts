import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { site } from "./site.js";

const COMMAND = fileURLToPath(new URL("../../../.venv/bin/mobilebert", import.meta.url));
const at = site();
const folder = mkdtempSync(join(tmpdir(), "mobilebert-demo-"));
let demo: ChildProcess;
let address: string;

beforeAll(async () => {
  const told = join(folder, "told.json");
  const options = ["--port", "0", "--no-browser", "--json", told];
  demo = spawn(COMMAND, ["demo", process.env.MOBILEBERT_SITE!, ...options], { stdio: "ignore" });
  while (!existsSync(told)) {
    if (demo.exitCode !== null) throw new Error(`mobilebert demo ended with ${demo.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  address = JSON.parse(readFileSync(told, "utf-8")).address;
  // Python and TensorFlow take their time to start.
}, 180_000);

afterAll(() => {
  demo?.kill();
  rmSync(folder, { recursive: true });
});

test("mobilebert demo serves the page, which runs on threads there", async () => {
  await at.page.goto(`${address}#classify`);
  await at.panel("classify").getByText("First run").waitFor();
  expect(await at.facts("classify")).toMatchObject({
    "Runs on": "WebAssembly, relaxed SIMD, threads",
    Threads: `${await at.page.evaluate(() => navigator.hardwareConcurrency)}`,
  });
});
