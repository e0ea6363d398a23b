import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["measure/**/*.measure.ts"],
    disableConsoleIntercept: true,
    maxWorkers: 1,
  },
});
