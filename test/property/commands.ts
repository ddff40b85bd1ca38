import type { Currency } from '../../src/core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../../src/core/fixed.js';
import type { OrderTerms, OrderType } from '../../src/core/order.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import type { IntrabarPath } from '../../src/exchange/candle-path.js';

/**
 * What may be asked of an exchange, legal or not; things are chosen by number when it is asked. Stops
 * and targets of positions are drawn as steps of 0.1 from the last price: below 0 on the wrong side.
 */
export type Command =
  | {
      readonly kind: 'place';
      readonly terms: OrderTerms;
      readonly id?: string;
      readonly leverage?: Ratio;
    }
  | { readonly kind: 'cancel' | 'refuse'; readonly order: Choice }
  | {
      readonly kind: 'amend';
      readonly order: Choice;
      readonly price: Price;
      readonly quantity: Quantity;
    }
  | { readonly kind: 'fill-part'; readonly order: Choice; readonly part: Part }
  | {
      readonly kind: 'protect';
      readonly position: Choice;
      readonly stopLoss?: number;
      readonly takeProfit?: number;
      readonly id?: string;
    }
  | {
      readonly kind: 'move-protection';
      readonly position: Choice;
      readonly stopLoss?: number;
      readonly takeProfit?: number;
      /** Names an order that is no leg of the position. */
      readonly wrong: boolean;
    }
  /** So many per cent of the margin that is there: below 0 gives back. */
  | { readonly kind: 'margin'; readonly position: Choice; readonly percent: number }
  | {
      readonly kind: 'close-part';
      readonly position: Choice;
      readonly type: OrderType;
      readonly part: Part;
      readonly price?: Price;
      readonly id?: string;
    }
  | { readonly kind: 'close' | 'reverse'; readonly position: Choice }
  | {
      readonly kind: 'transfer';
      readonly currency: Currency;
      readonly direction: 'deposit' | 'withdraw';
      /** Or so many tenths of what the source has free. */
      readonly amount: Amount | { readonly tenths: number };
    }
  | {
      readonly kind: 'leverage';
      readonly symbol: string;
      readonly currency: Currency;
      readonly leverage: Ratio;
    }
  | { readonly kind: 'hedge-rate'; readonly rate: Ratio }
  | {
      readonly kind: 'lock';
      readonly symbol: string;
      readonly on: boolean;
      readonly currency?: Currency;
    }
  | { readonly kind: 'delisting'; readonly symbol: string; readonly on: boolean }
  | { readonly kind: 'settle' }
  | { readonly kind: 'time'; readonly advanceMs: number }
  | { readonly kind: 'to-settlement'; readonly plusMs: number }
  | {
      readonly kind: 'jump' | 'sweep';
      readonly symbol: string;
      readonly last: Price;
      /** The last price without it. */
      readonly mark?: Price;
    }
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      readonly path: IntrabarPath;
      readonly ohlc: readonly number[];
    };

/** One of what is there; now and then one that is there no more, or never was. */
export interface Choice {
  readonly among: 'live' | 'all' | 'nothing';
  readonly nth: number;
}

/** So many tenths of what is there, or a quantity whatever is there. */
export type Part = { readonly tenths: number } | { readonly quantity: Quantity };

export interface World {
  readonly other: Partial<Assumptions>;
  readonly slippageBps: number;
  readonly limitFill: 'through' | 'touch';
  /** Of the futures wallets: rich, or soon without a free balance. */
  readonly rich: boolean;
  readonly leverage: Ratio;
  /** By turns, of the notional. */
  readonly fundingRates: readonly Ratio[];
  readonly commands: readonly Command[];
}

export const SYMBOLS = ['BTCUSDT', 'XRPUSDT'] as const;
