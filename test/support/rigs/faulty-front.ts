import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the venue fails: connections are cut, answered by a page of its proxy, or never answered. */
export type Outage = 'none' | 'page' | 'hang' | 'cut';

/** A proxy before the HTTP interface of a sandbox, which fails as told. */
export class FaultyFront {
  outage: Outage = 'none';
  readonly #server: Server;
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      if (this.outage === 'hang') return;
      if (this.outage === 'cut') {
        incoming.socket.destroy();
        return;
      }
      if (this.outage === 'page') {
        outgoing.writeHead(503, { 'content-type': 'text/html' }).end('<html>maintenance</html>');
        return;
      }
      const { method, url, headers } = incoming;
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

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
