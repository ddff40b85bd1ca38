import { WebSocket } from 'ws';
import type { Socket, SocketHandlers } from '../core/ports.js';

export interface WsSocketOptions {
  /** PEM of an additional authority to trust. */
  readonly certificateAuthority?: string;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_PAYLOAD_BYTES = 1_048_576;

/**
 * One WebSocket, text frames only, no compression, no redirect (reliability S-14). A binary frame or
 * one above 1 MiB ends the connection.
 */
export function connectWebSocket(
  url: string,
  handlers: SocketHandlers,
  options: WsSocketOptions = {},
): Socket {
  const socket = new WebSocket(url, {
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
  });
  let failure: string | undefined;
  socket.on('open', () => handlers.onOpen());
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      failure = 'a binary frame arrived';
      socket.terminate();
      return;
    }
    handlers.onMessage(data.toString('utf8'));
  });
  socket.on('ping', () => handlers.onAlive());
  socket.on('pong', () => handlers.onAlive());
  // ws always emits 'close' after 'error'; the error only names the reason.
  socket.on('error', (error) => (failure ??= error.message));
  socket.on('close', (code, reason) => {
    handlers.onClose(failure ?? closeText(code, reason.toString('utf8')));
  });
  const whenOpen = (act: () => void): void => {
    if (socket.readyState === WebSocket.OPEN) act();
  };
  return {
    // On a socket that is closing a frame is lost in any case; `onClose` tells.
    send: (text) => whenOpen(() => socket.send(text)),
    ping: () => whenOpen(() => socket.ping()),
    close: () => socket.terminate(),
  };
}

const closeText = (code: number, reason: string): string =>
  reason === '' ? `closed with code ${code}` : `closed with code ${code}: ${reason}`;
