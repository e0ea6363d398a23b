import type { Place } from "./protocol.js";

/** How long the page waits for its service worker, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Starts the service worker, which keeps the page's files. What is fetched after this is kept too.
 *
 * Where it cannot run, or does not start in time, the page works without it.
 *
 * @returns whether it has the page.
 */
export async function keepForOffline(): Promise<boolean> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return false;
  if (serviceWorker.controller === null) {
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await Promise.race([controls(serviceWorker), late]);
  }
  return serviceWorker.controller !== null;
}

/** Waits until the service worker has this page, or will not have it. */
async function controls(serviceWorker: ServiceWorkerContainer): Promise<void> {
  const changed = new Promise((resolve) =>
    serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
  );
  const script = new URL("service-worker.js", document.baseURI);
  const registration = await serviceWorker.register(script).catch(() => null);
  // An active one does not take a page that the user loaded past all caches.
  if (registration === null || registration.active !== null) return;
  const { installing } = registration;
  const failed = new Promise<void>((resolve) =>
    installing?.addEventListener("statechange", () => {
      if (installing.state === "redundant") resolve();
    }),
  );
  await Promise.race([changed, failed]);
}

/** Deletes what the service worker kept of models that are not listed, or in another version. */
export async function forgetOtherModels(models: readonly Place[]): Promise<void> {
  if (!("caches" in globalThis)) return;
  const base = new URL(".", document.baseURI).href;
  const wanted = new Set(models.map(({ folder, version }) => `${base}${folder}/?v=${version}`));
  // service-worker.ts has the same name.
  const cache = await caches.open(`models of ${base}`);
  for (const { url } of await cache.keys()) {
    const { search } = new URL(url);
    const isOfModel = search !== "";
    if (isOfModel && !wanted.has(new URL(`.${search}`, url).href)) await cache.delete(url);
  }
}
