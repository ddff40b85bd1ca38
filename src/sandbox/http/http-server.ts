import { createServer, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { failure, INTERNAL_ERROR, jsonReply } from './http-message.js';
import type { HttpReply, SandboxRequest } from './http-message.js';
import type { Sandbox } from '../sandbox.js';

export const MAX_BODY_BYTES = 1_048_576;
/** Time limit from the first to the last byte of a request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time a connection stays open between two requests, announced in the Keep-Alive header. */
const KEEP_ALIVE_MS = 72_000;
/** Methods whose body is not read, since they have none by definition. */
const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'TRACE']);

const TOO_LARGE = jsonReply(failure(413, 'request body is larger than 1 MiB'));
const FAILED = jsonReply(INTERNAL_ERROR);

/** Passes requests to the sandbox. `names` are the host names under which control paths may be called. */
export function createHttpServer(sandbox: Sandbox, controlHosts: readonly string[]): Server {
  const server = createServer((request, response) => {
    readBody(request, (body) => {
      if (body === undefined) refuseBody(response);
      else void respond(sandbox, sandboxRequest(request, body, controlHosts), response);
    });
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', refuseUnreadable);
  return server;
}

/** Calls back with the whole body, or undefined beyond the limit; not at all when the client has left. */
function readBody(request: IncomingMessage, done: (body: string | undefined) => void): void {
  if (BODYLESS.has(request.method ?? '')) {
    done('');
    return;
  }
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) {
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = (chunk: Buffer): void => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= MAX_BODY_BYTES) return;
    request.off('data', read);
    request.off('end', end);
    done(undefined);
  };
  const end = (): void => {
    done(chunks.length === 0 ? '' : Buffer.concat(chunks, bytes).toString('utf8'));
  };
  request.on('data', read);
  request.on('end', end);
}

/** Answers and closes without waiting for the rest of the body. */
function refuseBody(response: ServerResponse): void {
  response.setHeader('connection', 'close');
  sendReply(response, TOO_LARGE);
}

function sandboxRequest(
  request: IncomingMessage,
  body: string,
  controlHosts: readonly string[],
): SandboxRequest {
  const { url = '', method = '', socket } = request;
  const mark = url.indexOf('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers,
    body,
    remoteAddress: socket.remoteAddress ?? '',
    controlHosts,
  };
}

async function respond(
  sandbox: Sandbox,
  request: SandboxRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const reply = await sandbox.handle(request);
    if (reply === 'reset') response.socket?.destroy();
    else if (reply.cutAfterBytes === undefined) sendReply(response, reply);
    else sendTruncated(response, reply, reply.cutAfterBytes);
  } catch {
    // A header value is not valid, such as a redirect to characters beyond Latin-1.
    sendReply(response, FAILED);
  }
}

function sendReply(response: ServerResponse, { status, headers, body, bytes }: HttpReply): void {
  const length = bytes === undefined ? Buffer.byteLength(body) : bytes.length;
  response.writeHead(status, STATUS_CODES[status], { ...headers, 'content-length': length });
  response.end(bytes ?? body);
}

/** Announces the whole body, sends a part of it and breaks the connection. */
function sendTruncated(response: ServerResponse, reply: HttpReply, cutAfterBytes: number): void {
  const bytes = Buffer.from(reply.body, 'utf8');
  response.writeHead(reply.status, { ...reply.headers, 'content-length': bytes.length });
  response.write(bytes.subarray(0, cutAfterBytes), () => {
    response.socket?.destroy();
  });
}

/** Answers a request that is not HTTP, has too many headers or takes too long, and closes. */
function refuseUnreadable(error: { readonly code?: string }, socket: Duplex): void {
  const [status, text] = UNREADABLE[error.code ?? ''] ?? [400, 'Bad Request'];
  rejectSocket(socket, jsonReply(failure(status, text)));
}

const UNREADABLE: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Writes an answer on a bare socket and closes it. */
export function rejectSocket(socket: Duplex, { status, headers, body }: HttpReply): void {
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
