import { Decimal } from '../../core/fixed/decimal.js';
import { fixed, FIXED_PLACES } from '../../core/fixed/fixed.js';
import { PARAMS_ERROR, success, type RouteReply } from '../http/http-message.js';
import { listRules, pageOf, parsePage } from '../http/page.js';
import { openPositionFor } from './position-lookup.js';
import { closeWire, liquidationText, positionWire } from '../wire/position-wire.js';
import { rejection } from '../http/rejection-text.js';
import { toFixedForChecks, parseCurrency, parseDecimal } from '../http/request-fields.js';
import type { RouteCall, Route } from '../http/route.js';
import { withStaleProtection } from '../wire/stale-protection.js';
import type { RouteContext } from './route-context.js';

const POSITIONS = '/fapi/v1/futures/positions';

/** Reads of positions. */
export function positionRoutes(context: RouteContext): readonly Route[] {
  const toRow =
    context.switches.staleLegs === 'yes' ? withStaleProtection(context.exchange) : identityRow;
  return [
    { method: 'GET', path: POSITIONS, handle: (call) => open(context, call, toRow) },
    { method: 'GET', path: `${POSITIONS}/history`, handle: (call) => history(context, call) },
    {
      method: 'GET',
      path: `${POSITIONS}/{position_id}/liq-price`,
      handle: (call) => liquidationPrice(context, call),
    },
  ];
}

type RowMapper = ReturnType<typeof withStaleProtection>;
const identityRow: RowMapper = (position) => position;

/** All positions of a currency, without pages; `null` when there are none (interface: positions). */
function open(context: RouteContext, call: RouteCall, toRow: RowMapper): RouteReply {
  const { exchange, listings, switches } = context;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const rows = exchange
    .positions(currency)
    .map((position) =>
      positionWire(toRow(position), listings.assetIdOf(position.symbol), switches),
    );
  return success(rows.length === 0 ? null : rows);
}

function history(context: RouteContext, call: RouteCall): RouteReply {
  const { exchange, listings, switches } = context;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, listRules(switches));
  if (page === undefined) return PARAMS_ERROR;
  const rows = pageOf(exchange.positionHistory(currency), page, (close) => close.openedAt);
  return success(rows.map((close) => closeWire(close, listings.assetIdOf(close.symbol), switches)));
}

/** Places of a captured answer with a margin change (supplement: part 11.3). */
const UNROUNDED_PLACES = 16;
const FINEST = fixed<never>(1);

/**
 * Answers a bare string: the current liquidation price on its step, or unrounded with a hypothetical
 * margin change (supplement: part 11.3).
 */
function liquidationPrice(context: RouteContext, call: RouteCall): RouteReply {
  const text = call.query.get('ext_margin') ?? '';
  const extra = text === '' ? new Decimal(0) : parseDecimal(text);
  if (extra === undefined) return PARAMS_ERROR;
  const found = openPositionFor(context, call);
  if (typeof found === 'string') return rejection(found);
  if (extra.isZero()) return success(liquidationText(found.position));
  const margin = toFixedForChecks<'USDT' | 'INR'>(extra.toDecimalPlaces(FIXED_PLACES), FINEST);
  const result = context.exchange.liquidationPriceWith(found.position.positionId, margin);
  if (!result.ok) return rejection(result.code);
  const price = Decimal.max(result.value, 0);
  return success(price.toDecimalPlaces(UNROUNDED_PLACES).toFixed());
}
