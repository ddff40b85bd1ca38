import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './pairs-spread.js';

const params = { lookback: 4, entry: 1.5, exit: 0.2, stop: 1.72 };
const STILL = [100, 102, 100, 102, 100, 102];
/** The second symbol stands at 50: the closes are the ratio. */
const run = (closes: readonly number[], more: object = {}) =>
  simulate({
    strategy,
    candles: {
      BTCUSDT: candlesFromCloses(closes),
      ETHUSDT: candlesFromCloses(closes.map(() => 50)),
    },
    params: { ...params, ...more },
    size: { notional: '1000' },
  });

describe('pairs-spread', () => {
  it('sells the dear one and buys the other for as much, until the ratio is usual', () => {
    const { fills, positionsOf } = run([...STILL, 106, 106, 103, 103, 103], { stop: 4 });
    expect(fills.slice(0, 2).map(({ symbol, side }) => `${side} ${symbol}`)).toEqual([
      'sell BTCUSDT',
      'buy ETHUSDT',
    ]);
    const [dear = 0, cheap = 0] = fills.map(({ quantity, price }) => quantity * price);
    expect(dear / cheap).toBeCloseTo(1, 1);
    expect(positionsOf('BTCUSDT').at(-1)).toBe(0);
    expect(positionsOf('ETHUSDT').at(-1)).toBe(0);
  });

  it('buys the first when it is cheap', () => {
    const { fills } = run([...STILL, 96, 96], { stop: 4 });
    expect(fills.map(({ symbol, side }) => `${side} ${symbol}`)).toEqual([
      'buy BTCUSDT',
      'sell ETHUSDT',
    ]);
  });

  it('gives up where the ratio runs away, and waits until it is usual again', () => {
    const { explanations, trades } = run([...STILL, 106, 150, 150, 151, 180, 186]);
    expect(explanations.filter((text) => text.endsWith('enters'))).toHaveLength(1);
    expect(explanations.some((text) => text.endsWith('gives up'))).toBe(true);
    expect(trades).toBe(2);
  });

  it('leaves a leg that is alone, because the other was refused', () => {
    const closes = [...STILL, 106, 106, 106, 106];
    const { positionsOf, explanations } = simulate({
      strategy,
      candles: {
        BTCUSDT: candlesFromCloses(closes),
        ETHUSDT: candlesFromCloses(closes.map(() => 50)),
      },
      params: { ...params, stop: 4 },
      size: { notional: '1000' },
      instruments: { ETHUSDT: { minQuantity: 100 } },
    });
    expect(positionsOf('ETHUSDT').every((held) => held === 0)).toBe(true);
    expect(positionsOf('BTCUSDT').filter((held) => held !== 0)).toHaveLength(1);
    expect(explanations.at(-1)).toMatch(/the other leg is missing$/);
  });

  it('does nothing in a ratio that stands still', () => {
    expect(run(Array<number>(12).fill(100)).orders).toEqual([]);
  });
});
