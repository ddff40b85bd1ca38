import { TransportError } from '../core/ports.js';
import type {
  HttpRequest,
  HttpResponse,
  Net,
  Scheduler,
  Socket,
  SocketHandlers,
} from '../core/ports.js';
import type { HttpReply, SandboxRequest } from './http/http-message.js';
import type { Sandbox } from './sandbox.js';
import type { StreamPeer } from './stream/streams.js';

export interface SandboxNetOptions {
  /** For example `http://127.0.0.1:8787`; requests to other addresses fail. */
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly scheduler: Scheduler;
  /** One-way latency in ms. Default 1. */
  readonly latencyMs?: number;
}

/**
 * A `Net` port connected to a sandbox in the same process. It has no sockets, and every delay uses the
 * scheduler, so it runs on virtual time. A connection that breaks without an answer stays silent here
 * until the caller's time-out.
 */
export function createSandboxNet(sandbox: Sandbox, options: SandboxNetOptions): Net {
  const { scheduler, baseUrl, wsUrl, latencyMs = 1 } = options;
  const after = (run: () => void): void => {
    scheduler.after(latencyMs, run);
  };
  return {
    request(request) {
      const url = partsOf(request.url, baseUrl);
      if (url === undefined) {
        return Promise.reject(
          new TransportError(`${request.url} cannot be reached from this sandbox`, { sent: false }),
        );
      }
      return exchangeOver(sandbox, scheduler, latencyMs, request, url);
    },
    connect(url, handlers) {
      const link = new SandboxSocket(handlers, after);
      after(() => {
        link.dial(sandbox, partsOf(url, wsUrl)?.path);
      });
      return link;
    },
  };
}

function exchangeOver(
  sandbox: Sandbox,
  scheduler: Scheduler,
  latencyMs: number,
  request: HttpRequest,
  url: { readonly path: string; readonly query: string },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const cancelTimeout = scheduler.after(request.timeoutMs, () => {
      reject(new TransportError(`no answer within ${request.timeoutMs} ms`, { sent: true }));
    });
    const settle = (reply: HttpReply | 'reset'): void => {
      if (reply === 'reset') return;
      scheduler.after(latencyMs, () => {
        cancelTimeout();
        if (reply.bytes !== undefined) {
          reject(new TransportError('the answer is too large', { sent: true }));
        } else if (reply.cutAfterBytes === undefined) resolve(responseOf(reply));
        else reject(new TransportError('the connection broke inside the answer', { sent: true }));
      });
    };
    scheduler.after(latencyMs, () => {
      sandbox.handle(sandboxRequestOf(request, url)).then(settle, (cause: unknown) => {
        cancelTimeout();
        reject(new TransportError('the sandbox failed', { sent: true, cause }));
      });
    });
  });
}

function partsOf(
  url: string,
  base: string,
): { readonly path: string; readonly query: string } | undefined {
  const root = base.replace(/\/$/, '');
  if (!url.startsWith(`${root}/`)) return undefined;
  const [path = '', ...query] = url.slice(root.length).split('?');
  return { path, query: query.join('?') };
}

function sandboxRequestOf(
  request: HttpRequest,
  url: { readonly path: string; readonly query: string },
): SandboxRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  return { method: request.method, ...url, headers, body: request.body ?? '' };
}

const responseOf = ({ status, headers, body }: HttpReply): HttpResponse => ({
  status,
  headers,
  body,
});

/** The client's end of an in-process WebSocket connection. */
class SandboxSocket implements Socket {
  readonly #handlers: SocketHandlers;
  readonly #after: (run: () => void) => void;
  #peer: StreamPeer | undefined;
  /** Closed by the client: only the close event follows. */
  #isClosing = false;
  #isClosed = false;

  constructor(handlers: SocketHandlers, after: (run: () => void) => void) {
    this.#handlers = handlers;
    this.#after = after;
  }

  dial(sandbox: Sandbox, path: string | undefined): void {
    if (this.#isClosing) return;
    const handshake = path === undefined ? undefined : sandbox.connect(path);
    if (handshake?.kind !== 'admitted') {
      const why = handshake === undefined ? 'unknown host' : `HTTP ${handshake.reply.status}`;
      this.#end(`handshake failed: ${why}`);
      return;
    }
    this.#peer = handshake.attach({
      send: (text) => {
        this.#after(() => {
          if (!this.#isClosing) this.#handlers.onMessage(text);
        });
      },
      close: () => {
        this.#after(() => {
          this.#end('closed by the server');
        });
      },
    });
    this.#handlers.onOpen();
  }

  send(text: string): void {
    this.#after(() => {
      this.#peer?.onMessage(text);
    });
  }

  ping(): void {
    this.#after(() => {
      if (this.#isClosing || this.#peer === undefined) return;
      this.#peer.onActivity();
      this.#after(() => {
        if (!this.#isClosing) this.#handlers.onAlive();
      });
    });
  }

  close(): void {
    this.#isClosing = true;
    this.#peer?.onClosed();
    this.#after(() => {
      this.#end('closed');
    });
  }

  #end(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosing = true;
    this.#isClosed = true;
    this.#peer?.onClosed();
    this.#handlers.onClose(reason);
  }
}
