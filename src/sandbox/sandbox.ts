import { numberFromFixed } from '../core/fixed.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { controlRefusal } from './control-guard.js';
import { controlRoutes, type Controls } from './control-routes.js';
import { deliver } from './delivery.js';
import { godView } from './god-view.js';
import { jsonReply, NOT_SERVED } from './http-message.js';
import type { HttpReply, RouteReply, SandboxRequest } from './http-message.js';
import { MARKET_LIMIT_REACHED } from './rate-limits.js';
import { answer } from './router.js';
import { deliveryOf, guarded } from './sandbox-delivery.js';
import type { SandboxOptions } from './sandbox-options.js';
import { assemble, type SandboxParts, type SandboxPorts } from './sandbox-parts.js';
import type { StreamConnection } from './stream-session.js';
import type { StreamPeer } from './streams.js';
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
  const control = guarded(
    parts,
    (request) => controlRefusal(request) ?? answer(controlPaths, request),
  );
  const delivery = deliveryOf(parts);
  return {
    get secret() {
      return parts.key.secret;
    },
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
  const { market, pump, streams, run, plan, exchange } = parts;
  const move = (symbol: string): void => {
    pump.refresh(symbol);
    streams.priceMoved();
  };
  return {
    ...parts,
    instanceId: plan.instanceId,
    funding: plan.funding,
    answers: {
      assumptions: { ...plan.assumptions },
      switches: { ...plan.switches },
      quirks: plan.quirks,
    },
    setSecret(secret) {
      parts.key.secret = secret;
    },
    setHedgeRate(rate) {
      exchange.setHedgeRate(rate);
    },
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

function connect(parts: SandboxParts, path: string, remoteAddress: string): Connecting {
  const { limits, streams, clock, faults } = parts;
  const refused = (reply: RouteReply): Connecting => ({
    kind: 'refused',
    reply: dated(jsonReply(reply), clock.now()),
  });
  if (path !== WS_PATH) return refused(NO_SUCH_STREAM);
  const isOneTooMany = limits !== undefined && !limits.take('connections', remoteAddress);
  if (isOneTooMany || faults.refusesConnection()) {
    return refused(MARKET_LIMIT_REACHED);
  }
  return { kind: 'admitted', attach: (connection) => streams.open(connection) };
}

const isLocal = (request: SandboxRequest): boolean => LOOPBACK.test(request.remoteAddress ?? LOCAL);

/** The Date header is venue time: clients correct their clocks by it. */
const dated = (reply: HttpReply, nowMs: number): HttpReply => ({
  ...reply,
  headers: { date: httpDate(nowMs), ...reply.headers },
});

let knownDate = { second: -1, text: '' };

/** Made once a second, whatever the load. */
function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (knownDate.second !== second) {
    knownDate = { second, text: new Date(nowMs).toUTCString() };
  }
  return knownDate.text;
}
