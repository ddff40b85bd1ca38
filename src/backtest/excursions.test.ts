import { expect, test } from 'vitest';
import { fixed, fixedFromNumber } from '../core/fixed/fixed.js';
import { CandleColumns } from '../market/candles/candle-columns.js';
import type { RoundTrip } from '../report/round-trips.js';
import { measureTrade } from './excursions.js';

const MINUTE = 60_000;
const columns = CandleColumns.from(
  [
    [100, 104, 97],
    [101, 110, 99],
    [102, 103, 90],
  ].map(([open = 0, high = 0, low = 0], index) => ({
    openTime: index * MINUTE,
    open,
    high,
    low,
    close: open,
    volume: 1,
  })),
);

const trade = (side: 'long' | 'short', entryMinute: number, exitMinute: number, exit: number) =>
  measureTrade(
    {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side,
      quantity: fixedFromNumber<'quantity'>(1),
      entryTime: entryMinute * MINUTE,
      exitTime: exitMinute * MINUTE,
      entryPrice: fixedFromNumber<'price'>(100),
      exitPrice: fixedFromNumber<'price'>(exit),
      grossPnl: fixed(0),
      fees: fixed(0),
      funding: fixed(0),
      netPnl: fixed(0),
      exitReason: 'signal',
    } satisfies RoundTrip,
    columns,
  );

test.each([
  ['a long', 'long', 0, 2, 102, -3, 10],
  ['a short', 'short', 0, 2, 102, -10, 3],
  ['a trade that ends in the candle of its entry', 'long', 1, 1, 95, -5, 0],
  ['a stop below every low before it', 'long', 0, 1, 96, -4, 4],
] as const)(
  'the extremes of %s are those of its candles before the exit, and the exit',
  (_name, side, entry, exit, price, mae, mfe) => {
    const measured = trade(side, entry, exit, price);
    expect([measured.maePct, measured.mfePct]).toEqual([
      expect.closeTo(mae, 10),
      expect.closeTo(mfe, 10),
    ]);
  },
);
