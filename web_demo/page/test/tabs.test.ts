import { expect, test } from "vitest";
import { site } from "./site.js";

const at = site();

test("tabs are reached by keyboard, and the address names the chosen one", async () => {
  await at.page.goto(at.server.address);
  const tab = (name: string) => at.page.getByRole("tab", { name });
  await tab("Ask").waitFor();
  const focused = (): Promise<string> =>
    at.page.evaluate(() => document.activeElement!.textContent ?? "");
  await at.page.keyboard.press("Tab");
  const seen = [await focused()];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"]) {
    await at.page.keyboard.press(key);
    seen.push(await focused());
  }
  await at.page.keyboard.press("Home");
  seen.push(await focused());
  await at.page.keyboard.press("End");
  seen.push(await focused());
  expect(seen).toEqual([
    "Ask",
    "Search",
    "Classify",
    "Entities",
    "Ask",
    "Entities",
    "Ask",
    "Entities",
  ]);
  expect(at.page.url()).toContain("#entities");
  expect(await tab("Entities").getAttribute("aria-selected")).toBe("true");
  expect(await at.page.getByRole("tabpanel").getAttribute("id")).toBe("panel-entities");
  // From the tabs, Tab goes into the panel and not to the next tab.
  await at.page.keyboard.press("Tab");
  expect(await at.page.evaluate(() => document.activeElement!.id)).toBe("wish");
});

test("an address opens its tab", async () => {
  await at.page.goto(`${at.server.address}#search`);
  await at.page.getByRole("tabpanel", { name: "Search" }).waitFor();
  await at.page.evaluate(() => {
    location.hash = "#classify";
  });
  await at.page.getByRole("tabpanel", { name: "Classify" }).waitFor();
});

test("where the address names no tab, the first that has a model opens", async () => {
  const list = JSON.parse(await (await fetch(`${at.server.address}models.json`)).text());
  const kinds = ["question_answering", "embedding"];
  list.models = list.models.filter(({ kind }: { kind: string }) => !kinds.includes(kind));
  at.server.changes.set("/models.json", JSON.stringify(list));
  await at.page.goto(at.server.address);
  await at.page.getByRole("tabpanel", { name: "Classify" }).waitFor();
  await at.page.goto(`${at.server.address}#search`);
  await at.panel("search").getByRole("alert").getByText("There is no model for").waitFor();
});

test("only a tab that is opened loads its model", async () => {
  at.server.requests.length = 0;
  await at.open("classify");
  const models = at.server.requests.filter((path) => path.endsWith("model.tflite"));
  expect(models).toEqual(["/models/mobilebert_mini_sst2-int8/model.tflite"]);
});
