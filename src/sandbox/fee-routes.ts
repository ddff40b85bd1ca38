import { PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { feeWire } from './fee-wire.js';
import { pageOf, parsePage } from './page.js';
import { rejection } from './rejection-text.js';
import { parseCurrency } from './request-fields.js';
import type { Call, Route } from './route.js';
import type { VenueDesk } from './venue-desk.js';

export const feeRoutes = (desk: VenueDesk): readonly Route[] => [
  { method: 'GET', path: '/fapi/v1/futures/fee/history', answer: (call) => history(desk, call) },
];

/** Here `offset` is a record skip whatever it is elsewhere (interface, GET fee history). */
function history(desk: VenueDesk, call: Call): RouteReply {
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, { offset: 'count', cap: desk.switches.listCap });
  if (page === undefined) return PARAMS_ERROR;
  const rows = pageOf(desk.exchange.fees(currency), page, (fee) => fee.createdAt);
  return success(rows.map((fee) => feeWire(fee, desk.switches)));
}
