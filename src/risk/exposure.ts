import type { Currency } from '../core/currency.js';
import type { Quantity } from '../core/fixed.js';

/** Positions and orders of one symbol in one currency, as the gate must count them. */
export interface SymbolExposure {
  /** Believed position, signed. */
  readonly position: Quantity;
  /**
   * Signed extremes that the position can reach if everything that is open, in flight or unknown
   * lands in the worst way: `longest` ≥ position ≥ `shortest`.
   */
  readonly longest: Quantity;
  readonly shortest: Quantity;
  /** What reducing orders in flight may still take off, unsigned. */
  readonly reducing: Quantity;
  /** Orders that may rest at the venue, those in flight and unknown among them. */
  readonly orders: number;
  /** Intents whose outcome is not proved. */
  readonly unknown: number;
}

/** What `execution/` tells the gate: confirmed + open + in flight + unknown. */
export interface Exposure {
  of(symbol: string, currency: Currency): SymbolExposure;
  /** Orders of the whole account, both currencies. */
  readonly orders: number;
}
