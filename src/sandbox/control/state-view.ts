import type { CloseReport, FeeReport, TransferReport } from '../../core/account.js';
import { CURRENCIES, type Currency } from '../../core/currency.js';
import { textFromFixed } from '../../core/fixed/fixed.js';
import type { SimulatedExchange } from '../../exchange/simulated-exchange.js';
import type { ReadonlyFundingSchedule } from '../price/funding-schedule.js';
import type { InstrumentIndex } from '../price/instrument-index.js';
import { orderState } from '../wire/order-wire.js';
import { positionWire } from '../wire/position-wire.js';
import type { RequestLog } from './request-log.js';
import type { SandboxClock } from '../sandbox-clock.js';
import type { WireValue } from '../http/wire-json.js';

export interface StateViewParts {
  readonly instanceId: string;
  readonly clock: SandboxClock;
  readonly exchange: SimulatedExchange;
  readonly listings: InstrumentIndex;
  readonly log: RequestLog;
  readonly funding: ReadonlyFundingSchedule;
  /** Internal errors of the sandbox itself. */
  readonly internalErrors: readonly string[];
}

export const clockView = ({ instanceId, clock }: StateViewParts) => ({
  instance_id: instanceId,
  now_ms: clock.now(),
  rate: clock.rate(),
});

/** Complete state of the venue. Money is decimal text, times are venue ms. */
export function stateView(parts: StateViewParts): WireValue {
  const { instanceId, clock, exchange, listings, log } = parts;
  return {
    instance_id: instanceId,
    clock: { now_ms: clock.now(), rate: clock.rate() },
    orders: exchange
      .allOrders()
      .map((order) =>
        orderState(
          order,
          order.clientOrderId === undefined ? 0 : log.deliveriesOf(order.clientOrderId),
        ),
      ),
    deliveries: log.deliveries(),
    positions: perCurrency((currency) =>
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
    closes: perCurrency((currency) => exchange.positionHistory(currency).map(closeView)),
    fees: perCurrency((currency) => exchange.fees(currency).map(feeView)),
    transfers: perCurrency((currency) => exchange.transfers(currency).map(transferView)),
    funding: fundingView(parts),
    hedge_rate: textFromFixed(exchange.hedgeRate('INR')),
    prices: Object.fromEntries(
      listings.all.map(({ instrument }) => priceView(exchange, instrument.symbol)),
    ),
    requests: log.total,
    internal_errors: parts.internalErrors,
  };
}

const perCurrency = (rows: (currency: Currency) => readonly WireValue[]): readonly WireValue[] =>
  CURRENCIES.flatMap(rows);

const closeView = (close: CloseReport): WireValue => ({
  row_id: close.rowId,
  position_id: close.positionId,
  order_id: close.orderId ?? null,
  symbol: close.symbol,
  trade_currency: close.currency,
  side: close.side,
  kind: close.kind,
  quantity: textFromFixed(close.quantity),
  entry_price: textFromFixed(close.entryPrice),
  close_price: textFromFixed(close.closePrice),
  pnl: textFromFixed(close.pnl),
  opened_ms: close.openedAt,
  closed_ms: close.closedAt,
});

const feeView = (fee: FeeReport): WireValue => ({
  id: fee.id ?? null,
  order_id: fee.order?.orderId ?? null,
  symbol: fee.symbol,
  trade_currency: fee.currency,
  kind: fee.kind,
  amount: textFromFixed(fee.amount),
  value: textFromFixed(fee.value),
  gst: fee.gst === undefined ? null : textFromFixed(fee.gst),
  created_ms: fee.createdAt,
});

const transferView = (transfer: TransferReport): WireValue => ({
  id: transfer.id,
  trade_currency: transfer.currency,
  direction: transfer.direction,
  amount: textFromFixed(transfer.amount),
  status: transfer.status,
  created_ms: transfer.createdAt,
});

/** The next settlement with the rate of each symbol. */
function fundingView({ funding, listings, exchange }: StateViewParts): WireValue {
  const settlementMs = funding.nextSettlementMs(exchange.nowMs);
  const rates = listings.all.map(({ instrument: { symbol } }): [string, string] => [
    symbol,
    textFromFixed(funding.rate(symbol, settlementMs)),
  ]);
  return { next_settlement_ms: settlementMs, rates: Object.fromEntries(rates) };
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
