import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import type { WebSocketServer } from 'ws';
import { createHttpServer } from './http-server.js';
import { PortInUseError } from './port-in-use-error.js';
import type { Sandbox } from '../sandbox.js';
import { SandboxOptionError } from '../sandbox-clock.js';
import { createStreamServer } from '../stream/stream-server.js';

export { PortInUseError };

export interface ListenOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Required for hosts other than loopback, since control paths need no key. */
  readonly allowRemote?: boolean;
  /** Further host names, besides `host` and loopback, under which control paths may be called. */
  readonly allowHosts?: readonly string[];
}

export interface SandboxServer {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  /** Closes within a second, even with open connections. The sandbox itself continues. */
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
      `host ${host} is not loopback, and control paths need no key: every caller could control the sandbox. Set allowRemote to permit it`,
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

/** One server per address; `localhost` means every loopback address of this machine. */
async function bind(
  create: () => Server,
  port: number,
  host: string,
): Promise<readonly [Server, ...Server[]]> {
  const [address = host, ...others] = host === 'localhost' ? await loopbackAddresses() : [host];
  const first = create();
  await bindServer(first, port, address);
  const servers: [Server, ...Server[]] = [first];
  for (const other of others) {
    const server = create();
    try {
      await bindServer(server, portOf(first) ?? port, other);
      servers.push(server);
    } catch (error) {
      if (!isMissingAddress(error)) {
        await Promise.all(servers.map(closeServer));
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

function bindServer(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(codeOf(error) === 'EADDRINUSE' ? portInUse(port, host, error) : error);
    });
    server.listen({ port, host }, resolve);
  });
}

const portInUse = (port: number, host: string, cause: Error): PortInUseError =>
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
  await Promise.race([Promise.all(servers.map(closeServer)), late]);
  clearTimeout(timer);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
