import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed, type Amount, type Fixed } from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import { walkCandle, type CandlePrices, type IntrabarPath } from './candle-path.js';
import { createExchange } from './create-exchange.js';
import type { ExchangeOptions, SimulatedExchange } from './simulated-exchange.js';

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const SYMBOL = 'SOLUSDT';

/** At 100, leverage 2, no fees: prices are what is under test. */
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
  exchange.jump(SYMBOL, of('100'), of('100'));
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

/** Fill prices of a walk, in order. */
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
  walkCandle(exchange, SYMBOL, candle, path, onOpen);
  return prices;
}

function holding(side: 'buy' | 'sell', legs: Partial<OrderTerms>): SimulatedExchange {
  const exchange = create();
  expect(exchange.place({ terms: order(side, legs) }).ok).toBe(true);
  exchange.settle(SYMBOL);
  return exchange;
}

const WIDE = { open: 100, high: 112, low: 88, close: 101 };

describe('a candle', () => {
  it('fills what waits at its open, as the data has it, off the price step too', () => {
    const exchange = create();
    exchange.place({ terms: order('buy') });
    expect(pricesOf(exchange, { ...WIDE, open: 100.123 })).toEqual(['100.123']);
  });

  it('matches at the same open what the fills of the open cause: a reversal is two orders', () => {
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

  it('calls back at the open, so that what is placed then can be settled there', () => {
    const exchange = create();
    const filled = pricesOf(exchange, { ...WIDE, open: 102 }, 'pessimistic', () => {
      exchange.place({ terms: order('buy') });
      exchange.settle(SYMBOL);
    });
    expect(filled).toEqual(['102']);
  });

  it('fills a stop that its gap passed at the open, and one on the way at its level', () => {
    const stop = { stopLoss: of<'price'>('95') };
    const gap = { open: 90, high: 92, low: 89, close: 91 };
    expect(pricesOf(holding('buy', stop), gap)).toEqual(['90']);
    expect(pricesOf(holding('buy', stop), WIDE)).toEqual(['95']);
  });

  it('ends at its close', () => {
    const exchange = create();
    walkCandle(exchange, SYMBOL, WIDE, 'nearest', () => undefined);
    expect(exchange.prices(SYMBOL)).toEqual({ last: of('101'), mark: of('101') });
  });
});

describe('the way inside a candle that reaches both stop and target', () => {
  const legs = { stopLoss: of<'price'>('90'), takeProfit: of<'price'>('110') };
  const short = { stopLoss: of<'price'>('110'), takeProfit: of<'price'>('90') };

  it.each<[IntrabarPath, string, string]>([
    ['pessimistic', '90', '110'],
    ['optimistic', '110', '90'],
  ])('%s ends a long at %s and a short at %s', (path, long, shorted) => {
    expect(pricesOf(holding('buy', legs), WIDE, path)).toEqual([long]);
    expect(pricesOf(holding('sell', short), WIDE, path)).toEqual([shorted]);
  });

  it('nearest goes to the extreme nearer to the open first', () => {
    const nearHigh = { open: 100, high: 111, low: 85, close: 100 };
    const nearLow = { open: 100, high: 120, low: 89, close: 100 };
    expect(pricesOf(holding('buy', legs), nearHigh, 'nearest')).toEqual(['110']);
    expect(pricesOf(holding('buy', legs), nearLow, 'nearest')).toEqual(['90']);
  });
});

describe('a limit order at rest', () => {
  const limit = order('buy', { price: of('90') });
  const touching = { open: 100, high: 101, low: 90, close: 95 };
  const through = { open: 100, high: 101, low: 89.5, close: 95 };

  it('fills at its own price when the price trades through it by one step', () => {
    const untouched = create();
    untouched.place({ terms: limit });
    expect(pricesOf(untouched, touching)).toEqual([]);
    const filled = create();
    filled.place({ terms: limit });
    expect(pricesOf(filled, through)).toEqual(['90']);
  });

  it('fills on the touch where that is asked for', () => {
    const exchange = create({ limitFill: 'touch' });
    exchange.place({ terms: limit });
    expect(pricesOf(exchange, touching)).toEqual(['90']);
  });

  it('that crosses at once takes the better price of the open', () => {
    const exchange = create();
    exchange.place({ terms: order('buy', { price: of('105') }) });
    expect(pricesOf(exchange, WIDE)).toEqual(['100']);
  });
});
