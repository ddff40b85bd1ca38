import type { Currency } from '../../src/core/currency.js';
import type { Amount, Price, Quantity, Ratio } from '../../src/core/fixed/fixed.js';
import type { OrderTerms, OrderType } from '../../src/core/order.js';
import type { Assumptions } from '../../src/exchange/assumptions.js';
import type { IntrabarPath } from '../../src/exchange/price/candle-path.js';

/**
 * The commands to an exchange, legal or not. Orders and positions are chosen by number when the command
 * runs. Stops and targets of positions are steps of 0.1 from the last price; below 0 is the wrong side.
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
      /** Whether the command names an order that does not protect the position. */
      readonly wrong: boolean;
    }
  /** Percent of the current margin. Below 0 removes margin. */
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
      /** An amount, or tenths of the free balance of the source. */
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
      /** Absent: the last price. */
      readonly mark?: Price;
    }
  | {
      readonly kind: 'candle';
      readonly symbol: string;
      readonly path: IntrabarPath;
      readonly ohlc: readonly number[];
    };

/** A choice among live objects, among all that ever existed, or of an unknown id. */
export interface Choice {
  readonly among: 'live' | 'all' | 'nothing';
  readonly nth: number;
}

/** Tenths of the available quantity, or a fixed quantity. */
export type Part = { readonly tenths: number } | { readonly quantity: Quantity };

export interface ExchangeScenario {
  readonly other: Partial<Assumptions>;
  readonly slippageBps: number;
  readonly limitFill: 'through' | 'touch';
  /** Whether the futures wallets hold much, or soon have no free balance. */
  readonly rich: boolean;
  readonly leverage: Ratio;
  /** Fractions of the notional, used in turn. */
  readonly fundingRates: readonly Ratio[];
  readonly commands: readonly Command[];
}

export const SYMBOLS = ['BTCUSDT', 'XRPUSDT'] as const;
