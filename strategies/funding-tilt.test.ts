import { defineStrategy, z } from 'sluice/strategy';
import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './funding-tilt.js';

type Rates = Readonly<Record<string, number>>;

/** A simulation has no funding stream: the strategy is told the rates before each round. */
const told = (rates: readonly Rates[]) =>
  defineStrategy({
    name: 'told',
    params: z.looseObject({}),
    scope: 'all',
    create(setup) {
      const params = strategy.params.parse(setup.params);
      if (!('create' in strategy)) throw new Error('It is written in the callback form');
      const hooks = strategy.create({ ...setup, params });
      let round = 0;
      return {
        onCandles(context, candles) {
          for (const [symbol, rate] of Object.entries(rates[round] ?? {}))
            hooks.onFunding?.(context, { symbol, rate, nextSettlementMs: 0 });
          round += 1;
          hooks.onCandles?.(context, candles);
        },
      };
    },
  });

const run = (rates: readonly Rates[], params: object = {}) => {
  const closes = Array<number>(rates.length + 1).fill(100);
  return simulate({
    strategy: told(rates),
    candles: {
      BTCUSDT: candlesFromCloses(closes),
      ETHUSDT: candlesFromCloses(closes),
      SOLUSDT: candlesFromCloses(closes),
    },
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

  it('waits until it knows every rate', () => {
    expect(run([{ BTCUSDT: 0.01, ETHUSDT: -0.01 }]).orders).toEqual([]);
  });

  it('never has a symbol on both sides, however many legs it is told', () => {
    const { orders } = run([TILTED], { legs: 3 });
    expect(orders.map(({ symbol }) => symbol)).toEqual(['SOLUSDT', 'ETHUSDT']);
  });
});
