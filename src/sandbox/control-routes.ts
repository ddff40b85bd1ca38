import { fixed, isMore, SCALE, type Price } from '../core/fixed.js';
import { positive, symbolOf, venueControlRoutes, type VenueControls } from './control-venue.js';
import { FaultListError, parseFaults } from './fault-rules.js';
import type { FaultInjector } from './faults.js';
import type { FundingBook } from './funding.js';
import { clockView, godView, type GodViewParts } from './god-view.js';
import { failure, type RouteReply } from './http-message.js';
import type { Call, Route } from './route.js';
import type { WireValue } from './wire-json.js';

/** What the control paths can do to a sandbox. */
export interface Controls extends GodViewParts, VenueControls {
  readonly funding: FundingBook;
  /** What this sandbox answers where the interface is silent, by name. */
  readonly answers: WireValue;
  readonly faults: FaultInjector;
  /** Last and mark are here from now on. */
  readonly holdPrice: (symbol: string, price: Price) => void;
  readonly releasePrice: (symbol: string) => void;
  /** The only one that is valid from now on. */
  readonly setSecret: (secret: string) => void;
  /** False unless the clock is manual. */
  readonly advance: (ms: number) => boolean;
}

/** What a header can carry. */
const SECRET = /^[\x21-\x7e]{1,4096}$/;
const MAX_ADVANCE_MS = 366 * 86_400_000;
/** 10,000,000 USDT. */
const MAX_PRICE = fixed<'price'>(10_000_000 * SCALE);

/** Paths beside the documented ones, for loopback only, without a key. No envelope around what they tell. */
export const controlRoutes = (controls: Controls): readonly Route[] => [
  { method: 'GET', path: '/sandbox/state', answer: () => tell(godView(controls)) },
  { method: 'GET', path: '/sandbox/clock', answer: () => tell(clockView(controls)) },
  { method: 'POST', path: '/sandbox/clock', answer: (call) => advance(controls, call) },
  {
    method: 'GET',
    path: '/sandbox/requests',
    answer: () => tell({ total: controls.log.total, requests: requestsView(controls) }),
  },
  {
    method: 'GET',
    path: '/sandbox/faults',
    answer: () => tell({ faults: controls.faults.list() }),
  },
  { method: 'PUT', path: '/sandbox/faults', answer: (call) => setFaults(controls, call) },
  { method: 'DELETE', path: '/sandbox/faults', answer: () => clearFaults(controls) },
  { method: 'POST', path: '/sandbox/price', answer: (call) => movePrice(controls, call) },
  { method: 'POST', path: '/sandbox/secret', answer: (call) => rotateSecret(controls, call) },
  { method: 'GET', path: '/sandbox/switches', answer: () => tell(controls.answers) },
  ...venueControlRoutes(controls),
];

const tell = (body: WireValue): RouteReply => ({ status: 200, body });

const requestsView = ({ log }: Controls): WireValue => log.entries().map((entry) => ({ ...entry }));

function advance(controls: Controls, call: Call): RouteReply {
  const ms = call.body?.['advance_ms'];
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms <= 0 || ms > MAX_ADVANCE_MS) {
    return failure(400, `advance_ms must be a whole number of ms from 1 to ${MAX_ADVANCE_MS}`);
  }
  if (!controls.advance(ms)) {
    return failure(400, 'the clock runs by itself: start the sandbox with --clock manual');
  }
  return tell(clockView(controls));
}

function setFaults(controls: Controls, call: Call): RouteReply {
  try {
    controls.faults.set(parseFaults(JSON.parse(call.bodyText)));
  } catch (error) {
    if (error instanceof SyntaxError) return failure(400, 'the fault list is not JSON');
    if (error instanceof FaultListError) return failure(400, error.message);
    throw error;
  }
  return tell({ faults: controls.faults.list() });
}

function clearFaults(controls: Controls): RouteReply {
  controls.faults.set([]);
  return tell({ faults: [] });
}

/** As a rotation of the key does: the one before ends at this moment. */
function rotateSecret(controls: Controls, call: Call): RouteReply {
  const secret = call.body?.['secret'];
  if (typeof secret !== 'string' || !SECRET.test(secret)) {
    return failure(400, 'secret must be 1 to 4096 visible ASCII characters, without blanks');
  }
  controls.setSecret(secret);
  return tell({ rotated: true });
}

function movePrice(controls: Controls, call: Call): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  if (call.body?.['release'] === true) {
    controls.releasePrice(symbol);
    return tell({ symbol, released: true });
  }
  const price = positive<'price'>(call.body?.['price']);
  if (price === undefined || isMore(price, MAX_PRICE)) {
    return failure(400, 'price must be a decimal above 0 and at most 10000000, as a string');
  }
  controls.holdPrice(symbol, price);
  return tell({ symbol, price: String(call.body?.['price']) });
}
