/**
 * Keeps the page for the time without a network. It only passes on what the page asks its own host
 * for.
 *
 * Files with another address for each content come from the cache. The others come from the host,
 * and from the cache if the host cannot be reached.
 */

export {};

// vite.config.ts puts in the files of the page, and a digest of them.
const SHELL = JSON.parse("%SHELL%") as string[];
const PAGE = "mobilebert-page-%DIGEST%";
// Another version of the page uses the same models.
const MODELS = "mobilebert-models";

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

const on = <E extends Event>(type: string, work: (event: E) => void): void =>
  addEventListener(type, work as EventListener);

on<Lasting>("install", (event) => {
  const kept = caches.open(PAGE).then((cache) => cache.addAll(SHELL));
  event.waitUntil(kept.then(() => self.skipWaiting()));
});

on<Lasting>("activate", (event) => {
  event.waitUntil(forgetOtherPages().then(() => self.clients.claim()));
});

on<Fetching>("fetch", (event) => {
  const { request } = event;
  const isOwn = request.url.startsWith(self.registration.scope);
  if (request.method !== "GET" || !isOwn) return;
  event.respondWith(isLasting(new URL(request.url)) ? fromCache(event) : fromHost(event));
});

async function forgetOtherPages(): Promise<void> {
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith("mobilebert-page-") && name !== PAGE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

/** Returns whether the content of an address never changes. */
function isLasting({ pathname, searchParams }: URL): boolean {
  return /\/(?:assets|litert-[^/]+)\//.test(pathname) || searchParams.has("v");
}

async function fromCache(event: Fetching): Promise<Response> {
  return (await caches.match(event.request)) ?? fetched(event);
}

async function fromHost(event: Fetching): Promise<Response> {
  try {
    return await fetched(event);
  } catch (error) {
    const kept = await caches.match(event.request);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Fetches, and keeps what came instead of other versions of it. */
async function fetched(event: Fetching): Promise<Response> {
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(keep(event.request, response.clone()));
  return response;
}

async function keep(request: Request, response: Response): Promise<void> {
  const isOfModel = new URL(request.url).searchParams.has("v");
  const cache = await caches.open(isOfModel ? MODELS : PAGE);
  const same = await cache.keys(request, { ignoreSearch: true });
  await cache.put(request, response);
  const others = same.filter(({ url }) => url !== request.url);
  await Promise.all(others.map((other) => cache.delete(other)));
}
