import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  await at.page.evaluate(() => navigator.serviceWorker.ready);
  // The page's icon may come after its model.
  await at.page.waitForLoadState("networkidle");
  const before = at.server.requests.length;
  await panel.getByLabel("Your text").pressSequentially("A good film");
  await panel.getByText("Median").waitFor();
  expect(at.server.requests.slice(before)).toEqual([]);
});

/** Returns the names of the caches of the page's own files. */
const pages = (): Promise<string[]> =>
  at.page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("page")));

// What the answer of the tab needs, beside the page.
const NEEDED = ["model.tflite", "models.json", "litert_wasm_internal.wasm"];

test("without a network the page loads again and answers, in any folder of a host", async () => {
  const root = mkdtempSync(join(tmpdir(), "mobilebert-page-"));
  // A name that the page's own folders have too.
  mkdirSync(join(root, "assets"));
  symlinkSync(process.env.MOBILEBERT_SITE!, join(root, "assets", "demo"));
  const own = await StaticServer.start(root);
  const address = `${own.address}assets/demo/#ask`;
  await at.page.goto(address);
  await at.panel("ask").locator(".best").waitFor();
  await expect.poll(kept).toEqual(expect.arrayContaining(NEEDED));
  // The page is loaded again while there is a network, and is another version of itself.
  const [old] = await pages();
  const digest = old!.split(" ")[1]!;
  const script = readFileSync(join(process.env.MOBILEBERT_SITE!, "service-worker.js"), "utf-8");
  own.changes.set("/service-worker.js", script.replace(digest, "0123456789abcdef"));
  await at.page.reload();
  await at.panel("ask").locator(".best").waitFor();
  await expect.poll(pages).toEqual([old!.replace(digest, "0123456789abcdef")]);
  await own.close();
  await expect(fetch(address)).rejects.toThrow();
  await at.page.reload();
  await at.panel("ask").locator(".best").getByText("1998").waitFor();
  await at.page.locator("footer").getByText("works without a network").waitFor();
  // A model that was never loaded is not there, and the page says so.
  await at.page.getByRole("tab", { name: "Search" }).click();
  await at.panel("search").getByRole("alert").getByText("Cannot read model.json").waitFor();
  rmSync(root, { recursive: true });
});

test("a link with a query leads to the same page, also without a network", async () => {
  const own = await StaticServer.start(process.env.MOBILEBERT_SITE!);
  const { address } = own;
  await at.page.goto(address);
  await expect.poll(kept).toContain("models.json");
  await own.close();
  // The addresses of a model's files have this query too.
  await at.page.goto(`${address}?v=2`);
  await at.page.getByRole("tab", { name: "Ask" }).waitFor();
});

test("without a service worker the page does not say that it works without a network", async () => {
  at.server.changes.set("/service-worker.js", null);
  await at.open("classify");
  expect(await at.page.locator("footer").textContent()).toBe(
    "The page asks no other host for anything.",
  );
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
  const versions = () =>
    at.page.evaluate(async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith("models"));
      const keys = await (await caches.open(names[0]!)).keys();
      const found = keys.map(({ url }) => new URL(url).searchParams.get("v"));
      return Array.from(new Set(found)).filter((version) => version !== null);
    });
  const before = await versions();
  expect(before).toHaveLength(1);
  at.changeFacts("classify", { samples: ["another sample"] });
  await at.page.reload();
  await at.panel("classify").getByText("First run").waitFor();
  expect(at.server.requests).toContain(name);
  await expect.poll(versions).toHaveLength(1);
  expect(await versions()).not.toEqual(before);
});
