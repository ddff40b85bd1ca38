import type { Net } from '../core/ports.js';
import { createUndiciHttp, type UndiciHttpOptions } from './undici-http.js';
import { connectWebSocket } from './ws-socket.js';

export interface NodeNet extends Net {
  /** Destroys the HTTP sockets. WebSockets belong to who opened them. */
  close(): Promise<void>;
}

/** The real network. Knows no secret: headers are the caller's. Ignores proxy variables (S-15). */
export function createNodeNet(options: UndiciHttpOptions = {}): NodeNet {
  const http = createUndiciHttp(options);
  const socketOptions =
    options.certificateAuthority === undefined
      ? {}
      : { certificateAuthority: options.certificateAuthority };
  return {
    request: (request) => http.request(request),
    connect: (url, handlers) => connectWebSocket(url, handlers, socketOptions),
    close: () => http.close(),
  };
}
