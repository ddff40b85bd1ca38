import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import type { WebSocketServer } from 'ws';
import { createHttpServer } from './http-server.js';
import { PortInUseError } from './port-in-use-error.js';
import type { Sandbox } from './sandbox.js';
import { SandboxOptionError } from './sandbox-clock.js';
import { createStreamServer } from './stream-server.js';

export { PortInUseError };

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Without it only loopback hosts are accepted: the sandbox has control paths without a key. */
  readonly allowRemote?: boolean;
  /** Names besides `host` and loopback's own under which the control paths may be called. */
  readonly allowHosts?: readonly string[];
}

export interface SandboxServer {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  /** Within a second, whatever is open. Leaves the sandbox itself running. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 900;

/**
 * Binds a sandbox to real sockets.
 * @throws SandboxOptionError for a host that is not loopback, unless allowed
 * @throws PortInUseError
 */
export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<SandboxServer> {
  const host = options.host ?? '127.0.0.1';
  if (!isLoopback(host) && options.allowRemote !== true) {
    throw new SandboxOptionError(
      `host ${host} is not loopback: the sandbox obeys whoever reaches it; allow it on purpose`,
    );
  }
  const controlHosts = [host, ...(options.allowHosts ?? [])];
  const servers = await bind(() => createHttpServer(sandbox, controlHosts), options.port, host);
  const sockets = createStreamServer(servers, sandbox);
  const port = portOf(servers[0]) ?? options.port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    baseUrl: `http://${shown}:${port}`,
    wsUrl: `ws://${shown}:${port}`,
    port,
    close: () => close(servers, sockets),
  };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** One server for an address; `localhost` is every loopback address that this machine has. */
async function bind(
  create: () => Server,
  port: number,
  host: string,
): Promise<readonly [Server, ...Server[]]> {
  const [address = host, ...others] = host === 'localhost' ? await loopbackAddresses() : [host];
  const first = create();
  await bound(first, port, address);
  const servers: [Server, ...Server[]] = [first];
  for (const other of others) {
    const server = create();
    try {
      await bound(server, portOf(first) ?? port, other);
      servers.push(server);
    } catch (error) {
      if (!isMissingAddress(error)) {
        await Promise.all(servers.map(closed));
        throw error;
      }
    }
  }
  return servers;
}

const loopbackAddresses = async (): Promise<readonly string[]> => {
  const found = await lookup('localhost', { all: true });
  return [...new Set(found.map(({ address }) => address))];
};

const isMissingAddress = (error: unknown): boolean =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(error) ?? '');

const codeOf = (error: unknown) => (error as { readonly code?: string }).code;

function bound(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(codeOf(error) === 'EADDRINUSE' ? inUse(port, host, error) : error);
    });
    server.listen({ port, host }, resolve);
  });
}

const inUse = (port: number, host: string, cause: Error): PortInUseError =>
  new PortInUseError(`port ${port} on ${host} is in use: choose another, or 0 for any free one`, {
    cause,
  });

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

async function close(servers: readonly Server[], sockets: WebSocketServer): Promise<void> {
  for (const webSocket of sockets.clients) webSocket.terminate();
  sockets.close();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_WITHIN_MS);
  });
  await Promise.race([Promise.all(servers.map(closed)), late]);
  clearTimeout(timer);
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
