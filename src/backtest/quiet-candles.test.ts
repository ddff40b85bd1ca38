import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Candle } from '../core/candle.js';
import { defineStrategy } from '../strategy/contract/definition.js';
import { simulationPlan } from '../testing/simulation-plan.js';
import { SimulationRecorder } from '../testing/simulation-recorder.js';
import type { BacktestPlan } from './plan.js';
import { runBacktest } from './run.js';

const MINUTE_MS = 60_000;
const COUNT = 1_200;

/** A walk of prices with one seed, from a time on. */
function walk(seed: number, start: number, skip: number): readonly Candle[] {
  let state = seed;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  let price = 100;
  const candles: Candle[] = [];
  for (let index = start; index < COUNT; index += 1) {
    const open = price;
    price = Math.round(open * (1 + (random() - 0.5) / 200) * 1e6) / 1e6;
    const high = Math.max(open, price) * (1 + random() / 1_000);
    const low = Math.min(open, price) * (1 - random() / 1_000);
    if (index % skip === 0) continue;
    candles.push({ openTime: index * MINUTE_MS, open, high, low, close: price, volume: 1e9 });
  }
  return candles;
}

/** Enters and leaves every few candles, rests an order, and sets a timer that enters too. */
const busy = defineStrategy({
  name: 'busy',
  params: z.object({}),
  create() {
    let count = 0;
    return {
      onCandle(context) {
        count += 1;
        if (count % 40 === 7) context.target(1);
        else if (count % 40 === 19) context.target(-1);
        else if (count % 40 === 31) context.exit();
        if (count % 173 === 0) context.timer(context.time + 90_000, 'later');
      },
      onTimer(context) {
        context.target(-1);
      },
    };
  },
});

function planOf(): BacktestPlan {
  return simulationPlan(
    {
      strategy: busy,
      candles: { AUSDT: walk(7, 0, 101), BUSDT: walk(11, 250, 61) },
      size: { quantity: '1' },
      protect: { stop_loss_pct: 0.4, take_profit_pct: 0.7 },
      takerFee: 0.0005,
    },
    new SimulationRecorder(busy.name),
  );
}

/** No candle of an open position is quiet where volume is limited, and this volume is never used up. */
const allSimulated = (plan: BacktestPlan): BacktestPlan => ({ ...plan, maxVolumeShare: 1 });

const factsOf = (plan: BacktestPlan) => {
  const run = runBacktest(plan);
  const fills = run.fills.map(({ execution: { price, quantity, fee, time }, side, reason }) => ({
    ...{ price, quantity, fee, time, side, reason },
  }));
  const { equity, ambiguousCandles, candles, finalEquity, totals } = run;
  const times = Array.from({ length: run.times.length }, (_, row) => run.times.at(row));
  return { fills, times, equity, ambiguousCandles, candles, finalEquity, totals };
};

it('quiet candles change no fill, no equity and no count', () => {
  const quiet = factsOf(planOf());
  expect(quiet.fills.length).toBeGreaterThan(80);
  expect(new Set(quiet.fills.map(({ reason }) => reason))).toEqual(
    new Set(['signal', 'stop_loss', 'take_profit']),
  );
  expect(quiet).toEqual(factsOf(allSimulated(planOf())));
});

it('funding, a late request and the last candle end a quiet stretch', () => {
  const rates = [
    { time: 480 * MINUTE_MS, rate: 0.0005 },
    { time: 960 * MINUTE_MS, rate: -0.0003 },
  ];
  const changed = (plan: BacktestPlan): BacktestPlan => ({
    ...plan,
    funding: { AUSDT: rates, BUSDT: rates },
    latencyMs: 1_500,
    untilMs: 1_100 * MINUTE_MS,
  });
  const quiet = factsOf(changed(planOf()));
  expect(quiet.totals.funding).not.toBe(0);
  expect(quiet.times.at(-1)).toBe(1_101 * MINUTE_MS);
  expect(quiet).toEqual(factsOf(allSimulated(changed(planOf()))));
});
