/** How long the page waits for its service worker, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Starts the service worker, which keeps the page's files. What is fetched after this is kept too.
 *
 * Where it cannot run, or does not start in time, the page works without it.
 */
export async function keepForOffline(): Promise<void> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined || serviceWorker.controller !== null) return;
  const controls = new Promise<void>((resolve) => {
    serviceWorker.addEventListener("controllerchange", () => resolve(), { once: true });
    serviceWorker.register(new URL("service-worker.js", document.baseURI)).catch(() => resolve());
  });
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([controls, late]);
}
