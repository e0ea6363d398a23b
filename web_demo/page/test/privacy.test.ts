import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { StaticServer } from "./server.js";
import { site } from "./site.js";

const at = site();

/** Returns what became of a request to another host. */
const ask = async (address: string): Promise<string> =>
  fetch(address, { mode: "no-cors" }).then(
    () => "sent",
    () => "blocked",
  );

/** Returns the names of the files that the service worker has kept. */
function kept(): Promise<string[]> {
  return at.page.evaluate(async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const keys = await Promise.all(caches_.map((cache) => cache.keys()));
    return keys.flat().map(({ url }) => new URL(url).pathname.split("/").at(-1)!);
  });
}

test("the page cannot ask another host", async () => {
  await at.page.goto(at.server.address);
  expect(await at.page.evaluate(ask, at.elsewhere.address)).toBe("blocked");
  const image = await at.page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const image = new Image();
        image.onload = image.onerror = () => resolve(null);
        image.src = address;
      }),
    at.elsewhere.address,
  );
  expect(image).toBeNull();
  expect(at.elsewhere.requests).toEqual([]);
});

test("nor can the worker", async () => {
  const started = at.page.waitForEvent("worker");
  await at.open("classify");
  const worker = await started;
  expect(await worker.evaluate(ask, at.elsewhere.address)).toBe("blocked");
  expect(await worker.evaluate(ask, at.server.address)).toBe("sent");
  expect(at.elsewhere.requests).toEqual([]);
});

test("typing asks nobody", async () => {
  const panel = await at.open("classify");
  // The page's icon may come after its model.
  await at.page.waitForLoadState("networkidle");
  const before = at.server.requests.length;
  await panel.getByLabel("Your text").pressSequentially("A good film");
  await panel.getByText("Median").waitFor();
  expect(at.server.requests.slice(before)).toEqual([]);
});

test("without a network the page loads again and answers, in any folder of a host", async () => {
  const folder = process.env.MOBILEBERT_SITE!;
  const own = await StaticServer.start(dirname(folder));
  const address = `${own.address}${basename(folder)}/#ask`;
  await at.page.goto(address);
  await at.panel("ask").locator(".best").waitFor();
  await expect.poll(kept).toEqual(expect.arrayContaining(["model.tflite", "models.json"]));
  await own.close();
  await expect(fetch(address)).rejects.toThrow();
  await at.page.reload();
  await at.panel("ask").locator(".best").getByText("1998").waitFor();
  // A model that was never loaded is not there, and the page says so.
  await at.page.getByRole("tab", { name: "Search" }).click();
  await at.panel("search").getByRole("alert").getByText("Cannot read model.json").waitFor();
});

test("a model that was loaded before comes from the cache, until it is another one", async () => {
  const name = "/models/mobilebert_mini_sst2-int8/model.tflite";
  await at.open("classify");
  // The page does not wait until its files are kept.
  await expect.poll(kept).toContain("model.tflite");
  at.server.requests.length = 0;
  await at.page.reload();
  await at.panel("classify").getByText("First run").waitFor();
  expect(at.server.requests).not.toContain(name);
  expect(at.server.requests).toContain("/models.json");
  const list = await (await fetch(`${at.server.address}models.json`)).text();
  at.server.changes.set("/models.json", list.replaceAll(/"version": "\w+"/g, '"version": "new"'));
  await at.page.reload();
  await at.panel("classify").getByText("First run").waitFor();
  expect(at.server.requests).toContain(name);
  const versions = () =>
    at.page.evaluate(async () => {
      const keys = await (await caches.open("mobilebert-models")).keys();
      return Array.from(new Set(keys.map(({ url }) => new URL(url).search)));
    });
  await expect.poll(versions).toEqual(["?v=new"]);
});
