import { simulate, type Candle } from 'sluice/strategy';
import { describe, expect, it } from 'vitest';
import donchianBreakout from './donchian-breakout.js';

const PARAMS = { entry: 3, exit: 2 };

/** Candles whose high and low stand 1 from the close. */
const candlesOf = (closes: readonly number[]): readonly Candle[] =>
  closes.map((close, index) => ({
    openTime: Date.UTC(2025, 0, 1) + index * 60_000,
    open: close,
    high: close + 1,
    low: close - 1,
    close,
    volume: 1,
  }));

const run = (closes: readonly number[], history = 0) =>
  simulate({ strategy: donchianBreakout, candles: candlesOf(closes), params: PARAMS, history });

describe('donchian-breakout', () => {
  it('goes long on a close above the highest high of the candles before, not of its own', () => {
    const { orders, state } = run([10, 10, 10, 11, 12]);
    // 11 only touches the high of 11 at index 3; 12 ties with the high of index 3.
    expect(orders).toEqual([]);
    expect(run([10, 10, 10, 11.5]).orders).toEqual([
      { index: 3, side: 'buy', reduceOnly: false, quantity: 1 },
    ]);
    expect(state).toBe('running');
  });

  it('goes short on a close below the lowest low of the candles before', () => {
    expect(run([10, 10, 10, 8.5]).orders).toEqual([
      { index: 3, side: 'sell', reduceOnly: false, quantity: 1 },
    ]);
  });

  it('leaves a long at the exit channel, which is shorter, and stays out', () => {
    const { orders, positions } = run([10, 10, 10, 20, 30, 40, 28, 28]);
    expect(orders.map(({ index, side, reduceOnly }) => ({ index, side, reduceOnly }))).toEqual([
      { index: 3, side: 'buy', reduceOnly: false },
      { index: 6, side: 'sell', reduceOnly: true },
    ]);
    expect(positions.at(-1)).toBe(0);
  });

  it('reverses with two orders when the other side breaks out', () => {
    const { orders, positions } = run([10, 10, 10, 12, 5]);
    expect(orders.slice(1)).toEqual([
      { index: 4, side: 'sell', reduceOnly: true, quantity: 1 },
      { index: 4, side: 'sell', reduceOnly: false, quantity: 1 },
    ]);
    expect(positions.at(-1)).toBe(-1);
  });

  it('does nothing before its channels are warm', () => {
    expect(run([10, 20, 40]).orders).toEqual([]);
  });

  it('orders nothing on history, and acts on the next breakout', () => {
    const { orders } = run([10, 10, 10, 12, 14.5], 4);
    expect(orders.map(({ index }) => index)).toEqual([4]);
  });
});
