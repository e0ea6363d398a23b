import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// LiteRT.js takes the second where the browser lacks relaxed SIMD, the third where threads are
// possible. It finds them by these names.
const VARIANTS = ["litert_wasm", "litert_wasm_compat", "litert_wasm_threaded"];

/** Puts LiteRT.js's WebAssembly beside the page, so that nothing comes from elsewhere. */
function litertFiles(): Plugin {
  const package_ = dirname(createRequire(import.meta.url).resolve("@litertjs/core"));
  return {
    name: "litert-files",
    apply: "build",
    generateBundle() {
      for (const variant of VARIANTS) {
        for (const ending of ["js", "wasm"]) {
          const name = `${variant}_internal.${ending}`;
          const source = readFileSync(join(package_, "..", "wasm", name));
          this.emitFile({ type: "asset", fileName: `litert/${name}`, source });
        }
      }
    },
  };
}

export default defineConfig({
  // The page works in any folder of a host.
  base: "./",
  plugins: [litertFiles()],
  build: { target: "es2022", modulePreload: { polyfill: false } },
  // LiteRT.js loads its WebAssembly with importScripts, which workers that are modules lack.
  worker: { format: "iife" },
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
