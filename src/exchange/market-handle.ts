import type { Currency } from '../core/currency.js';
import type { Amount } from '../core/fixed/fixed.js';

/** One symbol of the exchange, for a loop over its candles. */
export interface MarketHandle {
  /**
   * Passes a candle, in USDT, in which no order, stop or liquidation can fire. The open lies between low and high.
   * @returns false where one may: nothing has happened then
   */
  passIdle(low: number, high: number, close: number): boolean;
  /** Whether it has an open order or position. */
  readonly isActive: boolean;
  /**
   * Writes the prices, in USDT, strictly inside which no order, stop or liquidation can fire until an order or position
   * changes: from and to of the last price, then from and to of the mark price.
   * @returns false where an order waits for its first match
   */
  readIdleBand(into: Float64Array): boolean;
  /** Passes candles inside the band at once: their last close, in USDT, becomes the price. */
  setIdlePrice(last: number, mark: number): void;
  /**
   * Looks up the position for `unrealisedAt`: again after a change of it.
   * @returns its unrealised PnL; undefined: there is none
   */
  hold(currency: Currency): Amount | undefined;
  /** Unrealised PnL at a last price in USDT. */
  unrealisedAt(last: number): Amount;
}
