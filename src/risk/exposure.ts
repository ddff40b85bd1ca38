import type { Currency } from '../core/currency.js';
import type { Price, Quantity } from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';

/** Positions and orders of one symbol in one currency, as the gate counts them. */
export interface SymbolExposure {
  /** Believed position, signed. */
  readonly position: Quantity;
  /**
   * Signed extremes of the position if every open, in-flight or unknown order fills in the worst way. A
   * position on the other side gives no room, since its stop, an exit, a liquidation or a person may close it
   * first: `maxPosition` ≥ 0 ≥ `minPosition`, and the position lies between them.
   */
  readonly maxPosition: Quantity;
  readonly minPosition: Quantity;
  /** Quantity that reducing orders in flight may still fill, unsigned. */
  readonly reducingQuantity: Quantity;
  /** Orders that may rest at the venue, in-flight and unknown ones included. */
  readonly orderCount: number;
  /** Intents of unknown outcome. */
  readonly unresolvedIntents: number;
}

/** Exposure that `execution/` reports to the gate: confirmed + open + in flight + unknown. */
export interface Exposure {
  of(symbol: string, currency: Currency): SymbolExposure;
  /** Symbols of a currency with a position, or with an order that has not ended. */
  symbols(currency: Currency): readonly string[];
  /**
   * Best price of our own limit orders of a symbol on one side, in flight and unproved ones included: the highest
   * of buys, the lowest of sells. An order counts at both prices while its amendment is not proved.
   */
  bestPrice(symbol: string, currency: Currency, side: Side): Price | undefined;
  /** Orders of the whole account, both currencies. */
  readonly orderCount: number;
}
