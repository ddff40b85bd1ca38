import type { Candle } from '../../../src/core/candle.js';

/** A candle in which the price did not move. */
export const flatCandle = (openTime: number, price: number): Candle => ({
  openTime,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 1,
});
