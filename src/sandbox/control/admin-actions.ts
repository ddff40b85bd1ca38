import { CURRENCIES } from '../../core/currency.js';
import {
  add,
  ceilToStep,
  FIXED_PLACES,
  fixedFromNumber,
  fixedFromText,
  isGreater,
  larger,
  numberFromFixed,
  subtract,
  times,
  type Price,
} from '../../core/fixed/fixed.js';
import type {
  ExchangeOrder,
  ExchangePosition,
  SimulatedExchange,
} from '../../exchange/simulated-exchange.js';
import type { FaultRule } from '../faults/fault-rules.js';
import type { FundingSchedule } from '../price/funding-schedule.js';
import type { InstrumentIndex } from '../price/instrument-index.js';
import type { PriceOverlay } from '../price/price-overlay.js';
import type { PriceDriver } from '../price/price-driver.js';

export interface AdminActionParts {
  readonly exchange: SimulatedExchange;
  readonly market: PriceOverlay;
  readonly priceDriver: PriceDriver;
  readonly listings: InstrumentIndex;
  readonly funding: FundingSchedule;
}

/**
 * Carries out a fault at the venue: a liquidation, a triggered stop, a manual action on the account.
 * The client gets no notice. Without a symbol the fault applies to every symbol.
 */
export function applyAdminAction(parts: AdminActionParts, rule: FaultRule): void {
  const { exchange, funding } = parts;
  switch (rule.name) {
    case 'liq':
      for (const position of positionsOf(parts, rule)) liquidate(parts, position);
      return;
    case 'sl_race':
      for (const stop of openOrdersOf(parts, rule).filter(isStop)) triggerStop(parts, stop);
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
        funding.setRate(symbol, funding.nextSettlementMs(exchange.nowMs), rate);
      }
      return;
    default:
      applyManualOperation(parts, rule);
  }
}

/** An action of the account's owner in the venue's own web interface. */
function applyManualOperation(parts: AdminActionParts, rule: FaultRule): void {
  const { exchange } = parts;
  const [verb = '', ...rest] = rule.argument.split(' ');
  const value = rest.at(-1) ?? '0';
  switch (verb) {
    case 'place':
      for (const symbol of symbolsOf(parts, rule)) placeExternalOrder(parts, symbol);
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
        exchange.matchPending(symbol);
      }
      return;
    case 'edit':
      for (const position of positionsOf(parts, rule)) amendStop(parts, position);
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

const symbolsOf = ({ listings }: AdminActionParts, { symbol }: FaultRule): readonly string[] =>
  listings.all
    .map((listing) => listing.instrument.symbol)
    .filter((listed) => symbol === undefined || listed === symbol);

const positionsOf = ({ exchange }: AdminActionParts, { symbol }: FaultRule): ExchangePosition[] =>
  CURRENCIES.flatMap((currency) => exchange.positions(currency)).filter(
    (position) => symbol === undefined || position.symbol === symbol,
  );

const openOrdersOf = ({ exchange }: AdminActionParts, { symbol }: FaultRule): ExchangeOrder[] =>
  CURRENCIES.flatMap((currency) => exchange.openOrders(currency)).filter(
    (order) => symbol === undefined || order.symbol === symbol,
  );

const isStop = (order: ExchangeOrder): boolean => order.role === 'stop-loss';

/** Two steps past the printed liquidation price, since that is rounded. */
function liquidate(parts: AdminActionParts, position: ExchangePosition): void {
  const { liquidationPrice, side, symbol } = position;
  const step = parts.listings.bySymbol(symbol)?.instrument.priceStep;
  if (liquidationPrice === undefined || step === undefined) return;
  const margin = times(step, 2);
  const beyond =
    side === 'long' ? subtract(liquidationPrice, margin) : add(liquidationPrice, margin);
  touchPrice(parts, symbol, isGreater(beyond, step) ? beyond : step);
}

function triggerStop(parts: AdminActionParts, { symbol, price }: ExchangeOrder): void {
  if (price !== undefined) touchPrice(parts, symbol, price);
}

/** Moves the price for one moment and back; candles show the touch. */
function touchPrice({ market, priceDriver }: AdminActionParts, symbol: string, price: Price): void {
  const before = market.overrideAt(symbol, priceDriver.nowMs);
  market.setOverride(symbol, priceDriver.nowMs, numberFromFixed(price));
  priceDriver.refresh(symbol);
  if (before === undefined) market.clearOverride(symbol, priceDriver.nowMs);
  else market.setOverride(symbol, priceDriver.nowMs, before);
  priceDriver.refresh(symbol);
}

/** Places the smallest market order that the venue accepts, without a client order id. */
function placeExternalOrder({ exchange, listings }: AdminActionParts, symbol: string): void {
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
  exchange.matchPending(symbol);
}

/** Moves the stop 0.1 % further from the entry. */
function amendStop({ exchange, listings }: AdminActionParts, position: ExchangePosition): void {
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
