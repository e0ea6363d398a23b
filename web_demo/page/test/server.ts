import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** A static host on localhost, and what it was asked for. */
export class StaticServer {
  readonly requests: string[] = [];
  /** What is sent instead of files, by the ends of their paths; null is "not found". */
  readonly changes = new Map<string, string | Uint8Array | null>();
  /** The ends of the paths of files that are never sent, as on a network that stalls. */
  readonly held = new Set<string>();
  /** Headers that every response has; a plain host has none of its own. */
  readonly headers: Record<string, string> = {};
  private readonly server: Server;

  /** @param folder what is served; null for a host with no files. */
  private constructor(private readonly folder: string | null) {
    this.server = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url!, "http://x").pathname));
      this.requests.push(path);
      for (const end of this.held) if (path.endsWith(end)) return;
      const content = this.find(path.endsWith("/") ? `${path}index.html` : path);
      const type = TYPES[extname(path) || ".html"] ?? "text/plain";
      response.writeHead(content === null ? 404 : 200, { ...this.headers, "Content-Type": type });
      response.end(content);
    });
  }

  static async start(folder: string | null): Promise<StaticServer> {
    const server = new StaticServer(folder);
    await new Promise<void>((resolve) => server.server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private find(path: string): string | Uint8Array | null {
    for (const [end, content] of this.changes) if (path.endsWith(end)) return content;
    if (this.folder === null) return null;
    const file = join(this.folder, path);
    return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null;
  }
}
