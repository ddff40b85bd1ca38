import type { Observable } from 'rxjs';
import type { AccountSnapshot } from '../core/account.js';
import type { Candle } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import type { TickerRow } from '../core/events.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { Priority, Reply, VenueRequest } from '../core/request.js';

/** Where a caller catches it: a read that the caller cannot go on without has failed. */
export class VenueError extends Error {
  override readonly name = 'VenueError';
  /** HTTP status, when one was read. */
  readonly status: number | undefined;
  /** Time can mend it: nothing answered, or what did could not be read. */
  readonly passing: boolean;
  constructor(
    message: string,
    options?: ErrorOptions & { readonly status?: number; readonly passing?: boolean },
  ) {
    super(message, options);
    this.status = options?.status;
    this.passing = options?.passing ?? false;
  }
}

/** Whether another try later may have another outcome than this one, which was no `yes`. */
export const isPassing = (kind: 'no' | 'unknown', status: number | undefined): boolean => {
  if (status === undefined) return kind === 'unknown';
  if (status === 401 || status === 403) return false;
  return kind === 'unknown' || status === 423 || status === 429 || status >= 500;
};

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

/** Symbols by what is wanted of them. */
export interface WantedMarket {
  /** Closed one-minute candles. */
  readonly candles: readonly string[];
  readonly tickers: readonly string[];
  /** Closed one-minute candles of mark prices. */
  readonly mark?: readonly string[];
  /** One-second candles: see `MarketMessage`. */
  readonly seconds?: readonly string[];
  readonly markSeconds?: readonly string[];
}

/** What arrives on the market-data connection. `up` follows every (re)connect. */
export type MarketMessage =
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly reason: string }
  /** A closed one-minute candle, as sent: may be late, doubled or out of order. */
  | { readonly kind: 'candle'; readonly symbol: string; readonly candle: Candle }
  /** A closed one-minute candle of mark prices, without volume. */
  | { readonly kind: 'mark-candle'; readonly symbol: string; readonly candle: Candle }
  /**
   * About once a second while there are trades. Only `close` is sure to be of that second: a venue
   * was seen to send the running minute, stamped with the second (supplement, part 1).
   */
  | { readonly kind: 'second'; readonly symbol: string; readonly candle: Candle }
  /** A one-second candle of mark prices, without volume; only seconds in which they changed. */
  | { readonly kind: 'mark-second'; readonly symbol: string; readonly candle: Candle }
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[] };

export interface WantedAccount {
  /** Positions, open orders and wallet of each, in each round. */
  readonly currencies: readonly Currency[];
  readonly everyMs: number;
  /** Positions and open orders alone, in the first round and seldom: what others have there. */
  readonly seldom?: { readonly currencies: readonly Currency[]; readonly everyMs: number };
  /** Whether everything waits for this picture: its reads then go like lookups. Default: never. */
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

/** The port to a venue, in the engine's words. Live, paper and simulation stand behind it. */
export interface Venue {
  /**
   * Listed instruments: the `wanted` ones and whatever was read on the way to them; without it, or where
   * one of them is not found, every one. @throws VenueError
   */
  instruments(wanted?: readonly string[]): Promise<readonly Instrument[]>;
  /** Closed candles, ascending, as many calls as it takes. @throws VenueError */
  candles(range: CandleRange): Promise<readonly Candle[]>;
  /** Cold: connects on subscribe, reconnects for ever, closes on unsubscribe. Never errors. */
  market$(wanted: WantedMarket): Observable<MarketMessage>;
  /** Cold: polls positions, open orders and wallet of each currency. Never errors. */
  account$(wanted: WantedAccount): Observable<AccountMessage>;
  /** Takes the slot of a request that may be sent now, before nobody who waits. @returns whether it has it */
  slotNow(request: VenueRequest, priority: Priority): boolean;
  /** Resolves when the request may be sent now without breaking a limit. */
  slot(request: VenueRequest, priority: Priority): Promise<void>;
  /** One attempt. Never rejects: what cannot be read is an `unknown` outcome. */
  send(request: VenueRequest): Promise<Reply>;
}
