import type { Json } from './json.js';

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** Whole path, percent-encoded where it must be; without the query. */
  readonly path: string;
  /** `null` stands for a bare key: `?is_symbol`. A text is sent as it is written, after the `?`. */
  readonly query?: string | Readonly<Record<string, string | null>>;
  /** A text is sent as it is; anything else as JSON. */
  readonly body?: unknown;
  /** `null` takes a header away: the key, or the content type. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** undefined when the text is not JSON. */
  readonly json: Json | undefined;
}

/** Sends one request and hands over what came back: plain HTTP, or the client library. */
export interface Driver {
  call(request: RawRequest): Promise<Answer>;
}

/** One WebSocket connection. */
export interface Stream {
  send(message: unknown): void;
  ping(): void;
  /** Everything received so far that was not taken yet; takes it. */
  take(): readonly Json[];
  /** The first that fits; takes it alone. */
  takeOne(fits: (frame: Json) => boolean): Json | undefined;
  readonly isOpen: boolean;
  /** undefined until it closes; 1006 when it broke without a close frame. */
  readonly closeCode: number | undefined;
  readonly pongs: number;
  close(): void;
}

export type Handshake =
  | { readonly kind: 'open'; readonly stream: Stream }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** The control paths of a sandbox: what no documented request can bring about. */
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

/** What a case may touch. */
export interface Venue {
  call(
    method: RawRequest['method'],
    path: string,
    request?: Omit<RawRequest, 'method' | 'path'>,
  ): Promise<Answer>;
  connect(path?: string): Promise<Handshake>;
  /** undefined: this venue has none, and a case that needs them is skipped. */
  readonly controls: Controls | undefined;
  /** Venue time passes: a manual clock is moved, any other is waited for. */
  pass(ms: number): Promise<void>;
  /** Real time passes: rate windows, idle connections, asynchronous fills. */
  wait(ms: number): Promise<void>;
  /** Venue ms UTC. */
  now(): Promise<number>;
  /** Traded by the cases; cheap ones, of which the smallest order costs little. */
  readonly symbols: { readonly first: string; readonly second: string };
}

/** The case cannot be judged on this venue; the reason is printed. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** The control paths, or the case is skipped. */
export function controlsOf(venue: Venue): Controls {
  if (venue.controls === undefined) throw new Skip('the venue has no control paths');
  return venue.controls;
}
