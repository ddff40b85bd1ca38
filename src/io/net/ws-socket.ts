import { WebSocket, type ClientOptions } from 'ws';
import type { Socket, SocketHandlers } from '../../core/ports.js';
import type { AddressCheck } from './guarded-connector.js';

export interface WsSocketOptions {
  /** PEM of an additional authority to trust. */
  readonly certificateAuthority?: string;
  /** Addresses to which a connection is allowed. Absent: every address. */
  readonly mayConnect?: AddressCheck;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_PAYLOAD_BYTES = 1_048_576;

/**
 * One WebSocket: text frames only, no compression, no redirect. A binary frame or one above 1 MiB
 * closes the connection.
 */
export function connectWebSocket(
  url: string,
  handlers: SocketHandlers,
  options: WsSocketOptions = {},
): Socket {
  const socket = new WebSocket(url, clientOptionsOf(options));
  forwardEvents(socket, handlers, options.mayConnect);
  const ifOpen = (action: () => void): void => {
    if (socket.readyState === WebSocket.OPEN) action();
  };
  return {
    // A frame on a closing socket is lost in any case; `onClose` reports it.
    send: (text) => ifOpen(() => socket.send(text)),
    ping: () => ifOpen(() => socket.ping()),
    close: () => socket.terminate(),
  };
}

const clientOptionsOf = ({ certificateAuthority }: WsSocketOptions): ClientOptions => ({
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  maxPayload: MAX_PAYLOAD_BYTES,
  perMessageDeflate: false,
  followRedirects: false,
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
});

function forwardEvents(
  socket: WebSocket,
  handlers: SocketHandlers,
  mayConnect: AddressCheck | undefined,
): void {
  let failure: string | undefined;
  // The address of the open connection: a name may resolve to another one than before. No secret was sent.
  socket.on('upgrade', ({ socket: { remoteAddress: address = 'unknown' } }) => {
    if (mayConnect === undefined || mayConnect(address)) return;
    failure = `the address ${address} is private, and a connection to it is not allowed`;
    socket.terminate();
  });
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
}

const closeText = (code: number, reason: string): string =>
  reason === '' ? `closed with code ${code}` : `closed with code ${code}: ${reason}`;
