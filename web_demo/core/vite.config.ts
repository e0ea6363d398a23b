import { defineConfig } from "vitest/config";

export default defineConfig({
  build: {
    lib: { entry: "src/index.ts", formats: ["es"], fileName: "index" },
    target: "es2022",
    minify: false,
    sourcemap: true,
  },
  test: {
    include: ["test/**/*.test.ts"],
    // One process: the tests share a machine with others.
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    testTimeout: 60_000,
  },
});
