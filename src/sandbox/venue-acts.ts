import { CURRENCIES } from '../core/currency.js';
import {
  add,
  ceilToStep,
  FIXED_PLACES,
  fixedFromNumber,
  fixedFromText,
  isMore,
  larger,
  numberFromFixed,
  subtract,
  times,
  type Price,
} from '../core/fixed.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../exchange/simulated-exchange.js';
import type { FaultRule } from './fault-rules.js';
import type { FundingBook } from './funding.js';
import type { ListingBook } from './listing-book.js';
import type { PriceOverlay } from './price-overlay.js';
import type { PricePump } from './price-pump.js';

export interface VenueActParts {
  readonly exchange: SimulatedExchange;
  readonly market: PriceOverlay;
  readonly pump: PricePump;
  readonly listings: ListingBook;
  readonly funding: FundingBook;
}

/**
 * Does at the venue what a fault says happens there: a liquidation, a stop that fires, a hand on the
 * account. Nobody is told. Without a symbol it concerns every one.
 */
export function actAtVenue(parts: VenueActParts, rule: FaultRule): void {
  const { exchange, funding } = parts;
  switch (rule.name) {
    case 'liq':
      for (const position of positionsOf(parts, rule)) liquidate(parts, position);
      return;
    case 'sl_race':
      for (const stop of openOrdersOf(parts, rule).filter(isStop)) fire(parts, stop);
      return;
    case 'delist':
      for (const symbol of symbolsOf(parts, rule)) exchange.setDelisting(symbol, true);
      return;
    case 'lev_unset':
      for (const symbol of symbolsOf(parts, rule)) {
        for (const currency of CURRENCIES) exchange.unsetLeverage(symbol, currency);
      }
      return;
    case 'funding':
      for (const symbol of symbolsOf(parts, rule)) {
        const rate = fixedFromText<'ratio'>(rule.argument);
        funding.set(symbol, funding.next(exchange.nowMs), rate);
      }
      return;
    default:
      operate(parts, rule);
  }
}

/** What somebody does on the venue's own pages. */
function operate(parts: VenueActParts, rule: FaultRule): void {
  const { exchange } = parts;
  const [verb = '', ...rest] = rule.argument.split(' ');
  const value = rest.at(-1) ?? '0';
  switch (verb) {
    case 'place':
      for (const symbol of symbolsOf(parts, rule)) placeForeign(parts, symbol);
      return;
    case 'cancel':
      for (const order of openOrdersOf(parts, rule)) exchange.cancel(order);
      return;
    case 'unprotect':
      for (const order of openOrdersOf(parts, rule)) {
        if (order.role !== 'trade') exchange.cancel(order);
      }
      return;
    case 'close':
      for (const { positionId, symbol } of positionsOf(parts, rule)) {
        exchange.close(positionId);
        exchange.settle(symbol);
      }
      return;
    case 'edit':
      for (const position of positionsOf(parts, rule)) moveStop(parts, position);
      return;
    case 'set':
      for (const symbol of symbolsOf(parts, rule)) {
        for (const currency of CURRENCIES) {
          exchange.setLeverage(symbol, currency, fixedFromText<'ratio'>(value));
        }
      }
      return;
    case 'withdraw':
      exchange.transfer('USDT', 'withdraw', fixedFromText<'USDT'>(value, FIXED_PLACES));
  }
}

const symbolsOf = ({ listings }: VenueActParts, { symbol }: FaultRule): readonly string[] =>
  listings.all
    .map((listing) => listing.instrument.symbol)
    .filter((listed) => symbol === undefined || listed === symbol);

const positionsOf = ({ exchange }: VenueActParts, { symbol }: FaultRule): ExchangePosition[] =>
  CURRENCIES.flatMap((currency) => exchange.positions(currency)).filter(
    (position) => symbol === undefined || position.symbol === symbol,
  );

const openOrdersOf = ({ exchange }: VenueActParts, { symbol }: FaultRule): ExchangeOrder[] =>
  CURRENCIES.flatMap((currency) => exchange.openOrders(currency)).filter(
    (order) => symbol === undefined || order.symbol === symbol,
  );

const isStop = (order: ExchangeOrder): boolean => order.role === 'stop-loss';

/** Two steps past the printed price, which is rounded. */
function liquidate(parts: VenueActParts, position: ExchangePosition): void {
  const { liquidationPrice, side, symbol } = position;
  const step = parts.listings.bySymbol(symbol)?.instrument.priceStep;
  if (liquidationPrice === undefined || step === undefined) return;
  const margin = times(step, 2);
  const beyond =
    side === 'long' ? subtract(liquidationPrice, margin) : add(liquidationPrice, margin);
  touch(parts, symbol, isMore(beyond, step) ? beyond : step);
}

function fire(parts: VenueActParts, { symbol, price }: ExchangeOrder): void {
  if (price !== undefined) touch(parts, symbol, price);
}

/** The price is there for a moment, in candles too, and back where it was. */
function touch({ market, pump }: VenueActParts, symbol: string, price: Price): void {
  const before = market.heldAt(symbol, pump.nowMs);
  market.hold(symbol, pump.nowMs, numberFromFixed(price));
  pump.refresh(symbol);
  if (before === undefined) market.release(symbol, pump.nowMs);
  else market.hold(symbol, pump.nowMs, before);
  pump.refresh(symbol);
}

/** The smallest market order that the venue takes, without a client order id. */
function placeForeign({ exchange, listings }: VenueActParts, symbol: string): void {
  const instrument = listings.bySymbol(symbol)?.instrument;
  const last = exchange.prices(symbol)?.last;
  if (instrument === undefined || last === undefined) return;
  const { minNotional, quantityStep, minQuantity } = instrument;
  const least = fixedFromNumber<'quantity'>(
    (numberFromFixed(minNotional) * 1.01) / numberFromFixed(last),
  );
  const quantity = larger(minQuantity, ceilToStep(least, quantityStep));
  exchange.place({
    terms: { symbol, currency: 'USDT', side: 'buy', type: 'market', quantity, reduceOnly: false },
  });
  exchange.settle(symbol);
}

/** A tenth of a per cent further from the entry. */
function moveStop({ exchange, listings }: VenueActParts, position: ExchangePosition): void {
  const { stopLoss, positionId, side, symbol } = position;
  const step = listings.bySymbol(symbol)?.instrument.priceStep;
  if (stopLoss === undefined || step === undefined) return;
  const steps = Math.max(
    1,
    Math.round(numberFromFixed(stopLoss.price) / numberFromFixed(step) / 1_000),
  );
  const away = times(step, steps);
  const price = side === 'long' ? subtract(stopLoss.price, away) : add(stopLoss.price, away);
  exchange.moveProtection(positionId, {
    stopLoss: { price, order: { orderId: stopLoss.orderId } },
  });
}
