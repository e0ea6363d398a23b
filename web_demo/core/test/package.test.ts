import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { golden } from "./golden.js";

const CORE = fileURLToPath(new URL("..", import.meta.url));
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const TYPES = fileURLToPath(new URL("../../node_modules/@types", import.meta.url));
const app = mkdtempSync(join(tmpdir(), "mobilebert-core-"));

const SOURCE = `
import { readFileSync } from "node:fs";
import { BertTokenizer, NormalizationTable, type Tokens, Vocabulary } from "mobilebert-core";

const read = (name: string): Uint8Array => readFileSync(new URL(name, import.meta.url));
const tokenizer = new BertTokenizer(
  Vocabulary.read(read("vocab.txt")),
  NormalizationTable.read(read("normalization.txt")),
);
const tokens: Tokens = tokenizer.tokenize("The ferry, 😀!");
console.log(JSON.stringify(tokens));
`;

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd: app,
    encoding: "utf-8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function compile(file: string, resolution: string, ...options: string[]): void {
  const module = resolution === "bundler" ? "esnext" : "nodenext";
  const common = ["--strict", "--target", "es2022", "--outDir", "."];
  run(
    "node",
    TSC,
    file,
    ...common,
    "--module",
    module,
    "--moduleResolution",
    resolution,
    ...options,
  );
}

beforeAll(() => {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", app], { cwd: CORE });
  const tarball = readdirSync(app).find((name) => name.endsWith(".tgz"))!;
  writeFileSync(join(app, "package.json"), '{"name": "app", "type": "module", "private": true}');
  run("npm", "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`);
  writeFileSync(join(app, "vocab.txt"), golden("text/vocab.txt"));
  writeFileSync(join(app, "normalization.txt"), golden("text/normalization_lower_case.txt"));
  writeFileSync(join(app, "app.ts"), SOURCE);
}, 120_000);

afterAll(() => rmSync(app, { recursive: true }));

test("the package holds what an app needs, and has no dependencies", () => {
  const installed = join(app, "node_modules");
  expect(readdirSync(installed).filter((name) => !name.startsWith("."))).toEqual([
    "mobilebert-core",
  ]);
  const files = readdirSync(join(installed, "mobilebert-core"));
  expect(files.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  const facts = JSON.parse(readFileSync(join(installed, "mobilebert-core/package.json"), "utf-8"));
  expect(facts.dependencies).toBeUndefined();
});

test("the code in its README compiles", () => {
  const readme = readFileSync(join(app, "node_modules/mobilebert-core/README.md"), "utf-8");
  const blocks = Array.from(readme.matchAll(/```ts\n(.*?)```/gs), (match) => match[1]!);
  expect(blocks).not.toEqual([]);
  writeFileSync(join(app, "readme.ts"), blocks.join("\n"));
  compile("readme.ts", "nodenext", "--types", "", "--lib", "es2022,dom");
}, 60_000);

test.each(["nodenext", "bundler"])(
  "an app compiles with its types, resolved by %s, and runs",
  (resolution) => {
    compile("app.ts", resolution, "--typeRoots", TYPES, "--types", "node");
    expect(JSON.parse(run("node", "app.js"))).toEqual({
      ids: [371, 751, 16, 1, 5],
      starts: [0, 4, 9, 11, 13],
      ends: [3, 9, 10, 13, 14],
    });
  },
  60_000,
);
