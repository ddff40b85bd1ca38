import type { Amount, Price, Quantity } from '../../core/fixed/fixed.js';
import { decisionKey, type DecisionCause } from '../../core/intent.js';
import type { Side } from '../../core/order.js';

/** One execution, of a session or of a backtest. */
export interface DriftFill {
  /** Of the decision: `decisionName`, or the name of a stop's trade. */
  readonly decision: string;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Quantity;
  /** Exact quantity × price in USDT, in units of `PRODUCT_PLACES`. */
  readonly value: bigint;
  /** Quantity × the price of the market at that moment, before spread and slippage. */
  readonly marketValue: bigint;
  /** In the currency of the account. */
  readonly fee: Amount;
  /** Venue ms between which it took place. */
  readonly from: number;
  readonly to: number;
}

/** One decision to trade on one side of a symbol, and the orders that followed from it. */
export interface DriftDecision {
  readonly name: string;
  readonly strategy: string;
  readonly symbol: string;
  readonly side: Side;
  /** Venue ms. */
  readonly time: number;
  /** undefined: a stop, a target or a liquidation. */
  readonly cause?: DecisionCause;
  /** Quantity of its orders that the exchange accepted. */
  ordered: Quantity;
  /** Reason for a smaller fill, as the session states it. */
  note?: string;
}

/** The decisions and the fills of one side of the comparison. */
export interface DriftSide {
  readonly decisions: ReadonlyMap<string, DriftDecision>;
  readonly fills: readonly DriftFill[];
}

/**
 * The name of a decision, equal in a session and in its backtest. The legs of one decision on one side count
 * together, because a reversal may be one order or two.
 */
export const decisionName = (
  strategy: string,
  symbol: string,
  side: Side,
  { cause, ordinal }: { readonly cause: DecisionCause; readonly ordinal: number },
): string => `${strategy} ${symbol} ${side} ${decisionKey(cause, ordinal)}`;

/** The trade of a stop, a target or a liquidation: the first one after a decision of its symbol. */
export const exitName = (symbol: string, reason: string, after: string | undefined): string =>
  `${symbol} ${reason === 'trailing_stop' ? 'stop_loss' : reason} after ${after ?? 'the start'}`;

/** A price at a venue time. */
export interface PriceAt {
  readonly time: number;
  readonly price: Price;
}

/** The last prices of a symbol, in ascending order of time. */
export class PriceTrail {
  readonly #rows: PriceAt[] = [];

  add(time: number, price: Price): void {
    if (time >= (this.#rows.at(-1)?.time ?? -Infinity)) this.#rows.push({ time, price });
  }

  /** The last price at or before a time, else the first one after it. */
  at(time: number): PriceAt | undefined {
    return this.#rows[this.#countUntil(time) - 1] ?? this.#rows[0];
  }

  /** The first price at or after a time. */
  from(time: number): PriceAt | undefined {
    return this.#rows[this.#countUntil(time - 1)];
  }

  #countUntil(time: number): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle] as PriceAt).time <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
