import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { failure, jsonReply, type HttpReply } from './http-message.js';
import { PortInUseError } from './port-in-use-error.js';
import type { Sandbox } from './sandbox.js';
import { SandboxOptionError } from './sandbox-clock.js';
import type { StreamConnection } from './stream-session.js';
import type { StreamPeer } from './streams.js';

export { PortInUseError };

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Without it only loopback hosts are accepted: the sandbox has control paths without a key. */
  readonly allowRemote?: boolean;
}

export interface SandboxServer {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly port: number;
  /** Within a second, whatever is open. Leaves the sandbox itself running. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;
/** A client that does not read what it subscribed to is cut off beyond this. */
const MAX_BUFFERED_BYTES = 8_388_608;
const CLOSE_WITHIN_MS = 900;
/** From the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 30_000;

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
  const app = httpServer(sandbox);
  const sockets = webSocketServer(app.server, sandbox);
  await bind(app, options.port, host);
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    baseUrl: `http://${shown}:${port}`,
    wsUrl: `ws://${shown}:${port}`,
    port,
    close: () => close(app, sockets),
  };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

function httpServer(sandbox: Sandbox): FastifyInstance {
  const tooLarge = jsonReply(failure(413, 'request body is larger than 1 MiB'));
  const malformed = jsonReply(failure(400, 'Params error'));
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    clientErrorHandler: refuseUnreadable,
    // A path that the framework cannot decode is an unknown path like any other.
    frameworkErrors: (_error, request, reply) => {
      void answer(sandbox, request, reply);
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  // A body is read whatever its header says, also when that is no content type at all.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] !== undefined) {
      request.raw.headers['content-type'] = 'text/plain';
    }
    done();
  });
  app.setErrorHandler((error: { readonly statusCode?: number }, _request, reply) => {
    void sendReply(reply, error.statusCode === 413 ? tooLarge : malformed);
  });
  const serve = (request: FastifyRequest, reply: FastifyReply) => answer(sandbox, request, reply);
  app.all('/*', serve);
  app.setNotFoundHandler(serve);
  return app;
}

/** What is not HTTP, has more headers than fit, or takes for ever. The connection is of no more use. */
function refuseUnreadable(error: { readonly code?: string }, socket: Socket): void {
  const [status, text] = UNREADABLE[error.code ?? ''] ?? [400, 'Bad Request'];
  refuse(socket, jsonReply(failure(status, text)));
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

async function answer(
  sandbox: Sandbox,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [path = '', ...query] = (request.raw.url ?? '').split('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const answered = await sandbox.handle({
    method: request.method,
    path,
    query: query.join('?'),
    headers,
    body: typeof request.body === 'string' ? request.body : '',
    remoteAddress: request.raw.socket.remoteAddress ?? '',
  });
  if (answered !== 'reset' && answered.cutAfterBytes === undefined) {
    return sendReply(reply, answered);
  }
  reply.hijack();
  if (answered === 'reset') request.raw.socket.destroy();
  else sendCut(reply, answered);
  return reply;
}

function sendReply(reply: FastifyReply, { status, headers, body, bytes }: HttpReply): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(bytes === undefined ? body : Buffer.from(bytes));
}

/** Promises the whole body, sends a part of it, and breaks off. */
function sendCut(reply: FastifyReply, { status, headers, body, cutAfterBytes }: HttpReply): void {
  const bytes = Buffer.from(body, 'utf8');
  reply.raw.writeHead(status, { ...headers, 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, cutAfterBytes), () => {
    reply.raw.socket?.destroy();
  });
}

function webSocketServer(server: Server, sandbox: Sandbox): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const connecting = sandbox.connect(path, request.socket.remoteAddress);
    if (connecting.kind === 'refused') {
      refuse(socket, connecting.reply);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serve(webSocket, connecting.attach(connectionOf(webSocket, socket)));
    });
  });
  return sockets;
}

/** Frames of one moment leave in one write: a boundary tells many streams at once. */
function connectionOf(webSocket: WebSocket, socket: Duplex): StreamConnection {
  let isCorked = false;
  const gather = (): void => {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    queueMicrotask(() => {
      isCorked = false;
      socket.uncork();
    });
  };
  return {
    send(text) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      if (webSocket.bufferedAmount > MAX_BUFFERED_BYTES) {
        webSocket.terminate();
        return;
      }
      gather();
      webSocket.send(text);
    },
    close() {
      webSocket.terminate();
    },
  };
}

function serve(webSocket: WebSocket, peer: StreamPeer): void {
  webSocket.on('message', (data: RawData) => {
    peer.message(textOf(data));
  });
  webSocket.on('ping', () => {
    peer.alive();
  });
  webSocket.on('pong', () => {
    peer.alive();
  });
  webSocket.on('close', () => {
    peer.closed();
  });
  // A broken frame or connection: `close` follows and tells the peer.
  webSocket.on('error', () => {
    webSocket.terminate();
  });
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');

function refuse(socket: Duplex, { status, headers, body }: HttpReply): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const length = Buffer.byteLength(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {
    socket.destroy();
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}` +
      `content-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

async function bind(app: FastifyInstance, port: number, host: string): Promise<void> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EADDRINUSE') throw error;
    throw new PortInUseError(
      `port ${port} on ${host} is in use: choose another, or 0 for any free one`,
      { cause: error },
    );
  }
}

async function close(app: FastifyInstance, sockets: WebSocketServer): Promise<void> {
  for (const webSocket of sockets.clients) webSocket.terminate();
  sockets.close();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_WITHIN_MS);
  });
  app.server.closeAllConnections();
  await Promise.race([app.close(), late]);
  clearTimeout(timer);
}
