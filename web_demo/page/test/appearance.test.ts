import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { expect, test } from "vitest";
import { site } from "./site.js";

const at = site();
const PICTURES = process.env.MOBILEBERT_PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf-8");
const SIZES = { phone: { width: 360, height: 740 }, desktop: { width: 1200, height: 800 } };
declare const axe: { run(): Promise<AxeResults> };

/** Returns what axe-core finds wrong, in words. */
async function violations(): Promise<string[]> {
  const found = await at.page.evaluate(async () => (await axe.run()).violations);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Returns how wide the page is. */
function width(): Promise<number> {
  return at.page.evaluate(() => document.documentElement.scrollWidth);
}

/** Looks at the page in dark and light, on a phone and on a desktop. */
async function look(name: string): Promise<void> {
  // As narrow as a page with a zoom of 400 %.
  await at.page.setViewportSize({ width: 320, height: 640 });
  expect(await width(), name).toBeLessThanOrEqual(320);
  // By the debugger, because the page takes no scripts from elsewhere.
  await at.page.evaluate(AXE);
  for (const [device, size] of Object.entries(SIZES)) {
    for (const scheme of ["light", "dark"] as const) {
      await at.page.setViewportSize(size);
      await at.page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const where = `${name}_${device}_${scheme}`;
      expect(await violations(), where).toEqual([]);
      expect(await width(), where).toBeLessThanOrEqual(size.width);
      if (PICTURES === undefined) continue;
      mkdirSync(PICTURES, { recursive: true });
      await at.page.screenshot({ path: join(PICTURES, `${where}.png`), fullPage: true });
    }
  }
}

test.each(["ask", "search", "classify", "entities"])("of the tab %s", async (tab) => {
  const panel = await at.open(tab);
  // The facts have their final width once there is a median.
  if (tab === "ask") {
    await panel.getByRole("button", { name: "Where does she" }).click();
    await panel.getByText("Median").waitFor();
  }
  await panel.locator(".best, .found li, .classes li, .entities li").first().waitFor();
  await look(tab);
});

test("of a passage without an answer", async () => {
  at.changeFacts("ask", { settings: { null_threshold: -1000 } });
  await at.open("ask");
  await look("no_answer");
});

test("of a model that cannot be read", async () => {
  at.change("classify", "model.json", null);
  await at.page.goto(`${at.server.address}#classify`);
  await at.panel("classify").getByRole("alert").getByText("Cannot read").waitFor();
  await look("error");
});
