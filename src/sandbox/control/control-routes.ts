import { fixed, isGreater, SCALE, type Price } from '../../core/fixed/fixed.js';
import {
  parsePositive,
  symbolOf,
  venueControlRoutes,
  type ExchangeControls,
} from './control-venue.js';
import { FaultListError, parseFaults } from '../faults/fault-rules.js';
import type { FaultInjector } from '../faults/faults.js';
import type { FundingSchedule } from '../price/funding-schedule.js';
import { parseClockMode, SandboxOptionError, type ClockMode } from '../sandbox-clock.js';
import { clockView, stateView, type StateViewParts } from './state-view.js';
import { failure, type RouteReply } from '../http/http-message.js';
import type { RouteCall, Route } from '../http/route.js';
import type { WireValue } from '../http/wire-json.js';

/** The parts of a sandbox that the control paths act on. */
export interface SandboxControls extends StateViewParts, ExchangeControls {
  readonly funding: FundingSchedule;
  /** Active quirks, assumptions and switches, by name. */
  readonly behavior: WireValue;
  readonly faults: FaultInjector;
  /** Sets last and mark price until the next call. */
  readonly overridePrice: (symbol: string, price: Price) => void;
  readonly clearPriceOverride: (symbol: string) => void;
  /** Replaces the account's secret at once. */
  readonly setSecret: (secret: string) => void;
  readonly setClock: (mode: ClockMode) => void;
  /** @returns false unless the clock is manual */
  readonly advance: (ms: number) => boolean;
}

/** Characters that a header can carry. */
const SECRET = /^[\x21-\x7e]{1,4096}$/;
const MAX_ADVANCE_MS = 366 * 86_400_000;
/** 10,000,000 USDT. */
const MAX_PRICE = fixed<'price'>(10_000_000 * SCALE);

/** Paths outside the documented interface: loopback only, no key, answers without the envelope. */
export const controlRoutes = (controls: SandboxControls): readonly Route[] => [
  { method: 'GET', path: '/sandbox/state', handle: () => okReply(stateView(controls)) },
  { method: 'GET', path: '/sandbox/clock', handle: () => okReply(clockView(controls)) },
  { method: 'POST', path: '/sandbox/clock', handle: (call) => moveClock(controls, call) },
  {
    method: 'GET',
    path: '/sandbox/requests',
    handle: () => okReply({ total: controls.log.total, requests: requestsView(controls) }),
  },
  {
    method: 'GET',
    path: '/sandbox/faults',
    handle: () => okReply({ faults: controls.faults.list() }),
  },
  { method: 'PUT', path: '/sandbox/faults', handle: (call) => setFaults(controls, call) },
  { method: 'DELETE', path: '/sandbox/faults', handle: () => clearFaults(controls) },
  { method: 'POST', path: '/sandbox/price', handle: (call) => setPrice(controls, call) },
  { method: 'POST', path: '/sandbox/secret', handle: (call) => rotateSecret(controls, call) },
  { method: 'GET', path: '/sandbox/switches', handle: () => okReply(controls.behavior) },
  ...venueControlRoutes(controls),
];

const okReply = (body: WireValue): RouteReply => ({ status: 200, body });

const requestsView = ({ log }: SandboxControls): WireValue =>
  log.entries().map((entry) => ({ ...entry }));

function moveClock(controls: SandboxControls, call: RouteCall): RouteReply {
  const clock = call.body?.['clock'];
  return clock === undefined ? advance(controls, call) : setClock(controls, clock);
}

function setClock(controls: SandboxControls, clock: unknown): RouteReply {
  try {
    controls.setClock(parseClockMode(typeof clock === 'string' ? clock : JSON.stringify(clock)));
  } catch (error) {
    if (error instanceof SandboxOptionError) return failure(400, error.message);
    throw error;
  }
  return okReply(clockView(controls));
}

function advance(controls: SandboxControls, call: RouteCall): RouteReply {
  const ms = call.body?.['advance_ms'];
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms <= 0 || ms > MAX_ADVANCE_MS) {
    return failure(400, `advance_ms must be a whole number of ms from 1 to ${MAX_ADVANCE_MS}`);
  }
  if (!controls.advance(ms)) {
    return failure(
      400,
      'the clock runs by itself: start the sandbox with --clock manual, or send {"clock":"manual"}',
    );
  }
  return okReply(clockView(controls));
}

function setFaults(controls: SandboxControls, call: RouteCall): RouteReply {
  try {
    controls.faults.set(parseFaults(JSON.parse(call.bodyText)));
  } catch (error) {
    if (error instanceof SyntaxError) return failure(400, 'the fault list is not JSON');
    if (error instanceof FaultListError) return failure(400, error.message);
    throw error;
  }
  return okReply({ faults: controls.faults.list() });
}

function clearFaults(controls: SandboxControls): RouteReply {
  controls.faults.set([]);
  return okReply({ faults: [] });
}

/** Rotates the key: the previous secret becomes invalid at once. */
function rotateSecret(controls: SandboxControls, call: RouteCall): RouteReply {
  const secret = call.body?.['secret'];
  if (typeof secret !== 'string' || !SECRET.test(secret)) {
    return failure(400, 'secret must be 1 to 4096 visible ASCII characters, without blanks');
  }
  controls.setSecret(secret);
  return okReply({ rotated: true });
}

function setPrice(controls: SandboxControls, call: RouteCall): RouteReply {
  const symbol = symbolOf(controls.listings, call);
  if (typeof symbol !== 'string') return symbol;
  if (call.body?.['release'] === true) {
    controls.clearPriceOverride(symbol);
    return okReply({ symbol, released: true });
  }
  const price = parsePositive<'price'>(call.body?.['price']);
  if (price === undefined || isGreater(price, MAX_PRICE)) {
    return failure(400, 'price must be a decimal above 0 and at most 10000000, as a string');
  }
  controls.overridePrice(symbol, price);
  return okReply({ symbol, price: String(call.body?.['price']) });
}
