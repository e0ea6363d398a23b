import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** A static host on localhost without headers of its own, and what it was asked for. */
export class StaticServer {
  readonly requests: string[] = [];
  private readonly server: Server;

  /** @param find returns the file of a path of an address. */
  private constructor(find: (path: string) => string) {
    this.server = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url!, "http://x").pathname));
      this.requests.push(path);
      const file = find(path.endsWith("/") ? join(path, "index.html") : path);
      if (!existsSync(file) || !statSync(file).isFile()) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" });
      createReadStream(file).pipe(response);
    });
  }

  static async start(find: (path: string) => string): Promise<StaticServer> {
    const server = new StaticServer(find);
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
}
