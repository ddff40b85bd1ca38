import { candlesFrom, candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './momentum-rotation.js';

const params = { lookback: 2, everyMinutes: 1 };
const run = (closes: Readonly<Record<string, readonly number[]>>, more: object = {}) =>
  simulate({
    strategy,
    candles: Object.fromEntries(
      Object.entries(closes).map(([symbol, list]) => [symbol, candlesFromCloses(list)]),
    ),
    params: { ...params, ...more },
  });

const CLOSES = {
  BTCUSDT: [100, 100, 110, 120, 120, 120, 120],
  ETHUSDT: [10, 10, 10, 10, 14, 18, 18],
  SOLUSDT: [50, 50, 49, 48, 47, 46, 45],
};

describe('momentum-rotation', () => {
  it('holds the one that rose most, and moves on when another leads', () => {
    const { positionsOf } = run(CLOSES);
    expect(positionsOf('BTCUSDT')).toEqual([0, 0, 0, 1, 1, 0, 0]);
    expect(positionsOf('ETHUSDT')).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(positionsOf('SOLUSDT').every((held) => held === 0)).toBe(true);
  });

  it('shares the size between those it holds', () => {
    const { positionsOf } = run(CLOSES, { hold: 2 });
    expect(positionsOf('BTCUSDT')[3]).toBe(0.5);
    expect(positionsOf('ETHUSDT').at(-1)).toBe(0.5);
  });

  it('holds nothing while all fall', () => {
    const falling = { BTCUSDT: [100, 99, 98, 97, 96], ETHUSDT: [10, 9, 8, 7, 6] };
    expect(run(falling).orders).toEqual([]);
  });

  it('decides at its times only', () => {
    const { explanations } = run(CLOSES, { everyMinutes: 5 });
    expect(explanations).toEqual(['ranked ETHUSDT 40.00 %, BTCUSDT 9.09 %, SOLUSDT -4.08 %']);
  });

  it('does not rank while a candle is missing', () => {
    const whole = candlesFromCloses([100, 100, 110, 120]);
    const gap = candlesFrom([10, 10, 20, 20].map((close) => ({ close }))).filter(
      (_, index) => index !== 3,
    );
    const { explanations } = simulate({
      strategy,
      candles: { BTCUSDT: whole, ETHUSDT: gap },
      params,
    });
    expect(explanations.at(-1)).toBe('ranked ETHUSDT 100.00 %, BTCUSDT 10.00 %');
    expect(explanations).toHaveLength(3);
  });
});
