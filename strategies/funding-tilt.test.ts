import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './funding-tilt.js';

type Rates = Readonly<Record<string, number>>;

const MINUTE = 60_000;

/** The rates of each round, settled as its candle closes. */
const run = (rounds: readonly Rates[], params: object = {}) => {
  const candles = candlesFromCloses(Array<number>(rounds.length + 1).fill(100));
  const funding: Record<string, { time: number; rate: number }[]> = {};
  rounds.forEach((rates, round) => {
    const time = (candles[round]?.openTime ?? 0) + MINUTE;
    for (const [symbol, rate] of Object.entries(rates))
      (funding[symbol] ??= []).push({ time, rate });
  });
  return simulate({
    strategy,
    candles: { BTCUSDT: candles, ETHUSDT: candles, SOLUSDT: candles },
    funding,
    params: { everyMinutes: 1, ...params },
  });
};

const TILTED = { BTCUSDT: 0.0001, ETHUSDT: 0.0005, SOLUSDT: -0.0002 };

describe('funding-tilt', () => {
  it('sells what pays most and buys what pays least', () => {
    const { positionsOf } = run([TILTED]);
    expect(positionsOf('ETHUSDT').at(-1)).toBe(-1);
    expect(positionsOf('SOLUSDT').at(-1)).toBe(1);
    expect(positionsOf('BTCUSDT').at(-1)).toBe(0);
  });

  it('is flat while the rates are too close to pay', () => {
    const close = { BTCUSDT: 0.0001, ETHUSDT: 0.00012, SOLUSDT: 0.00011 };
    const { positionsOf, explanations } = run([TILTED, close]);
    expect(positionsOf('ETHUSDT').at(-1)).toBe(0);
    expect(positionsOf('SOLUSDT').at(-1)).toBe(0);
    expect(explanations[1]).toMatch(/too close to pay$/);
  });

  it('is paid for what it holds', () => {
    // Nothing is held at the first settlement; at the second 1 short at 0.0005 and 1 long at −0.0002, at 100.
    expect(run([TILTED, TILTED]).funding).toBeCloseTo(-0.07, 8);
  });

  it('waits until it knows every rate', () => {
    expect(run([{ BTCUSDT: 0.01, ETHUSDT: -0.01 }]).orders).toEqual([]);
  });

  it('never has a symbol on both sides, however many legs it is told', () => {
    const { orders } = run([TILTED], { legs: 3 });
    expect(orders.map(({ symbol }) => symbol)).toEqual(['SOLUSDT', 'ETHUSDT']);
  });
});
