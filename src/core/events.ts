import type { AccountSnapshot, TransferReport } from './account.js';
import type { Candle, CandlePrice } from './candle.js';
import type { Currency } from './currency.js';
import type { Amount, Price, Quantity, Ratio } from './fixed/fixed.js';
import type { Instrument } from './instrument.js';
import type { Interval } from './interval.js';
import type { OrderTerms } from './order.js';
import type { Reply } from './request.js';

export interface TickerRow {
  readonly symbol: string;
  readonly last: number;
  /** Absent when the venue does not report it. It is never replaced by 0 or by the last price. */
  readonly mark?: number;
}

/** A command of the operator. */
export type OperatorCommand =
  | { readonly kind: 'stop'; readonly policy: 'keep' | 'cancel-entries' | 'flatten' }
  | {
      readonly kind: 'kill';
      readonly level: 'pause' | 'cancel' | 'flatten';
      readonly reason: string;
    }
  | {
      /** One manual order: checked by the risk gate and journaled like any other. */
      readonly kind: 'order';
      readonly terms: OrderTerms;
      /** Venue ms after which the request is not sent. */
      readonly validUntil: number;
    }
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  | {
      /** The operator vouches for the outcome of an unproven order. It ends and frees its exposure. */
      readonly kind: 'resolve';
      readonly clientOrderId: string;
      readonly as: 'never-landed';
    }
  /** Adopts a symbol, or an order that the journal does not know by its client order id. */
  | { readonly kind: 'adopt'; readonly what: string }
  /** Withdraws a flatten that is not complete. */
  | { readonly kind: 'drop-flatten' }
  /**
   * The operator confirms that a cause is over. With a symbol: its latched restrictions end, and target
   * trading resumes after an external position change. Without: the account's latched restrictions and the
   * kill switch end. Refused, with a note, while the cause still holds.
   */
  | { readonly kind: 'resume'; readonly symbol?: string; readonly reason?: string }
  | {
      /** Cancels a limit order and, once that is proven, places the remainder under a new id. */
      readonly kind: 'amend';
      readonly clientOrderId: string;
      readonly price: Price;
      /** Total of the old and the new order. */
      readonly quantity: Quantity;
      readonly validUntil: number;
      /** Uses the venue's own amend: one request, proven or fenced by a cancel. Absent: false. */
      readonly inPlace?: boolean;
    }
  | {
      /** `force`: the operator has checked the effect of an earlier, unproven transfer. */
      readonly kind: 'transfer';
      readonly currency: Currency;
      readonly direction: TransferReport['direction'];
      readonly amount: Amount;
      readonly force: boolean;
    }
  | {
      readonly kind: 'set-leverage';
      readonly symbol: string;
      readonly currency: Currency;
      readonly leverage: Ratio;
    }
  | {
      /** Above 0 adds margin. Below 0 removes margin, which needs `reduce`: it moves the liquidation price closer. */
      readonly kind: 'margin';
      readonly symbol: string;
      readonly currency: Currency;
      readonly change: Amount;
      readonly reduce: boolean;
      readonly force: boolean;
    }
  | {
      /** Stop and target of an open position. An absent one is left unchanged. */
      readonly kind: 'protect';
      readonly symbol: string;
      readonly currency: Currency;
      readonly stopLoss?: Price;
      readonly takeProfit?: Price;
    }
  | {
      /** For the journal only: an operation of the operator that is not an order. */
      readonly kind: 'operation';
      readonly what: 'transfer' | 'leverage';
      readonly phase: 'begun' | 'done' | 'refused' | 'unproved';
      readonly text: string;
    }
  | {
      /**
       * Limits of the `risk:` block become tighter, by key with its dots and value as text. A key that would allow
       * more changes nothing.
       */
      readonly kind: 'tighten';
      readonly limits: Readonly<Record<string, string>>;
      readonly reason: string;
    }
  /** A person has accepted the limits of the configuration: those that `tighten` set end. */
  | { readonly kind: 'loosen'; readonly reason: string }
  | StrategyCommand;

/** A command about one strategy. It stands over restarts until another one ends it. */
export type StrategyCommand =
  | {
      /** The strategy decides nothing more, and its entries are canceled. `close`: its positions are closed. */
      readonly kind: 'stop-strategy';
      readonly strategy: string;
      readonly close: boolean;
      readonly reason: string;
    }
  | {
      /** Its entries are refused, and its exits go on. `until`: venue ms; absent: until a resume. */
      readonly kind: 'pause-strategy';
      readonly strategy: string;
      readonly until?: number;
      readonly reason: string;
    }
  | { readonly kind: 'resume-strategy'; readonly strategy: string; readonly reason: string }
  | {
      /** Its stop ends. A strategy of a running engine is created again. */
      readonly kind: 'start-strategy';
      readonly strategy: string;
      /** Which start of the session it is, from 1; absent: the engine has not started its strategies yet. */
      readonly run?: number;
      /** Its code and its parameters as JSON text, with `run`. */
      readonly use?: string;
      readonly params?: string;
      readonly reason: string;
    };

/** Every input of the engine. Plain data: the recorder writes it, the replay reads it. */
export type EngineEventBody =
  | { readonly kind: 'instruments'; readonly instruments: readonly Instrument[] }
  | {
      /** Closed candles, ascending, without duplicates. Not `live`: history for the warm-up, not for decisions. */
      readonly kind: 'candles';
      readonly symbol: string;
      readonly interval: Interval;
      readonly candles: readonly Candle[];
      readonly live: boolean;
      /** The warm-up of this strategy alone, before a start of it while the engine runs. */
      readonly strategy?: string;
    }
  /** The account is read before the warm-up is over: strategies wait for the end of it. */
  | { readonly kind: 'warm-up'; readonly isPending: boolean }
  /** A closed base candle arrived again with other values than the delivered one. */
  | { readonly kind: 'revision'; readonly symbol: string; readonly candle: Candle }
  | {
      /** A one-second candle, for strategies that subscribe. Open times ascend, gaps are normal. */
      readonly kind: 'seconds';
      readonly symbol: string;
      readonly price: CandlePrice;
      readonly candle: Candle;
    }
  | {
      /** A closed one-minute candle of mark prices, for strategies that subscribe. Gaps are normal. */
      readonly kind: 'mark-candles';
      readonly symbol: string;
      readonly candle: Candle;
    }
  | {
      /** The next funding settlement of a symbol, for strategies that subscribe. */
      readonly kind: 'funding';
      readonly symbol: string;
      /** Fraction of the position's value. Above 0 longs pay. */
      readonly rate: number;
      /** Venue ms. */
      readonly nextSettlementMs: number;
    }
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[] }
  | { readonly kind: 'feed'; readonly up: boolean; readonly reason: string }
  | { readonly kind: 'account'; readonly snapshot: AccountSnapshot }
  /** The venue cannot be read (maintenance, an outage, no connection), or it can again. */
  | { readonly kind: 'availability'; readonly available: boolean; readonly cause: string }
  /** A poll of the account got a 5xx. Polls that fail within a second are one event. */
  | { readonly kind: 'poll-failed'; readonly cause: string }
  /** The venue's clock minus this machine's, ms. */
  | { readonly kind: 'clock-skew'; readonly skewMs: number }
  /** The venue refuses our API key, or accepts it again. */
  | { readonly kind: 'access'; readonly refused: boolean; readonly cause: string }
  /** The rate budget grants the permit of this request. */
  | { readonly kind: 'slot'; readonly requestId: number }
  | { readonly kind: 'reply'; readonly requestId: number; readonly reply: Reply }
  | { readonly kind: 'timer'; readonly key: string }
  | {
      /**
       * The strategy's worker failed: a call did not return, or the thread ended. No other event explains
       * that. `call`: the first unanswered call, from 1. A replay makes neither that call nor a later one.
       */
      readonly kind: 'strategy-lost';
      readonly strategy: string;
      /** As in `start-strategy`; absent: since the start of the session. */
      readonly run?: number;
      readonly call: number;
      readonly reason: string;
    }
  | { readonly kind: 'command'; readonly commandId: string; readonly command: OperatorCommand }
  /** The journal cannot be written: the engine fails closed. */
  | { readonly kind: 'journal-failed'; readonly reason: string };

/** The two times of an event. */
export interface EventTime {
  /** ms UTC at the venue. For a candle, its close time. */
  readonly venueTime: number;
  /** ms, this process. */
  readonly monotonic: number;
}

export type EngineEvent = EventTime & EngineEventBody;
