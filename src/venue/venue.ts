import type { Observable } from 'rxjs';
import type { AccountSnapshot } from '../core/account.js';
import type { Candle } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import type { TickerRow } from '../core/events.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { Outcome, Priority, Reply, VenueRequest } from '../core/request.js';

/** A read failed that its caller cannot do without. */
export class VenueError extends Error {
  override readonly name = 'VenueError';
  /** HTTP status, when one was read. */
  readonly status: number | undefined;
  /** A later attempt can succeed: no answer, or an unreadable one. */
  readonly isTransient: boolean;
  constructor(
    message: string,
    options?: ErrorOptions & { readonly status?: number; readonly isTransient?: boolean },
  ) {
    super(message, options);
    this.status = options?.status;
    this.isTransient = options?.isTransient ?? false;
  }
}

/** Whether a later attempt can succeed after an outcome other than `yes`. */
export const isTransientFailure = (kind: 'no' | 'unknown', status: number | undefined): boolean => {
  if (status === undefined) return kind === 'unknown';
  if (status === 401 || status === 403) return false;
  return kind === 'unknown' || status === 423 || status === 429 || status >= 500;
};

/** @param what is read, as the subject of a sentence: `The instruments` */
export function failedRead(
  what: string,
  outcome: Exclude<Outcome<unknown>, { readonly kind: 'yes' }>,
): VenueError {
  const { kind, status } = outcome;
  const reason = outcome.kind === 'no' ? `HTTP ${status}: ${outcome.text}` : outcome.cause;
  return new VenueError(`${what} cannot be read: ${reason}`, {
    ...(status !== undefined && { status }),
    isTransient: isTransientFailure(kind, status),
  });
}

export interface CandleRange {
  readonly symbol: string;
  readonly interval: Interval;
  /** ms UTC, inclusive. */
  readonly fromMs: number;
  /** ms UTC, exclusive: only candles that closed by it. */
  readonly toMs: number;
  /** Default: last. Candles of mark prices have no volume; not every venue has them. */
  readonly price?: 'last' | 'mark';
}

/** Symbols of each market data stream. */
export interface MarketSubscription {
  /** Closed one-minute candles. */
  readonly candles: readonly string[];
  readonly tickers: readonly string[];
  /** Closed one-minute candles of mark prices. */
  readonly mark?: readonly string[];
  /** One-second candles: see `MarketMessage`. */
  readonly seconds?: readonly string[];
  readonly markSeconds?: readonly string[];
}

/** A message of the market data connection. `up` follows every (re)connect. */
export type MarketMessage =
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly reason: string }
  /** A closed one-minute candle, as sent: may be late, doubled or out of order. */
  | { readonly kind: 'candle'; readonly symbol: string; readonly candle: Candle }
  /** A closed one-minute candle of mark prices, without volume. */
  | { readonly kind: 'mark-candle'; readonly symbol: string; readonly candle: Candle }
  /**
   * About once a second while there are trades. Only `close` is certain to belong to that second: a
   * venue has sent the running minute, stamped with the second (supplement: streams).
   */
  | { readonly kind: 'second'; readonly symbol: string; readonly candle: Candle }
  /** A one-second candle of mark prices, without volume; only seconds in which they changed. */
  | { readonly kind: 'mark-second'; readonly symbol: string; readonly candle: Candle }
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[] };

export interface AccountSubscription {
  /** Positions, open orders and wallet of each are read in every cycle. */
  readonly currencies: readonly Currency[];
  readonly everyMs: number;
  /** External activity: positions and open orders only, in the first cycle and then every `everyMs`. */
  readonly infrequent?: { readonly currencies: readonly Currency[]; readonly everyMs: number };
  /** Whether trading waits for this snapshot: its reads then get priority `verify`. Default: never. */
  readonly isAwaited?: () => boolean;
}

export type AccountMessage =
  | { readonly kind: 'snapshot'; readonly snapshot: AccountSnapshot }
  | {
      readonly kind: 'poll-failed';
      readonly what: string;
      readonly cause: string;
      /** HTTP status, when one was read. */
      readonly status?: number;
    };

/** The port to a venue, in the engine's types. Live trading and paper trading implement it. */
export interface Venue {
  /**
   * Listed instruments: at least `symbols`, if all of them are listed; otherwise every instrument.
   * @throws VenueError
   */
  instruments(symbols?: readonly string[]): Promise<readonly Instrument[]>;
  /** Closed candles, ascending, from as many calls as needed. @throws VenueError */
  candles(range: CandleRange): Promise<readonly Candle[]>;
  /** Cold: connects on subscribe, reconnects for ever, closes on unsubscribe. Never errors. */
  market$(subscription: MarketSubscription): Observable<MarketMessage>;
  /** Cold: polls positions, open orders and wallet of each currency. Never errors. */
  account$(subscription: AccountSubscription): Observable<AccountMessage>;
  /** Takes a permit if the request may be sent now and no other request waits. @returns whether it did */
  tryAcquirePermit(request: VenueRequest, priority: Priority): boolean;
  /** Resolves when the request may be sent now without breaking a limit. */
  acquirePermit(request: VenueRequest, priority: Priority): Promise<void>;
  /** One attempt. Never rejects: an unreadable answer is an `unknown` outcome. */
  send(request: VenueRequest): Promise<Reply>;
}
