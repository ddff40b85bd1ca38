import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExchangeRig, money, of } from '../support/rigs/exchange-rig.js';
import { Decimal } from '../../src/core/fixed/decimal.js';
import { add, subtract, textFromFixed, type Amount } from '../../src/core/fixed/fixed.js';
import { PositionLedger } from '../../src/execution/position-ledger.js';
import { RoundTripTracker } from '../../src/report/round-trips.js';

const Wide = Decimal.clone({ precision: 120 });
const STEP = '0.000000000000000001';

/** Prices of all sizes that a venue can print, and quantities of 1e3 to 1e14. */
const price = fc
  .tuple(fc.bigInt(1n, 10n ** 6n), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => new Wide(digits.toString()).div(new Wide(10).pow(places)).toFixed());
const quantity = fc.bigInt(1_000n, 10n ** 14n).map((each) => each.toString());

function rigAt(at: string, currency: 'USDT' | 'INR'): ExchangeRig {
  const rig = new ExchangeRig({
    price: at,
    leverage: '1',
    futures: { USDT: money('1000000000000000000000000'), INR: money('1000000000000000000000000') },
  });
  const listing = {
    instrument: {
      symbol: rig.symbol,
      assetId: `asset-${rig.symbol}`,
      baseAsset: 'SHIB',
      quantityStep: of<'quantity'>('1'),
      minQuantity: of<'quantity'>('1'),
      maxQuantity: of<'quantity'>('1000000000000000'),
      maxMarketQuantity: of<'quantity'>('1000000000000000'),
      priceStep: of<'price'>(STEP),
      minPrice: of<'price'>(STEP),
      maxPrice: of<'price'>('1000000000000000'),
      minNotional: of<'USDT'>('0.00000001'),
      leverageStep: of<'ratio'>('0.01'),
      minLeverage: of<'ratio'>('1'),
      maxLeverage: of<'ratio'>('100'),
    },
    maintenanceRate: of<'ratio'>('0.01'),
  };
  rig.exchange.setListing(listing);
  rig.exchange.setLeverage(rig.symbol, currency, of('1'));
  return rig;
}

const equityOf = (rig: ExchangeRig, currency: 'USDT' | 'INR'): Amount => {
  const { balance, locked } = rig.exchange.futuresWallet(currency);
  return add(add(rig.exchange.spotBalance(currency), balance), locked);
};

describe('the whole range that a venue can print', () => {
  it('the exchange accepts listed orders, fills them at their price and loses no money', () => {
    fc.assert(
      fc.property(
        price,
        price,
        quantity,
        fc.constantFrom('USDT', 'INR'),
        (entry, exit, size, currency) => {
          const rig = rigAt(entry, currency as 'USDT' | 'INR');
          const { exchange, symbol } = rig;
          const before = equityOf(rig, currency as 'USDT' | 'INR');
          const place = (side: 'buy' | 'sell', reduceOnly: boolean) => {
            const result = exchange.place({
              terms: {
                symbol,
                currency: currency as 'USDT' | 'INR',
                side,
                type: 'market',
                quantity: of(size),
                reduceOnly,
              },
            });
            exchange.matchPending(symbol);
            return result;
          };
          exchange.gapTo(symbol, of(entry), of(entry));
          if (!place('buy', false).ok) {
            // Only an order below the minimum notional or above the wallet is rejected.
            const notional = new Wide(entry).times(size);
            expect(notional.lt('0.00000001') || notional.gt('1e21')).toBe(true);
            return;
          }
          const [position] = exchange.positions(currency as 'USDT' | 'INR');
          expect(position).toMatchObject({ quantity: of(size), entryPrice: of(entry) });
          exchange.gapTo(symbol, of(exit), of(exit));
          const closed = place('sell', true);
          // At leverage 1 there is no liquidation. A position below the minimum notional cannot be closed.
          if (!closed.ok && new Wide(exit).times(size).lt('0.00000001')) return;
          expect(exchange.positions(currency as 'USDT' | 'INR')).toEqual([]);
          const { realisedPnl, fees } = exchange.totals(currency as 'USDT' | 'INR');
          const change = subtract(equityOf(rig, currency as 'USDT' | 'INR'), before);
          expect(change).toBe(subtract(realisedPnl, fees));
          if (currency === 'USDT' && exchange.positionHistory('USDT')[0]?.kind === 'closed') {
            const pnl = new Wide(exit).minus(entry).times(size);
            const realised = pnl.toDecimalPlaces(8, Decimal.ROUND_HALF_EVEN).plus(0).toFixed();
            expect(textFromFixed(realisedPnl)).toBe(realised.replace(/^-0$/, '0'));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('the position ledger and the round trips are exact', () => {
    fc.assert(
      fc.property(price, price, quantity, (entry, exit, size) => {
        const positionLedger = new PositionLedger();
        const trades = new RoundTripTracker();
        const common = { symbol: 'SHIBUSDT', currency: 'USDT', quantity: of<'quantity'>(size) };
        const bought = { ...common, side: 'buy', price: of<'price'>(entry) } as const;
        const sold = { ...common, side: 'sell', price: of<'price'>(exit) } as const;
        positionLedger.applyFill({ ...bought, currency: 'USDT', monotonic: 1 });
        expect(positionLedger.entryPrice('SHIBUSDT', 'USDT')).toBe(of(entry));
        const pnl = new Wide(exit).minus(entry).times(size);
        const realised = pnl.toDecimalPlaces(8, Decimal.ROUND_HALF_EVEN).plus(0).toFixed();
        const unrealised = textFromFixed(positionLedger.unrealised('SHIBUSDT', 'USDT', of(exit)));
        expect(unrealised).toBe(realised.replace(/^-0$/, '0'));
        positionLedger.applyFill({ ...sold, currency: 'USDT', monotonic: 2 });
        expect(positionLedger.quantity('SHIBUSDT', 'USDT')).toBe(0);
        const fee = money('1');
        trades.fill({ ...bought, currency: 'USDT', fee, time: 1 });
        const trade = trades.fill({ ...sold, currency: 'USDT', fee, time: 2 });
        expect(trade).toMatchObject({
          quantity: of(size),
          entryPrice: of(entry),
          exitPrice: of(exit),
        });
        expect(trade && textFromFixed(trade.grossPnl)).toBe(unrealised);
      }),
      { numRuns: 300 },
    );
  });
});

it('an INR balance of 100,000,000, beyond 2^53 units of 1e-8, opens a position', () => {
  const rig = new ExchangeRig({
    price: '60000',
    leverage: '1',
    futures: { USDT: money('0'), INR: money('100000000') },
  });
  rig.exchange.setLeverage(rig.symbol, 'INR', of('1'));
  const terms = { symbol: rig.symbol, currency: 'INR', side: 'buy', type: 'market' } as const;
  const result = rig.exchange.place({ terms: { ...terms, quantity: of('17'), reduceOnly: false } });
  expect(result.ok).toBe(true);
  rig.exchange.matchPending(rig.symbol);
  const [position] = rig.exchange.positions('INR');
  expect(position && textFromFixed(position.quantity)).toBe('17');
  // 17 × 60,000 USDT at 96: the whole value at 1x, without a close fee.
  expect(textFromFixed(rig.exchange.futuresWallet('INR').locked)).toBe('97920000');
});
