import type { Currency } from '../../core/currency.js';
import { ZERO } from '../../core/fixed/fixed.js';
import { success, type RouteReply } from '../http/http-message.js';
import { balanceText } from '../wire/money-wire.js';
import { rejection } from '../http/rejection-text.js';
import { parseCurrency } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import type { RouteContext } from './route-context.js';
import { WireNumber } from '../http/wire-json.js';

const BASE = '/fapi/v1';

/** Balances of the futures and the spot wallet. */
export function accountRoutes(context: RouteContext): readonly Route[] {
  const isFirstTimeUser = firstTimeUsers(context);
  const spotRoute = (call: RouteCall): RouteReply => spotFunds(context, call);
  return [
    {
      method: 'GET',
      path: `${BASE}/futures/funds`,
      handle: (call) => futuresFunds(context, call, isFirstTimeUser),
    },
    { method: 'GET', path: `${BASE}/wallet/funds`, handle: spotRoute },
    // Used by a client and listed in the interface's table of limits; answers like GET.
    { method: 'POST', path: `${BASE}/wallet/funds`, handle: spotRoute },
  ];
}

/** Whether a currency never had an accepted order; cached once it had one. */
function firstTimeUsers(context: RouteContext): (currency: Currency) => boolean {
  const traded = new Set<Currency>();
  return (currency) => {
    if (!traded.has(currency) && hasTraded(context, currency)) traded.add(currency);
    return !traded.has(currency);
  };
}

const hasTraded = ({ exchange }: RouteContext, currency: Currency): boolean =>
  exchange.openOrders(currency, 1).length > 0 || exchange.orderHistory(currency, 1).length > 0;

function futuresFunds(
  context: RouteContext,
  call: RouteCall,
  isFirstTimeUser: (currency: Currency) => boolean,
): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const wallet = context.exchange.futuresWallet(currency);
  return success({
    balance: balanceText(wallet.balance, currency, context.switches),
    locked_amount: balanceText(wallet.locked, currency, context.switches),
    first_time_user: isFirstTimeUser(currency),
  });
}

/** This path takes `currency`; with `trade_currency=INR` instead it answers zeros (interface: rule 2). */
function spotFunds(context: RouteContext, call: RouteCall): RouteReply {
  const currency = parseCurrency(call.query.get('currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const isMisnamed = !call.query.has('currency') && call.query.get('trade_currency') === 'INR';
  const balance = isMisnamed ? ZERO : context.exchange.spotBalance(currency);
  const total = new WireNumber(balanceText(balance, currency, context.switches));
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
