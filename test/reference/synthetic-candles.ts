import type { Candle } from '../../src/core/candle.js';

const MINUTE_MS = 60_000;
const START_MS = 1_735_689_600_000;

/** Candles of a random walk in whole cents around `price`. A seed gives the same candles on any machine. */
export function syntheticCandles(count: number, seed = 1, price = 100_000): readonly Candle[] {
  let state = seed | 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 4_294_967_296;
  };
  const cents = (value: number): number => Math.round(value * 100) / 100;
  let last = price;
  return Array.from({ length: count }, (_, index) => {
    const open = last;
    // One candle in eight is flat, as in quiet hours.
    const move = random() < 0.125 ? 0 : (random() - 0.5) * price * 0.002;
    const close = cents(Math.max(price / 2, open + move));
    last = close;
    const reach = move === 0 ? 0 : price * 0.0005;
    return {
      openTime: START_MS + index * 10 * MINUTE_MS,
      open,
      high: cents(Math.max(open, close) + random() * reach),
      low: cents(Math.min(open, close) - random() * reach),
      close,
      volume: move === 0 ? 0 : Math.floor(random() * 10_000) / 100,
    };
  });
}
