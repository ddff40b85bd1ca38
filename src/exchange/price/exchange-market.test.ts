import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fixedFromNumber, fixedFromText } from '../../core/fixed/fixed.js';
import { unrestrictedInstrument } from '../../backtest/run.js';
import { createExchange } from '../create-exchange.js';

const SYMBOL = 'BTCUSDT';

/** An exchange with a limit order to buy, which fills at its price. */
function exchangeWithOrder(price: number) {
  let id = 0;
  const exchange = createExchange({
    listings: [
      { instrument: unrestrictedInstrument(SYMBOL), maintenanceRate: fixedFromText('0.01') },
    ],
    takerFeeRate: fixedFromText('0'),
    makerFeeRate: fixedFromText('0'),
    spot: { USDT: fixedFromText('0'), INR: fixedFromText('0') },
    futures: { USDT: fixedFromText('1000000000'), INR: fixedFromText('0') },
    hedgeRate: fixedFromText('90'),
    limitFill: 'touch',
    nextId: () => `id-${++id}`,
    startMs: 0,
  });
  const above = fixedFromNumber<'price'>(price * 2);
  exchange.gapTo(SYMBOL, above, above);
  exchange.setLeverage(SYMBOL, 'USDT', fixedFromText('1'));
  const placed = exchange.place({
    terms: {
      symbol: SYMBOL,
      currency: 'USDT',
      side: 'buy',
      type: 'limit',
      quantity: fixedFromText('1'),
      price: fixedFromNumber(price),
      reduceOnly: false,
    },
  });
  expect(placed).toMatchObject({ ok: true });
  return { exchange, market: exchange.market(SYMBOL) };
}

it('a price inside the band of doubles reaches no order, whichever way it is rounded', () => {
  const size = fc
    .integer({ min: 2, max: 12 })
    .chain((digits) =>
      fc.integer({ min: 200, max: 10 ** digits + 200 }).map((count) => count / 1e4),
    );
  const offset = fc.oneof(
    fc.integer({ min: -60, max: 60 }).map((count) => count * 1e-9),
    fc.integer({ min: -10_000, max: 1_000_000 }).map((count) => count * 1e-6),
  );
  let inside = 0;
  fc.assert(
    fc.property(size, offset, (price, away) => {
      const { exchange, market } = exchangeWithOrder(price);
      const band = new Float64Array(4);
      expect(market.readIdleBand(band)).toBe(false);
      exchange.matchPending(SYMBOL);
      expect(market.readIdleBand(band)).toBe(true);
      const low = price + away;
      if (!(low > (band[0] as number) && low < (band[1] as number))) return;
      inside += 1;
      expect(market.passIdle(low, low, low)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  expect(inside).toBeGreaterThan(300);
});

it('the price after quiet candles is that of their last close', () => {
  const { exchange, market } = exchangeWithOrder(100);
  market.setIdlePrice(150.5, 150.25);
  expect(exchange.prices(SYMBOL)).toEqual({
    last: fixedFromText('150.5'),
    mark: fixedFromText('150.25'),
  });
  expect(market.hold('USDT')).toBeUndefined();
  expect(market.unrealisedAt(120)).toBe(0);
});
