import type { IncomingMessage } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import { responseOf } from './http-driver.js';
import { readJson, type Json } from './json.js';
import type { Handshake, ContractStream } from './venue-under-test.js';

/** Opens a WebSocket, or returns the HTTP answer that refused it. */
export function openStream(url: string): Promise<Handshake> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, autoPong: true });
    const stream = watch(socket);
    socket.on('open', () => {
      resolve({ kind: 'open', stream });
    });
    socket.on('unexpected-response', (_request, response) => {
      void readAll(response).then((text) => {
        const answer = responseOf(response.statusCode ?? 0, headersOf(response), text);
        resolve({ kind: 'refused', answer });
        socket.terminate();
      }, reject);
    });
    socket.on('error', reject);
  });
}

function watch(socket: WebSocket): ContractStream {
  let received: Json[] = [];
  let closeCode: number | undefined;
  let pongs = 0;
  socket.on('message', (data: RawData) => {
    const text = (
      Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)
    ).toString();
    received.push(readJson(text) ?? `not JSON: ${text}`);
  });
  socket.on('pong', () => {
    pongs += 1;
  });
  socket.on('close', (code) => {
    closeCode = code;
  });
  return {
    send(message) {
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    },
    ping() {
      socket.ping();
    },
    take() {
      const taken = received;
      received = [];
      return taken;
    },
    takeOne(fits) {
      const at = received.findIndex(fits);
      return at < 0 ? undefined : received.splice(at, 1)[0];
    },
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    get closeCode() {
      return closeCode;
    },
    get pongs() {
      return pongs;
    },
    close() {
      socket.terminate();
    },
  };
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const headersOf = (response: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value ?? '')]),
  );
