import { expect, test } from 'vitest';
import { fixed, fixedFromNumber, type Amount } from '../core/fixed/fixed.js';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { buyAndHold } from './buy-and-hold.js';
import type { BacktestMarket, BacktestPlan } from './plan.js';
import { unrestrictedInstrument } from './run.js';

const HOUR = 3_600_000;

const marketOf = (symbol: string, opens: readonly number[], from = 0): BacktestMarket => ({
  instrument: unrestrictedInstrument(symbol),
  maintenanceRate: fixed(0),
  columns: CandleColumns.from(
    opens.map((open, index) => ({
      openTime: (from + index) * HOUR,
      open,
      high: open + 2,
      low: open - 2,
      close: open + 1,
      volume: 1,
    })),
  ),
});

const planOf = (market: BacktestMarket, more: Partial<BacktestPlan> = {}) =>
  ({
    ...market,
    base: '1h',
    currency: 'USDT',
    cash: fixedFromNumber<'USDT'>(1_000) as Amount,
    hedgeRate: fixedFromNumber<'ratio'>(90),
    takerFeeRate: fixed(0),
    slippage: { kind: 'fixed', bps: 0 },
    ...more,
  }) as BacktestPlan;

const equityOf = (plan: BacktestPlan, hours: number): readonly number[] => [
  ...buyAndHold(
    plan,
    Float64Array.from({ length: hours }, (_, index) => (index + 1) * HOUR),
  ).equity,
];

test('the cash is in the symbol from its first open, at every close', () => {
  const plan = planOf(marketOf('BTCUSDT', [100, 120, 90]));
  expect(equityOf(plan, 3)).toEqual([1_010, 1_210, 910]);
});

test('a fee and slippage are paid at the entry', () => {
  const plan = planOf(marketOf('BTCUSDT', [100, 100]), {
    takerFeeRate: fixedFromNumber<'ratio'>(0.01),
    slippage: { kind: 'fixed', bps: 100 },
  });
  expect(equityOf(plan, 2)[1]).toBeCloseTo((1_000 / 1.01 / 1.01 / 100) * 101, 10);
});

test('a symbol that begins later is cash until then, and prices before the live range do not count', () => {
  const late = marketOf('ETHUSDT', [10, 20], 1);
  const plan = planOf(marketOf('BTCUSDT', [100, 100, 100]), { others: [late] });
  expect(equityOf(plan, 3)).toEqual([505 + 500, 505 + 550, 505 + 1_050]);
  const warm = planOf(marketOf('BTCUSDT', [50, 100, 100]), { liveFromMs: HOUR });
  expect(equityOf(warm, 3)).toEqual([1_000, 1_010, 1_010]);
});

test("a long pays funding at a rate above 0, in the wallet's currency", () => {
  const plan = planOf(marketOf('BTCUSDT', [99, 99]), {
    currency: 'INR',
    funding: {
      BTCUSDT: [
        { time: 0, rate: 0.5 },
        { time: HOUR, rate: 0.01 },
      ],
    },
  });
  // The settlement at the entry is none of ours.
  const quantity = 1_000 / 99 / 90;
  expect(equityOf(plan, 2)[1]).toBeCloseTo(quantity * 100 * 90 * 0.99, 8);
});
