import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed, type Amount, type Fixed } from '../../core/fixed/fixed.js';
import type { OrderTerms } from '../../core/order.js';
import { simulateCandle, type CandlePrices, type IntrabarPath } from './candle-path.js';
import { createExchange } from '../create-exchange.js';
import type { ExchangeOptions, SimulatedExchange } from '../simulated-exchange.js';

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const SYMBOL = 'SOLUSDT';

/** At 100, leverage 2, no fees, since prices are under test. */
function create(options: Partial<ExchangeOptions> = {}): SimulatedExchange {
  let id = 0;
  const exchange = createExchange({
    listings: [
      {
        instrument: {
          symbol: SYMBOL,
          assetId: 'asset-sol',
          baseAsset: 'SOL',
          quantityStep: of('0.1'),
          minQuantity: of('0.1'),
          maxQuantity: of('1000'),
          maxMarketQuantity: of('1000'),
          priceStep: of('0.5'),
          minPrice: of('0.5'),
          maxPrice: of('10000'),
          minNotional: of('5'),
          leverageStep: of('1'),
          minLeverage: of('1'),
          maxLeverage: of('50'),
        },
        maintenanceRate: of('0.01'),
      },
    ],
    takerFeeRate: of('0'),
    makerFeeRate: of('0'),
    spot: { USDT: of('0') as Amount, INR: of('0') as Amount },
    futures: { USDT: of('10000') as Amount, INR: of('0') as Amount },
    hedgeRate: of('90'),
    nextId: () => `id${++id}`,
    startMs: 0,
    ...options,
  });
  exchange.gapTo(SYMBOL, of('100'), of('100'));
  exchange.setLeverage(SYMBOL, 'USDT', of('2'));
  return exchange;
}

const order = (side: 'buy' | 'sell', fields: Partial<OrderTerms> = {}): OrderTerms => ({
  symbol: SYMBOL,
  currency: 'USDT',
  side,
  type: fields.price === undefined ? 'market' : 'limit',
  quantity: of('1'),
  reduceOnly: false,
  ...fields,
});

/** Fill prices of a candle, in order. */
function pricesOf(
  exchange: SimulatedExchange,
  candle: CandlePrices,
  path: IntrabarPath = 'pessimistic',
  onOpen: () => void = () => undefined,
): readonly string[] {
  const prices: string[] = [];
  exchange.listen((event) => {
    if (event.kind === 'fill') prices.push(textFromFixed(event.execution.price));
  });
  simulateCandle(exchange, SYMBOL, { last: candle }, path, onOpen);
  return prices;
}

function holding(side: 'buy' | 'sell', bracket: Partial<OrderTerms>): SimulatedExchange {
  const exchange = create();
  expect(exchange.place({ terms: order(side, bracket) }).ok).toBe(true);
  exchange.matchPending(SYMBOL);
  return exchange;
}

const WIDE = { open: 100, high: 112, low: 88, close: 101 };

describe('a candle', () => {
  it('pending orders fill at the open of the data, also off the price step', () => {
    const exchange = create();
    exchange.place({ terms: order('buy') });
    expect(pricesOf(exchange, { ...WIDE, open: 100.123 })).toEqual(['100.123']);
  });

  it('orders placed on fills of the open match at the same open: a reversal is two orders', () => {
    const exchange = holding('buy', {});
    exchange.place({ terms: order('sell', { reduceOnly: true }) });
    let reversed = false;
    exchange.listen((event) => {
      if (event.kind !== 'close' || reversed) return;
      reversed = true;
      exchange.place({ terms: order('sell') });
    });
    expect(pricesOf(exchange, { ...WIDE, open: 103 })).toEqual(['103', '103']);
    expect(textFromFixed(exchange.quantity(SYMBOL, 'USDT'))).toBe('-1');
  });

  it('the callback runs at the open, so its orders can match there', () => {
    const exchange = create();
    const filled = pricesOf(exchange, { ...WIDE, open: 102 }, 'pessimistic', () => {
      exchange.place({ terms: order('buy') });
      exchange.matchPending(SYMBOL);
    });
    expect(filled).toEqual(['102']);
  });

  it('a stop passed by the gap fills at the open, and one on the path at its level', () => {
    const stop = { stopLoss: of<'price'>('95') };
    const gap = { open: 90, high: 92, low: 89, close: 91 };
    expect(pricesOf(holding('buy', stop), gap)).toEqual(['90']);
    expect(pricesOf(holding('buy', stop), WIDE)).toEqual(['95']);
  });

  it('the last price is the close', () => {
    const exchange = create();
    simulateCandle(exchange, SYMBOL, { last: WIDE }, 'nearest', () => undefined);
    expect(exchange.prices(SYMBOL)).toEqual({ last: of('101'), mark: of('101') });
  });
});

describe('the path inside a candle that reaches stop and target', () => {
  const bracket = { stopLoss: of<'price'>('90'), takeProfit: of<'price'>('110') };
  const short = { stopLoss: of<'price'>('110'), takeProfit: of<'price'>('90') };

  it.each<[IntrabarPath, string, string]>([
    ['pessimistic', '90', '110'],
    ['optimistic', '110', '90'],
  ])('%s closes a long at %s and a short at %s', (path, long, shorted) => {
    expect(pricesOf(holding('buy', bracket), WIDE, path)).toEqual([long]);
    expect(pricesOf(holding('sell', short), WIDE, path)).toEqual([shorted]);
  });

  it('nearest goes to the extreme nearer to the open first', () => {
    const nearHigh = { open: 100, high: 111, low: 85, close: 100 };
    const nearLow = { open: 100, high: 120, low: 89, close: 100 };
    expect(pricesOf(holding('buy', bracket), nearHigh, 'nearest')).toEqual(['110']);
    expect(pricesOf(holding('buy', bracket), nearLow, 'nearest')).toEqual(['90']);
  });
});

describe('a resting limit order', () => {
  const limit = order('buy', { price: of('90') });
  const touching = { open: 100, high: 101, low: 90, close: 95 };
  const through = { open: 100, high: 101, low: 89.5, close: 95 };

  it('the order fills at its own price when the price trades through it by one step', () => {
    const untouched = create();
    untouched.place({ terms: limit });
    expect(pricesOf(untouched, touching)).toEqual([]);
    const filled = create();
    filled.place({ terms: limit });
    expect(pricesOf(filled, through)).toEqual(['90']);
  });

  it('the order fills on the touch when that is configured', () => {
    const exchange = create({ limitFill: 'touch' });
    exchange.place({ terms: limit });
    expect(pricesOf(exchange, touching)).toEqual(['90']);
  });

  it('a limit that crosses at once takes the better price of the open', () => {
    const exchange = create();
    exchange.place({ terms: order('buy', { price: of('105') }) });
    expect(pricesOf(exchange, WIDE)).toEqual(['100']);
  });
});
