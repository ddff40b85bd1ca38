import type { Json } from './json.js';

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** Whole path, percent-encoded where it must be; without the query. */
  readonly path: string;
  /** `null` is a bare key: `?is_symbol`. A text is sent unchanged after the `?`. */
  readonly query?: string | Readonly<Record<string, string | null>>;
  /** A text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  /** `null` removes a header: the key, or the content type. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

export interface RawResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: Json | undefined;
}

/** Sends one request and returns its answer, by plain HTTP or the client library. */
export interface VenueDriver {
  call(request: RawRequest): Promise<RawResponse>;
}

/** One WebSocket connection. */
export interface ContractStream {
  send(message: unknown): void;
  ping(): void;
  /** Takes all queued frames. */
  take(): readonly Json[];
  /** Takes the first matching frame only. */
  takeOne(fits: (frame: Json) => boolean): Json | undefined;
  readonly isOpen: boolean;
  /** Undefined until it closes; 1006 after a break without a close frame. */
  readonly closeCode: number | undefined;
  readonly pongs: number;
  close(): void;
}

export type Handshake =
  | { readonly kind: 'open'; readonly stream: ContractStream }
  | { readonly kind: 'refused'; readonly answer: RawResponse };

/** The control paths of a sandbox, for effects that no documented request has. */
export interface Controls {
  holdPrice(symbol: string, price: string): Promise<void>;
  releasePrice(symbol: string): Promise<void>;
  /** Fills this much of a resting order at its price. */
  fill(orderId: string, quantity: string): Promise<void>;
  lock(symbol: string, locked: boolean): Promise<void>;
  delist(symbol: string, delisting: boolean): Promise<void>;
  hedgeRate(rate: string): Promise<void>;
  faults(list: readonly unknown[]): Promise<void>;
}

/** The venue as a case may use it. */
export interface VenueUnderTest {
  call(
    method: RawRequest['method'],
    path: string,
    request?: Omit<RawRequest, 'method' | 'path'>,
  ): Promise<RawResponse>;
  connect(path?: string): Promise<Handshake>;
  /** Undefined if the venue has none. Cases that need them are skipped. */
  readonly controls: Controls | undefined;
  /** Lets venue time pass: advances a manual clock, or waits. */
  pass(ms: number): Promise<void>;
  /** Lets real time pass, for rate windows, idle connections and asynchronous fills. */
  wait(ms: number): Promise<void>;
  /** Venue ms UTC. */
  now(): Promise<number>;
  /** Symbols that the cases trade, with low minimum orders. */
  readonly symbols: { readonly first: string; readonly second: string };
}

/** The case cannot run against this venue; the reason is printed. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** The control paths. @throws Skip if the venue has none */
export function controlsOf(venue: VenueUnderTest): Controls {
  if (venue.controls === undefined) throw new Skip('the venue has no control paths');
  return venue.controls;
}
