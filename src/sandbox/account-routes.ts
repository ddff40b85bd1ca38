import type { Currency } from '../core/currency.js';
import { ZERO } from '../core/fixed.js';
import { success, type RouteReply } from './http-message.js';
import { balanceText } from './money-wire.js';
import { rejection } from './rejection-text.js';
import { parseCurrency } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';
import { WireNumber } from './wire-json.js';

const BASE = '/fapi/v1';

/** Balances of the futures and the spot wallet. */
export function accountRoutes(desk: VenueDesk): readonly Route[] {
  const isFirstTimeUser = firstTimeUsers(desk);
  const spot = (call: Call): RouteReply => spotFunds(desk, call);
  return [
    {
      method: 'GET',
      path: `${BASE}/futures/funds`,
      answer: (call) => futuresFunds(desk, call, isFirstTimeUser),
    },
    { method: 'GET', path: `${BASE}/wallet/funds`, answer: spot },
    // Seen in a client and in the interface's table of limits: it answers like GET.
    { method: 'POST', path: `${BASE}/wallet/funds`, answer: spot },
  ];
}

/** Whether no order was ever accepted in a currency; looked up no more once one was. */
function firstTimeUsers(desk: VenueDesk): (currency: Currency) => boolean {
  const traded = new Set<Currency>();
  return (currency) => {
    if (!traded.has(currency) && hasTraded(desk, currency)) traded.add(currency);
    return !traded.has(currency);
  };
}

const hasTraded = ({ exchange }: VenueDesk, currency: Currency): boolean =>
  exchange.openOrders(currency, 1).length > 0 || exchange.orderHistory(currency, 1).length > 0;

function futuresFunds(
  desk: VenueDesk,
  call: Call,
  isFirstTimeUser: (currency: Currency) => boolean,
): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const wallet = desk.exchange.futuresWallet(currency);
  return success({
    balance: balanceText(wallet.balance, currency, desk.switches),
    locked_amount: balanceText(wallet.locked, currency, desk.switches),
    first_time_user: isFirstTimeUser(currency),
  });
}

/** This one takes `currency`; with `trade_currency=INR` instead it shows zeros (interface, rule 2). */
function spotFunds(desk: VenueDesk, call: Call): RouteReply {
  const currency = parseCurrency(call.query.get('currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const isMisnamed = !call.query.has('currency') && call.query.get('trade_currency') === 'INR';
  const balance = isMisnamed ? ZERO : desk.exchange.spotBalance(currency);
  const total = new WireNumber(balanceText(balance, currency, desk.switches));
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
