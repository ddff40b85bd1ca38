import type { Net } from '../../core/ports.js';
import { createUndiciHttp, type UndiciHttpOptions } from './undici-http.js';
import { connectWebSocket } from './ws-socket.js';

export interface NodeNet extends Net {
  /** Destroys the HTTP sockets. The caller closes its WebSockets. */
  close(): Promise<void>;
}

/**
 * The real network. It holds no secret: headers come from the caller. Proxy variables of the
 * environment are ignored: they could send orders and keys through another host.
 */
export function createNodeNet(options: UndiciHttpOptions = {}): NodeNet {
  const http = createUndiciHttp(options);
  const { certificateAuthority, mayConnect } = options;
  const socketOptions = {
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(mayConnect !== undefined && { mayConnect }),
  };
  return {
    request: (request) => http.request(request),
    connect: (url, handlers) => connectWebSocket(url, handlers, socketOptions),
    close: () => http.close(),
  };
}
