import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { MAX_BODY_BYTES, rejectSocket } from '../http/http-server.js';
import type { Sandbox } from '../sandbox.js';
import type { StreamConnection } from './sandbox-stream-session.js';
import type { StreamPeer } from './streams.js';

/** Unread bytes after which a slow client is disconnected. */
const MAX_BUFFERED_BYTES = 8_388_608;

/** Serves the streams of a sandbox on the ports of its HTTP paths. */
export function createStreamServer(servers: readonly Server[], sandbox: Sandbox): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const handshake = sandbox.connect(path, request.socket.remoteAddress);
    if (handshake.kind === 'refused') {
      rejectSocket(socket, handshake.reply);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serve(webSocket, handshake.attach(connectionOf(webSocket, socket)));
    });
  };
  for (const server of servers) server.on('upgrade', upgrade);
  return sockets;
}

/** Batches the frames of one second into one write, since a boundary has frames of many streams. */
function connectionOf(webSocket: WebSocket, socket: Duplex): StreamConnection {
  let isCorked = false;
  const corkFrames = (): void => {
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
      corkFrames();
      webSocket.send(text);
    },
    close() {
      webSocket.terminate();
    },
  };
}

function serve(webSocket: WebSocket, peer: StreamPeer): void {
  webSocket.on('message', (data: RawData) => {
    peer.onMessage(textOf(data));
  });
  webSocket.on('ping', () => {
    peer.onActivity();
  });
  webSocket.on('pong', () => {
    peer.onActivity();
  });
  webSocket.on('close', () => {
    peer.onClosed();
  });
  // A broken frame or connection: the `close` event follows.
  webSocket.on('error', () => {
    webSocket.terminate();
  });
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
