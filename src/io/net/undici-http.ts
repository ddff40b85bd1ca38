import { Pool, type buildConnector, type Dispatcher } from 'undici';
import { TransportError, type HttpRequest, type HttpResponse } from '../../core/ports.js';
import { guardedConnector, type AddressCheck } from './guarded-connector.js';

export interface UndiciHttpOptions {
  /** Limit of TCP connect and TLS handshake. Default 3 s. */
  readonly connectTimeoutMs?: number;
  /** Limit of one response body. Default 2 MiB. */
  readonly maxBodyBytes?: number;
  /** Sockets per origin. Further requests wait. Default 8. */
  readonly connectionsPerOrigin?: number;
  /** PEM of an additional authority to trust. */
  readonly certificateAuthority?: string;
  /** Addresses to which a connection is allowed. Absent: every address. */
  readonly mayConnect?: AddressCheck;
}

/** HTTP/1.1 with one exchange at a time on a socket: no pipelining, redirect or retry. */
export interface UndiciHttp {
  /** @throws TransportError */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Destroys every socket. Requests in flight fail. */
  close(): Promise<void>;
}

const MIB = 1_048_576;
const MAX_HEADER_BYTES = 65_536;

export function createUndiciHttp(options: UndiciHttpOptions = {}): UndiciHttp {
  const pools = new Map<string, Pool>();
  const maxBodyBytes = options.maxBodyBytes ?? 2 * MIB;
  let closed = false;
  const poolOf = (origin: string): Pool => {
    if (closed) throw new Error('the network is closed');
    const pool = pools.get(origin) ?? createPool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  return {
    request: (request) => dispatchRequest(poolOf, request, maxBodyBytes),
    async close() {
      closed = true;
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

function createPool(origin: string, options: UndiciHttpOptions): Pool {
  const connector: buildConnector.BuildOptions = {
    timeout: options.connectTimeoutMs ?? 3_000,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot disable it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
  };
  return new Pool(origin, {
    connections: options.connectionsPerOrigin ?? 8,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // ResponseHandler has one timer for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect:
      options.mayConnect === undefined
        ? connector
        : guardedConnector(connector, options.mayConnect),
  });
}

function dispatchRequest(
  poolOf: (origin: string) => Pool,
  request: HttpRequest,
  maxBodyBytes: number,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ResponseHandler(resolve, reject, request.timeoutMs, maxBodyBytes);
    try {
      const url = new URL(request.url);
      poolOf(url.origin).dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: { ...request.headers, 'accept-encoding': 'identity' },
          body: request.body ?? null,
        },
        handler,
      );
    } catch (error) {
      handler.fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/**
 * One exchange. undici calls `onRequestStart` immediately before it writes to a socket, so an exchange
 * that never started has sent no byte: every error of it means "not sent".
 */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: TransportError) => void;
  readonly #maxBodyBytes: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #size = 0;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(
    resolve: (response: HttpResponse) => void,
    reject: (error: TransportError) => void,
    timeoutMs: number,
    maxBodyBytes: number,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#maxBodyBytes = maxBodyBytes;
    this.#timer = setTimeout(() => {
      this.fail(new Error(`no complete response within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      // The request timed out while it waited for a socket: it must not be sent now (hazard A28).
      controller.abort(new Error('the request timed out before it was sent'));
      return;
    }
    if (this.#controller !== undefined) {
      const error = new Error('a second send was prevented');
      this.fail(error);
      controller.abort(error);
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = plainHeaders(headers);
    const encoding = this.#headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      this.fail(new Error(`the response has the encoding ${encoding}, which was not requested`));
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBodyBytes) {
      this.fail(new Error(`the response is larger than ${this.#maxBodyBytes} bytes`));
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    this.#settle();
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(cause: Error): void {
    if (this.#settled) return;
    this.#settle();
    const sent = this.#controller !== undefined;
    this.#reject(new TransportError(describe(cause), { sent, cause }));
    // Closes the socket too: a late response must not be read as that of the next request.
    this.#controller?.abort(cause);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
  }
}

function plainHeaders(headers: Record<string, string | string[] | undefined>) {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}

function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return `${error.message === '' ? error.name : error.message}${code}`;
}
