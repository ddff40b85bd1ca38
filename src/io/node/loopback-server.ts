import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface PageServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The only path with a page. */
  readonly path: string;
  readonly contentType: string;
  /** The text of one request. An error is answered with status 500. */
  readonly page: () => string;
}

const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 16;

/** Serves one text by HTTP GET, and nothing else. @throws Error of the system, such as EADDRINUSE */
export function servePage(options: PageServerOptions): Promise<PageServer> {
  const server = createServer((request, response) => {
    const isPage = request.url?.split('?', 1)[0] === options.path;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isPage || !isRead) {
      response.writeHead(isPage ? 405 : 404, { 'content-type': 'text/plain' });
      response.end(isPage ? 'GET only\n' : `see ${options.path}\n`);
      return;
    }
    try {
      const text = options.page();
      response.writeHead(200, { 'content-type': options.contentType });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`${String(error)}\n`);
    }
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      const { port } = server.address() as AddressInfo;
      resolve({
        port,
        close: () =>
          new Promise((closed) => {
            server.close(() => {
              closed();
            });
            server.closeAllConnections();
          }),
      });
    });
  });
}
