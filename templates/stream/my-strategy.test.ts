import { candlesFromCloses, simulate } from 'sluice/testing';
import { expect, it } from 'vitest';
import strategy from './my-strategy.js';

it('buys above the average and sells below it', () => {
  const candles = candlesFromCloses([100, 100, 110, 120, 90, 80]);
  const { positions, orders } = simulate({ strategy, candles, params: { length: 3 } });
  // Decided at a close, filled at the next open: the position changes one candle later.
  expect(positions).toEqual([0, 0, 0, 1, 1, 0]);
  expect(orders.map(({ side, quantity }) => `${side} ${quantity}`)).toEqual(['buy 1', 'sell 1']);
});

it('does nothing before it is warm', () => {
  const candles = candlesFromCloses([100, 110]);
  expect(simulate({ strategy, candles, params: { length: 3 } }).intents).toEqual([]);
});
