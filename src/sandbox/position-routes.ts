import { Decimal } from '../core/decimal.js';
import { fixed, FIXED_PLACES } from '../core/fixed.js';
import { PARAMS_ERROR, success, type RouteReply } from './http-message.js';
import { listRules, pageOf, parsePage } from './page.js';
import { openPosition } from './position-lookup.js';
import { closeWire, liquidationText, positionWire } from './position-wire.js';
import { rejection } from './rejection-text.js';
import { judgeable, parseCurrency, parseDecimal } from './request-fields.js';
import type { Call, Route } from './route.js';
import { rememberLegs } from './stale-legs.js';
import type { VenueDesk } from './venue-desk.js';

const POSITIONS = '/fapi/v1/futures/positions';

/** What is read of positions. */
export function positionRoutes(desk: VenueDesk): readonly Route[] {
  const asShown = desk.switches.staleLegs === 'yes' ? rememberLegs(desk.exchange) : asTheyAre;
  return [
    { method: 'GET', path: POSITIONS, answer: (call) => open(desk, call, asShown) },
    { method: 'GET', path: `${POSITIONS}/history`, answer: (call) => history(desk, call) },
    {
      method: 'GET',
      path: `${POSITIONS}/{position_id}/liq-price`,
      answer: (call) => liquidationPrice(desk, call),
    },
  ];
}

type Shown = ReturnType<typeof rememberLegs>;
const asTheyAre: Shown = (position) => position;

/** All of a currency: this list has no pages. `null` when there are none (interface). */
function open(desk: VenueDesk, call: Call, asShown: Shown): RouteReply {
  const { exchange, listings, switches } = desk;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const rows = exchange
    .positions(currency)
    .map((position) =>
      positionWire(asShown(position), listings.assetIdOf(position.symbol), switches),
    );
  return success(rows.length === 0 ? null : rows);
}

function history(desk: VenueDesk, call: Call): RouteReply {
  const { exchange, listings, switches } = desk;
  const currency = parseCurrency(call.query.get('trade_currency'));
  if (currency === undefined) return rejection('invalid-currency');
  const page = parsePage(call.query, listRules(switches));
  if (page === undefined) return PARAMS_ERROR;
  const rows = pageOf(exchange.positionHistory(currency), page, (close) => close.openedAt);
  return success(rows.map((close) => closeWire(close, listings.assetIdOf(close.symbol), switches)));
}

/** Places of a sample with a margin change (supplement, part 11.3). */
const UNROUNDED_PLACES = 16;
const FINEST = fixed<never>(1);

/**
 * A bare string: the present price on its step, or unrounded with a hypothetical margin change
 * (supplement, part 11.3).
 */
function liquidationPrice(desk: VenueDesk, call: Call): RouteReply {
  const text = call.query.get('ext_margin') ?? '';
  const extra = text === '' ? new Decimal(0) : parseDecimal(text);
  if (extra === undefined) return PARAMS_ERROR;
  const found = openPosition(desk, call);
  if (typeof found === 'string') return rejection(found);
  if (extra.isZero()) return success(liquidationText(found.position));
  const margin = judgeable<'USDT' | 'INR'>(extra.toDecimalPlaces(FIXED_PLACES), FINEST);
  const answer = desk.exchange.liquidationPriceWith(found.position.positionId, margin);
  if (!answer.ok) return rejection(answer.code);
  const price = Decimal.max(answer.value, 0);
  return success(price.toDecimalPlaces(UNROUNDED_PLACES).toFixed());
}
