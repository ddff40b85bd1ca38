import { numberFromFixed } from '../core/fixed.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { accountRoutes } from './account-routes.js';
import { assetRoutes } from './asset-routes.js';
import { controlRoutes, type Controls } from './control-routes.js';
import { deliver, type Delivery } from './delivery.js';
import { godView } from './god-view.js';
import { INTERNAL_ERROR, jsonReply, NOT_SERVED } from './http-message.js';
import type { HttpReply, RouteReply, SandboxRequest } from './http-message.js';
import { klineRoutes } from './kline-routes.js';
import { orderRoutes } from './order-routes.js';
import { placeRoutes } from './place-routes.js';
import { MARKET_LIMIT_REACHED } from './rate-limits.js';
import type { Route } from './route.js';
import { answer, createRouter } from './router.js';
import type { SandboxOptions } from './sandbox-options.js';
import { assemble, type SandboxParts, type SandboxPorts } from './sandbox-parts.js';
import type { StreamConnection } from './stream-session.js';
import type { StreamPeer } from './streams.js';
import type { VenueDesk } from './venue-desk.js';
import { wireJson } from './wire-json.js';

export type { SandboxOptions } from './sandbox-options.js';
export type { SandboxPorts } from './sandbox-parts.js';

export type Connecting =
  | { readonly kind: 'refused'; readonly reply: HttpReply }
  | { readonly kind: 'admitted'; attach(connection: StreamConnection): StreamPeer };

/** The exchange behind the documented HTTP + WebSocket interface, without sockets. */
export interface Sandbox {
  readonly secret: string;
  readonly instanceId: string;
  readonly symbols: readonly string[];
  /** For tests and the virtual world: the state machine itself. */
  readonly exchange: SimulatedExchange;
  /** Venue ms UTC. */
  now(): number;
  /** 'reset': the connection breaks and no answer comes. */
  handle(request: SandboxRequest): Promise<HttpReply | 'reset'>;
  /** A WebSocket handshake on a path; `attach` once it is done. */
  connect(path: string, remoteAddress?: string): Connecting;
  /** Begins to move prices with the clock. */
  start(): void;
  /** Ends every timer and connection; what a fault holds back is never answered. */
  stop(): void;
  hold(): void;
  release(): void;
  /** Manual clock: moves venue time; false on the others. */
  advance(ms: number): boolean;
  /** The god view of `GET /sandbox/state`, as JSON text. */
  state(): string;
}

const WS_PATH = '/fapi/v1/price/ws/linear';
/** The sibling paths answer without an envelope (supplement, part 1.1). */
const NO_SUCH_STREAM: RouteReply = {
  status: 404,
  body: { code: 404, text: 'requested resource was not found' },
};
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOCAL = '127.0.0.1';

/**
 * Builds a sandbox on ports alone: on virtual time the same seed and requests give the same answers.
 * @throws SandboxOptionError when the market has no price at the start
 */
export function createSandbox(options: SandboxOptions, ports: SandboxPorts): Sandbox {
  const parts = assemble(options, ports);
  const { plan, clock, market, exchange, run } = parts;
  const controls = controlsOf(parts);
  const controlPaths = controlRoutes(controls);
  const control = guarded(parts, (request) => answer(controlPaths, request));
  const delivery = deliveryOf(parts);
  return {
    secret: plan.secret,
    instanceId: plan.instanceId,
    symbols: market.symbols,
    exchange,
    now: () => clock.now(),
    async handle(request) {
      const reply = request.path.startsWith('/sandbox/')
        ? jsonReply(isLocal(request) ? control(request) : NOT_SERVED)
        : await deliver(request, delivery);
      return reply === 'reset' ? reply : dated(reply, clock.now());
    },
    connect: (path, remoteAddress = LOCAL) => connect(parts, path, remoteAddress),
    start() {
      run.start();
    },
    stop() {
      run.stop();
      for (const cancel of parts.waits) cancel();
      parts.waits.clear();
    },
    hold() {
      run.hold();
    },
    release() {
      run.release();
    },
    advance: (ms) => run.advance(ms),
    state() {
      run.catchUp();
      return wireJson(godView(controls));
    },
  };
}

function controlsOf(parts: SandboxParts): Controls {
  const { market, pump, streams, run } = parts;
  const move = (symbol: string): void => {
    pump.refresh(symbol);
    streams.priceMoved();
  };
  return {
    ...parts,
    instanceId: parts.plan.instanceId,
    advance: (ms) => run.advance(ms),
    holdPrice(symbol, price) {
      market.hold(symbol, pump.nowMs, numberFromFixed(price));
      move(symbol);
    },
    releasePrice(symbol) {
      market.release(symbol, pump.nowMs);
      move(symbol);
    },
  };
}

function deliveryOf(parts: SandboxParts): Delivery {
  const { ports, plan, clock, exchange, acceptedAt } = parts;
  const router = createRouter({
    routes: venueRoutes(parts),
    secret: plan.secret,
    limits: parts.limits,
  });
  return {
    route: guarded(parts, router),
    faults: parts.faults,
    log: parts.log,
    nowMs: () => clock.now(),
    wait: (delayMs) => waitFor(parts, delayMs),
    acceptedRecently(request, withinMs) {
      const at = acceptedAt.get(lookedUp(exchange, request) ?? '');
      return at !== undefined && ports.clock.monotonicMs() - at < withinMs;
    },
  };
}

function venueRoutes(parts: SandboxParts): readonly Route[] {
  const { exchange, market, listings, plan, pump, ports, run } = parts;
  const desk: VenueDesk = {
    exchange,
    market,
    listings,
    hedgeRate: plan.hedgeRate,
    onPlaced({ orderId }) {
      parts.acceptedAt.set(orderId, ports.clock.monotonicMs());
      run.settleSoon();
    },
  };
  return [
    ...klineRoutes({ market, listings, nowMs: () => pump.nowMs }),
    ...placeRoutes(desk),
    ...orderRoutes(desk),
    ...accountRoutes(desk),
    ...assetRoutes(desk),
  ];
}

/** Up to date before each request. A fault of our own is a 500, and stays visible in the state. */
function guarded(
  { run, internalErrors }: SandboxParts,
  route: (request: SandboxRequest) => RouteReply,
): (request: SandboxRequest) => RouteReply {
  return (request) => {
    try {
      run.catchUp();
      return route(request);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      internalErrors.push(`${request.method} ${request.path}: ${what}`);
      return INTERNAL_ERROR;
    }
  };
}

function waitFor({ ports, waits }: SandboxParts, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = ports.scheduler.after(delayMs, () => {
      waits.delete(cancel);
      resolve();
    });
    waits.add(cancel);
  });
}

/** The id of the order that a lookup names. */
function lookedUp(exchange: SimulatedExchange, request: SandboxRequest): string | undefined {
  const query = new URLSearchParams(request.query);
  const orderId = query.get('order_id');
  const clientOrderId = query.get('client_order_id') ?? '';
  return exchange.order(orderId === null ? { clientOrderId } : { orderId })?.orderId;
}

function connect(parts: SandboxParts, path: string, remoteAddress: string): Connecting {
  const { limits, streams, clock } = parts;
  const refused = (reply: RouteReply): Connecting => ({
    kind: 'refused',
    reply: dated(jsonReply(reply), clock.now()),
  });
  if (path !== WS_PATH) return refused(NO_SUCH_STREAM);
  if (limits !== undefined && !limits.take('connections', remoteAddress)) {
    return refused(MARKET_LIMIT_REACHED);
  }
  return { kind: 'admitted', attach: (connection) => streams.open(connection) };
}

const isLocal = (request: SandboxRequest): boolean => LOOPBACK.test(request.remoteAddress ?? LOCAL);

/** The Date header is venue time: clients correct their clocks by it. */
const dated = (reply: HttpReply, nowMs: number): HttpReply => ({
  ...reply,
  headers: { date: new Date(nowMs).toUTCString(), ...reply.headers },
});
