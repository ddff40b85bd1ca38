import type { AccountSnapshot, TransferReport } from './account.js';
import type { Candle, CandlePrice } from './candle.js';
import type { Currency } from './currency.js';
import type { Amount, Price, Quantity, Ratio } from './fixed.js';
import type { Instrument } from './instrument.js';
import type { Interval } from './interval.js';
import type { OrderTerms } from './order.js';
import type { Reply } from './request.js';

export interface TickerRow {
  readonly symbol: string;
  readonly last: number;
  /** Absent when the venue does not know it: not 0, not the last price (hazard I22). */
  readonly mark?: number;
}

/** What an operator may say. */
export type Command =
  | { readonly kind: 'stop'; readonly policy: 'keep' | 'cancel-entries' | 'flatten' }
  | {
      readonly kind: 'kill';
      readonly level: 'pause' | 'cancel' | 'flatten';
      readonly reason: string;
    }
  | {
      /** One order by hand: judged and journaled like any. */
      readonly kind: 'order';
      readonly terms: OrderTerms;
      /** Venue ms; its bytes do not leave later. */
      readonly validUntil: number;
    }
  | { readonly kind: 'cancel'; readonly clientOrderId: string }
  | {
      /** A person vouches for an order whose outcome is not proved: it ends, and its room is free. */
      readonly kind: 'resolve';
      readonly clientOrderId: string;
      readonly as: 'never-landed';
    }
  /** A symbol, or the client order id of an order that the journal does not know: it is known now. */
  | { readonly kind: 'adopt'; readonly what: string }
  /** Withdraws a flatten that has not come to its end. */
  | { readonly kind: 'drop-flatten' }
  /** An operator's word: the cause that moved the position of a symbol is over, and its target may be traded to again. */
  | { readonly kind: 'resume'; readonly symbol: string }
  | {
      /** Cancels a limit order and, once that is proved, places what is left under a new id (C6). */
      readonly kind: 'amend';
      readonly clientOrderId: string;
      readonly price: Price;
      /** Of the old and the new order together. */
      readonly quantity: Quantity;
      readonly validUntil: number;
      /** Changes the order where it is, by one request that is proved or fenced (C2). Absent: false. */
      readonly inPlace?: boolean;
    }
  | {
      /** `force`: a person has looked at what an earlier one, never proved, did. */
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
      /** Above 0 adds, below 0 gives back, which must be allowed (F3). */
      readonly kind: 'margin';
      readonly symbol: string;
      readonly currency: Currency;
      readonly change: Amount;
      readonly reduce: boolean;
      readonly force: boolean;
    }
  | {
      /** Stop and target of an open position; an absent one stays as it is. */
      readonly kind: 'protect';
      readonly symbol: string;
      readonly currency: Currency;
      readonly stopLoss?: Price;
      readonly takeProfit?: Price;
    }
  | {
      /** For the journal alone: what a person does by requests that are no orders. */
      readonly kind: 'operation';
      readonly what: 'transfer' | 'leverage';
      readonly phase: 'begun' | 'done' | 'refused' | 'unproved';
      readonly text: string;
    };

/** Everything that can happen to the engine. Plain data: the recorder writes it, replay reads it. */
export type Happening =
  | { readonly kind: 'instruments'; readonly instruments: readonly Instrument[] }
  | {
      /** Closed candles, ascending, none twice. Not `live`: history, to warm up on, not to act on. */
      readonly kind: 'candles';
      readonly symbol: string;
      readonly interval: Interval;
      readonly candles: readonly Candle[];
      readonly live: boolean;
    }
  /** A closed candle of the base came again, with other values than those that were delivered. */
  | { readonly kind: 'revision'; readonly symbol: string; readonly candle: Candle }
  | {
      /** One second of a symbol, for strategies that ask: open times ascend, gaps are normal. */
      readonly kind: 'seconds';
      readonly symbol: string;
      readonly price: CandlePrice;
      readonly candle: Candle;
    }
  | {
      /** A closed one-minute candle of mark prices, for strategies that ask. As above. */
      readonly kind: 'mark-candles';
      readonly symbol: string;
      readonly candle: Candle;
    }
  | {
      /** The funding of a symbol that is exchanged next, for strategies that ask. */
      readonly kind: 'funding';
      readonly symbol: string;
      /** Of the position's value, as a fraction; above 0 longs pay. */
      readonly rate: number;
      /** Venue ms. */
      readonly nextSettlementMs: number;
    }
  | { readonly kind: 'tickers'; readonly rows: readonly TickerRow[] }
  | { readonly kind: 'feed'; readonly up: boolean; readonly reason: string }
  | { readonly kind: 'account'; readonly snapshot: AccountSnapshot }
  /** The venue refuses our key, or accepts it again. */
  | { readonly kind: 'access'; readonly refused: boolean; readonly cause: string }
  /** The rate budget has room for this request. */
  | { readonly kind: 'slot'; readonly requestId: number }
  | { readonly kind: 'reply'; readonly requestId: number; readonly reply: Reply }
  | { readonly kind: 'timer'; readonly key: string }
  | {
      /**
       * The code of a strategy has been ended, for what no event of ours explains: it did not return, or
       * ended its thread. `call`: the first of its calls that it did not answer, from 1. A replay makes
       * neither that call nor a later one.
       */
      readonly kind: 'strategy-lost';
      readonly strategy: string;
      readonly call: number;
      readonly reason: string;
    }
  | { readonly kind: 'command'; readonly commandId: string; readonly command: Command }
  /** The journal cannot be written: fail closed. */
  | { readonly kind: 'journal-failed'; readonly reason: string };

/** The two times of design part 4. */
export interface Stamp {
  /** ms UTC at the venue. A candle's is its close time. */
  readonly venueTime: number;
  /** ms, this process. */
  readonly monotonic: number;
}

export type EngineEvent = Stamp & Happening;
