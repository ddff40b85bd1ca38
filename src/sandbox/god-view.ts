import { CURRENCIES } from '../core/currency.js';
import { textFromFixed } from '../core/fixed.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { ListingBook } from './listing-book.js';
import { orderState } from './order-wire.js';
import { positionWire } from './position-wire.js';
import type { RequestLog } from './request-log.js';
import type { SandboxClock } from './sandbox-clock.js';
import type { WireValue } from './wire-json.js';

export interface GodViewParts {
  readonly instanceId: string;
  readonly clock: SandboxClock;
  readonly exchange: SimulatedExchange;
  readonly listings: ListingBook;
  readonly log: RequestLog;
  /** Faults of the sandbox's own, told and not hidden. */
  readonly internalErrors: readonly string[];
}

export const clockView = ({ instanceId, clock }: GodViewParts) => ({
  instance_id: instanceId,
  now_ms: clock.now(),
  rate: clock.rate(),
});

/** All that the venue knows. Money is decimal texts, times are venue ms. */
export function godView(parts: GodViewParts): WireValue {
  const { instanceId, clock, exchange, listings, log } = parts;
  return {
    instance_id: instanceId,
    clock: { now_ms: clock.now(), rate: clock.rate() },
    orders: exchange
      .allOrders()
      .map((order) =>
        orderState(
          order,
          order.clientOrderId === undefined ? 0 : log.placesOf(order.clientOrderId),
        ),
      ),
    deliveries: log.places(),
    positions: CURRENCIES.flatMap((currency) =>
      exchange
        .positions(currency)
        .map((position) => positionWire(position, listings.assetIdOf(position.symbol))),
    ),
    wallets: Object.fromEntries(
      CURRENCIES.map((currency) => [currency, walletView(exchange, currency)]),
    ),
    ledger: Object.fromEntries(
      CURRENCIES.map((currency) => [currency, ledgerView(exchange, currency)]),
    ),
    prices: Object.fromEntries(
      listings.all.map(({ instrument }) => priceView(exchange, instrument.symbol)),
    ),
    requests: log.total,
    internal_errors: parts.internalErrors,
  };
}

function walletView(exchange: SimulatedExchange, currency: 'USDT' | 'INR'): WireValue {
  const wallet = exchange.futuresWallet(currency);
  return {
    spot: textFromFixed(exchange.spotBalance(currency)),
    balance: textFromFixed(wallet.balance),
    locked: textFromFixed(wallet.locked),
    equity: textFromFixed(exchange.equity(currency)),
  };
}

function ledgerView(exchange: SimulatedExchange, currency: 'USDT' | 'INR'): WireValue {
  const totals = exchange.totals(currency);
  return {
    realised_pnl: textFromFixed(totals.realisedPnl),
    fees: textFromFixed(totals.fees),
    funding: textFromFixed(totals.funding),
    transfers: textFromFixed(totals.transfers),
  };
}

function priceView(exchange: SimulatedExchange, symbol: string): [string, WireValue] {
  const prices = exchange.prices(symbol);
  if (prices === undefined) return [symbol, null];
  return [symbol, { last: textFromFixed(prices.last), mark: textFromFixed(prices.mark) }];
}
