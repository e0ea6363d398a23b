import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { StaticServer } from "./server.js";

const SITE = process.env.MOBILEBERT_SITE ?? "";
const LIST = "/models.json";
const MODELS: Record<string, string> = {
  ask: "mobilebert_mini_squad-int8",
  search: "mobilebert_mini_embedding-int8",
  classify: "mobilebert_mini_sst2-int8",
  entities: "mobilebert_mini_restaurant-int8",
};

/** A browser with the page of a folder that `mobilebert package --web` wrote. */
export class Site {
  browser!: Browser;
  server!: StaticServer;
  /** A host that the page must not reach. */
  elsewhere!: StaticServer;
  context!: BrowserContext;
  page!: Page;

  /** Opens a tab and waits until its model has answered; for a model of its own, see `change`. */
  async open(tab: string): Promise<Locator> {
    await this.page.goto(`${this.server.address}#${tab}`);
    const panel = this.panel(tab);
    await panel.getByText("First run").waitFor();
    return panel;
  }

  /** Returns what a tab says of its model, by name. */
  facts(tab: string): Promise<Record<string, string>> {
    return this.panel(tab).evaluate((panel) => {
      const pairs = panel.querySelectorAll("[data-fact]");
      return Object.fromEntries(
        Array.from(pairs, (pair) => [pair.children[0]!.textContent, pair.children[1]!.textContent]),
      );
    });
  }

  panel(tab: string): Locator {
    return this.page.locator(`#panel-${tab}`);
  }

  /** Returns a file of a tab's model. */
  file(tab: string, name: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(readFileSync(join(SITE, "models", MODELS[tab]!, name)));
  }

  /** Serves another content instead of a file of a tab's model, and lists it. */
  change(tab: string, name: string, content: string | Uint8Array | null): void {
    const folder = MODELS[tab]!;
    this.server.changes.set(`${folder}/${name}`, content);
    const digest = createHash("sha256");
    for (const file of readdirSync(join(SITE, "models", folder)).sort()) {
      digest.update(this.server.changes.get(`${folder}/${file}`) ?? this.file(tab, file));
    }
    this.list(folder, digest.digest("hex").slice(0, 16));
  }

  /** Never sends a file of a tab's model. */
  hold(tab: string, name: string): void {
    this.server.held.add(`${MODELS[tab]!}/${name}`);
  }

  /** Serves a models.json that tells another version of a model. */
  list(folder: string, version: string): void {
    const found = this.server.changes.get(LIST) ?? readFileSync(join(SITE, LIST), "utf-8");
    const listed = JSON.parse(found as string) as { models: { folder: string }[] };
    const models = listed.models.map((model) =>
      model.folder.endsWith(folder) ? { ...model, version } : model,
    );
    this.server.changes.set(LIST, JSON.stringify({ models }));
  }

  /** Serves a tab's model.json with other members. */
  changeFacts(tab: string, members: object): void {
    const facts = JSON.parse(new TextDecoder().decode(this.file(tab, "model.json")));
    this.change(tab, "model.json", JSON.stringify({ ...facts, ...members }));
  }
}

/** Gives each test of a file a new page. */
export function site(): Site {
  const found = new Site();
  beforeAll(async () => {
    if (!existsSync(join(SITE, "models.json"))) {
      throw new Error("MOBILEBERT_SITE names no folder of the page: run `make web-test`");
    }
    found.server = await StaticServer.start(SITE);
    found.elsewhere = await StaticServer.start(null);
    found.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
  });
  afterAll(async () => {
    await found.browser?.close();
    await found.server?.close();
    await found.elsewhere?.close();
  });
  beforeEach(async () => {
    found.server.changes.clear();
    found.server.held.clear();
    found.context = await found.browser.newContext({ viewport: { width: 1200, height: 800 } });
    found.page = await found.context.newPage();
    found.page.setDefaultTimeout(100_000);
  });
  afterEach(() => found.context.close());
  return found;
}
