import type { Currency } from '../core/currency.js';
import { textFromFixed, ZERO } from '../core/fixed.js';
import { PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { closeWire, positionWire } from './position-wire.js';
import { rejection } from './rejection-text.js';
import { pageOf, parseCurrency, parsePage } from './request-fields.js';
import type { Call, Route } from './route.js';
import { hedgeRateOf, type VenueDesk } from './venue-desk.js';
import { exactNumber } from './wire-json.js';

const BASE = '/fapi/v1';

export const accountRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'GET', path: `${BASE}/futures/positions`, answer: (call) => positions(desk, call) },
  {
    method: 'GET',
    path: `${BASE}/futures/positions/history`,
    answer: (call) => positionHistory(desk, call),
  },
  { method: 'GET', path: `${BASE}/futures/funds`, answer: (call) => futuresFunds(desk, call) },
  { method: 'GET', path: `${BASE}/wallet/funds`, answer: (call) => spotFunds(desk, call) },
  // Seen in a client and in the interface's table of limits.
  { method: 'POST', path: `${BASE}/wallet/funds`, answer: (call) => spotFunds(desk, call) },
];

function inCurrency(call: Call, answer: (currency: Currency) => RouteReply): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  return currency === undefined ? rejection('invalid-currency') : answer(currency);
}

const positions = (desk: VenueDesk, call: Call): RouteReply =>
  inCurrency(call, (currency) => {
    const page = parsePage(call.query);
    if (page === undefined) return PARAMS_ERROR;
    // Nothing says that open positions are cut at 20 (interface): a page only when one is asked for.
    const all = desk.exchange.positions(currency);
    const isPaged = call.query.has('limit') || call.query.has('offset');
    const rows = isPaged ? pageOf(all, page, (position) => position.createdAt) : all;
    const data = rows.map((row) => positionWire(row, desk.listings.assetIdOf(row.symbol)));
    return success(data.length === 0 ? null : data);
  });

const positionHistory = (desk: VenueDesk, call: Call): RouteReply =>
  inCurrency(call, (currency) => {
    const page = parsePage(call.query);
    if (page === undefined) return PARAMS_ERROR;
    const rows = pageOf(desk.exchange.positionHistory(currency), page, (close) => close.openedAt);
    return success(
      rows.map((close) => {
        const { orderId } = close;
        const order = orderId === undefined ? undefined : desk.exchange.order({ orderId });
        return closeWire(close, {
          assetId: desk.listings.assetIdOf(close.symbol),
          hedgeRate: hedgeRateOf(desk, currency),
          leverage: order?.leverage,
        });
      }),
    );
  });

const futuresFunds = (desk: VenueDesk, call: Call): RouteReply =>
  inCurrency(call, (currency) => {
    const wallet = desk.exchange.futuresWallet(currency);
    const hasTraded = desk.exchange.allOrders().some((order) => order.currency === currency);
    return success({
      balance: textFromFixed(wallet.balance),
      locked_amount: textFromFixed(wallet.locked),
      first_time_user: !hasTraded,
    });
  });

/** This one takes `currency`; with `trade_currency=INR` instead it shows zeros (interface, rule 2). */
function spotFunds(desk: VenueDesk, call: Call): RouteReply {
  const currency = parseCurrency(call.query.get('currency') ?? undefined);
  if (currency === undefined) return rejection('invalid-currency');
  const isMisnamed = !call.query.has('currency') && call.query.get('trade_currency') === 'INR';
  const total = exactNumber(isMisnamed ? ZERO : desk.exchange.spotBalance(currency));
  return success({
    total,
    rewards: 0,
    invested: 0,
    withdrawable: total,
    coin_investable: total,
    coinset_investable: total,
    vault_investable: total,
  });
}
