import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// LiteRT.js takes the second where the browser lacks relaxed SIMD, the third where threads are
// possible. It finds them by these names.
const VARIANTS = ["litert_wasm", "litert_wasm_compat", "litert_wasm_threaded"];
const LITERT = join(dirname(createRequire(import.meta.url).resolve("@litertjs/core")), "..");
const { version } = JSON.parse(readFileSync(join(LITERT, "package.json"), "utf-8"));
const LITERT_FOLDER = `litert-${version}/`;
const SERVICE_WORKER = "service-worker";

/** Puts LiteRT.js's WebAssembly beside the page, so that nothing comes from elsewhere. */
function litertFiles(): Plugin {
  return {
    name: "litert-files",
    apply: "build",
    generateBundle() {
      for (const variant of VARIANTS) {
        for (const ending of ["js", "wasm"]) {
          const name = `${variant}_internal.${ending}`;
          const source = readFileSync(join(LITERT, "wasm", name));
          this.emitFile({ type: "asset", fileName: LITERT_FOLDER + name, source });
        }
      }
    },
  };
}

/** Tells the service worker the files that it keeps from the start, and a digest of them. */
function shell(): Plugin {
  return {
    name: "shell",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = `${SERVICE_WORKER}.js`;
      const names = Object.keys(bundle).filter(
        (name) => name !== worker && !name.startsWith(LITERT_FOLDER),
      );
      const digest = createHash("sha256");
      for (const name of names.sort()) {
        const file = bundle[name]!;
        digest.update(name).update(file.type === "chunk" ? file.code : file.source);
      }
      const chunk = bundle[worker]!;
      if (chunk.type !== "chunk") throw new Error(`${worker} is no chunk`);
      const list = JSON.stringify(JSON.stringify(["./", ...names]));
      chunk.code = chunk.code
        .replace(/(["'`])%SHELL%\1/, () => list)
        .replace("%DIGEST%", digest.digest("hex").slice(0, 16));
    },
  };
}

export default defineConfig({
  // The page works in any folder of a host.
  base: "./",
  define: { LITERT_FOLDER: JSON.stringify(LITERT_FOLDER) },
  plugins: [litertFiles(), shell()],
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ["index.html", `src/${SERVICE_WORKER}.ts`],
      output: {
        entryFileNames: ({ name }) =>
          name === SERVICE_WORKER ? "[name].js" : "assets/[name]-[hash].js",
      },
    },
  },
  // LiteRT.js loads its WebAssembly with importScripts, which workers that are modules lack.
  worker: { format: "iife" },
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A service worker writes files of megabytes; the default is one second.
    expect: { poll: { timeout: 30_000 } },
  },
});
