import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the venue fails: connections are cut, answered by a page of its proxy, or never answered. */
export type Outage = 'none' | 'page' | 'hang' | 'cut';

/** A proxy before the HTTP interface of a sandbox, which fails as told. */
export class FaultyFront {
  outage: Outage = 'none';
  /** Reads that still pass before the outage begins. A change always meets it. */
  readsBefore = 0;
  /** Changes that arrived here, passed on or not. */
  readonly changes: string[] = [];
  readonly #server: Server;
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      const { method = 'GET', url = '/', headers } = incoming;
      if (method !== 'GET') this.changes.push(`${method} ${url}`);
      const outage = this.#outageOf(method);
      if (outage === 'hang') return;
      if (outage === 'cut') {
        incoming.socket.destroy();
        return;
      }
      if (outage === 'page') {
        outgoing.writeHead(503, { 'content-type': 'text/html' }).end('<html>maintenance</html>');
        return;
      }
      const { hostname, port, host } = this.#target;
      const options = { host: hostname, port, method, path: url, headers: { ...headers, host } };
      const forward = httpRequest(options, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      forward.on('error', () => outgoing.destroy());
      incoming.pipe(forward);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #outageOf(method: string): Outage {
    if (this.outage === 'none') return 'none';
    if (method === 'GET' && this.readsBefore > 0) {
      this.readsBefore -= 1;
      return 'none';
    }
    this.readsBefore = 0;
    return this.outage;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
