import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { MAX_BODY_BYTES, refuse } from './http-server.js';
import type { Sandbox } from './sandbox.js';
import type { StreamConnection } from './stream-session.js';
import type { StreamPeer } from './streams.js';

/** A client that does not read what it subscribed to is cut off beyond this. */
const MAX_BUFFERED_BYTES = 8_388_608;

/** The streams of a sandbox on the same ports as its paths. */
export function createStreamServer(servers: readonly Server[], sandbox: Sandbox): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const connecting = sandbox.connect(path, request.socket.remoteAddress);
    if (connecting.kind === 'refused') {
      refuse(socket, connecting.reply);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serve(webSocket, connecting.attach(connectionOf(webSocket, socket)));
    });
  };
  for (const server of servers) server.on('upgrade', upgrade);
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
