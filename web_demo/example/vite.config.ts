import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  // The app waits for its model at the top of its module.
  build: { target: "es2022" },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
