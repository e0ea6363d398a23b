/**
 * Keeps the page for the time without a network. It only passes on what the page asks its own host
 * for.
 *
 * Files with another address for each content come from the cache. The others come from the host,
 * and from the cache if the host cannot be reached.
 */

export {};

/** Where LiteRT.js's files are, below the page; vite.config.ts puts them there. */
declare const LITERT_FOLDER: string;

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
declare const self: {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
};

// vite.config.ts puts in the files of the page, and a digest of them.
const SHELL = JSON.parse("%SHELL%") as string[];
// All pages of a host share their caches, and this page may be there in several folders.
const { scope } = self.registration;
const OF_FOLDER = ` of ${scope}`;
const PAGE = `page %DIGEST%${OF_FOLDER}`;
// Other versions of the page use the same models, and most of them the same runtime.
const RUNTIME = `${LITERT_FOLDER}${OF_FOLDER}`;
const MODELS = `models${OF_FOLDER}`;
const LIST = "models.json";
const MODEL_FOLDERS = "models/";

const on = <E extends Event>(type: string, work: (event: E) => void): void =>
  addEventListener(type, work as EventListener);

on<Lasting>("install", (event) => {
  // Past the browser's own cache, which may have files of different versions of the page.
  const requests = SHELL.map((name) => new Request(name, { cache: "reload" }));
  const kept = caches.open(PAGE).then((cache) => cache.addAll(requests));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

on<Lasting>("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => self.clients.claim()));
});

on<Fetching>("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  event.respondWith(isKept(request) ? fromCache(event) : fromHost(event));
});

/** Deletes the caches of other versions of the page in this folder. */
async function forgetOthers(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.endsWith(OF_FOLDER));
  const others = names.filter((name) => ![PAGE, RUNTIME, MODELS].includes(name));
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** Returns whether the cache's content is as good as the host's. */
function isKept({ url, cache }: Request): boolean {
  if (cache === "reload") return false;
  const path = url.slice(scope.length);
  return path.startsWith("assets/") || path.startsWith(LITERT_FOLDER) || isOfModel(url);
}

/** Returns whether an address is that of a file of a model. Links to the page may have a "v" too. */
function isOfModel(url: string): boolean {
  const path = url.slice(scope.length);
  return path.startsWith(MODEL_FOLDERS) && new URL(url).searchParams.has("v");
}

/** Returns the name of the cache for an address. */
function cacheOf(url: string): string {
  const path = url.slice(scope.length);
  if (path.startsWith(LITERT_FOLDER)) return RUNTIME;
  return path === LIST || isOfModel(url) ? MODELS : PAGE;
}

/** Returns the address under which a response is kept: the page's without the tab, for example. */
function keyOf(url: string): string {
  const key = new URL(url);
  key.hash = "";
  if (!isOfModel(url)) key.search = "";
  return key.href;
}

async function find({ url }: Request): Promise<Response | undefined> {
  return (await caches.open(cacheOf(url))).match(keyOf(url));
}

async function fromCache(event: Fetching): Promise<Response> {
  return (await find(event.request)) ?? fetched(event);
}

async function fromHost(event: Fetching): Promise<Response> {
  try {
    return await fetched(event);
  } catch (error) {
    const kept = await find(event.request);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Fetches, and keeps what came. */
async function fetched(event: Fetching): Promise<Response> {
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(keep(event.request, response.clone()));
  return response;
}

async function keep({ url }: Request, response: Response): Promise<void> {
  await (await caches.open(cacheOf(url))).put(keyOf(url), response);
}
