import type { Currency } from '../../../src/core/currency.js';
import {
  add,
  subtract,
  fixedFromText,
  type Amount,
  type Fixed,
} from '../../../src/core/fixed/fixed.js';
import type { Instrument } from '../../../src/core/instrument.js';
import type { Side } from '../../../src/core/order.js';
import type { Assumptions } from '../../../src/exchange/assumptions.js';
import { createExchange } from '../../../src/exchange/create-exchange.js';
import type {
  ExchangeOptions,
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../../src/exchange/simulated-exchange.js';
import { scaledOf } from '../builders/scaled.js';

export const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
export const money = (text: string): Amount => fixedFromText<'USDT'>(text);

/** 2025-05-05T00:00:00Z: a settlement of every interval that divides a day. */
export const MIDNIGHT = Date.UTC(2025, 4, 5);
export const HOUR = 3_600_000;

export const looseInstrument = (symbol: string, priceStep: string): Instrument => ({
  symbol,
  assetId: `asset-${symbol}`,
  baseAsset: symbol.slice(0, -4),
  quantityStep: of('0.001'),
  minQuantity: of('0.001'),
  maxQuantity: of('1000000'),
  maxMarketQuantity: of('1000000'),
  priceStep: of(priceStep),
  minPrice: of(priceStep),
  maxPrice: of('1999999.8'),
  minNotional: of('5'),
  leverageStep: of('0.01'),
  minLeverage: of('1'),
  maxLeverage: of('100'),
});

export interface RigTerms extends Partial<ExchangeOptions> {
  readonly symbol?: string;
  readonly priceStep?: string;
  readonly maintenanceRate?: string;
  /** Last and mark. */
  readonly price?: string;
  readonly leverage?: string;
}

/** One instrument, both currencies, and short words for what tests do with them. */
export class ExchangeRig {
  readonly exchange: SimulatedExchange;
  readonly symbol: string;

  constructor(terms: RigTerms = {}, assumptions: Partial<Assumptions> = {}) {
    const { symbol = 'BTCUSDT', priceStep = '0.1', maintenanceRate = '0.01', ...options } = terms;
    let id = 0;
    this.symbol = symbol;
    this.exchange = createExchange(
      {
        listings: [
          {
            instrument: looseInstrument(symbol, priceStep),
            maintenanceRate: of<'ratio'>(maintenanceRate),
          },
        ],
        takerFeeRate: of('0.00059'),
        makerFeeRate: of('0.00023'),
        spot: { USDT: money('100'), INR: money('5000') },
        futures: { USDT: money('1000'), INR: money('96000') },
        hedgeRate: of('96'),
        nextId: () => `id${++id}`,
        startMs: MIDNIGHT + HOUR,
        ...options,
      },
      assumptions,
    );
    this.move(terms.price ?? '100');
    this.exchange.setLeverage(symbol, 'USDT', of(terms.leverage ?? '10'));
    this.exchange.setLeverage(symbol, 'INR', of(terms.leverage ?? '10'));
  }

  move(last: string, mark = last): void {
    this.exchange.gapTo(this.symbol, of(last), of(mark));
  }

  /** A market order, or a limit order with a price, matched once. */
  trade(side: Side, quantity: string, currency: Currency = 'USDT', price?: string): ExchangeOrder {
    const placed = this.exchange.place({
      terms: {
        symbol: this.symbol,
        currency,
        side,
        type: price === undefined ? 'market' : 'limit',
        quantity: of(quantity),
        ...(price !== undefined && { price: of<'price'>(price) }),
        reduceOnly: false,
      },
    });
    if (!placed.ok) throw new Error(placed.code);
    this.exchange.matchPending();
    return this.order(placed.value.orderId);
  }

  order(orderId: string): ExchangeOrder {
    const order = this.exchange.order({ orderId });
    if (order === undefined) throw new Error(`no order ${orderId}`);
    return order;
  }

  position(currency: Currency = 'USDT'): ExchangePosition {
    const [position] = this.exchange.positions(currency);
    if (position === undefined) throw new Error(`no ${currency} position`);
    return position;
  }

  /** What conservation says of a currency: 0 when no money was made or lost on the way. */
  leak(currency: Currency, startedWith: string): number {
    const { balance, locked } = this.exchange.futuresWallet(currency);
    const { realisedPnl, fees, funding, transfers } = this.exchange.totals(currency);
    const now = add(add(this.exchange.spotBalance(currency), balance), locked);
    return (
      scaledOf(now) -
      scaledOf(money(startedWith)) -
      scaledOf(add(subtract(subtract(realisedPnl, fees), funding), transfers))
    );
  }
}
