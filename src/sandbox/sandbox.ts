import { numberFromFixed } from '../core/fixed/fixed.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { controlRejection } from './control/control-guard.js';
import { controlRoutes, type SandboxControls } from './control/control-routes.js';
import { runThroughFaults } from './faults/fault-pipeline.js';
import { stateView } from './control/state-view.js';
import { jsonReply, NOT_SERVED } from './http/http-message.js';
import type { HttpReply, RouteReply, SandboxRequest } from './http/http-message.js';
import { MARKET_LIMIT_REACHED } from './http/rate-limits.js';
import { dispatch } from './http/router.js';
import { createFaultPipeline, withErrorHandling } from './faults/sandbox-fault-pipeline.js';
import type { SandboxOptions } from './sandbox-options.js';
import { assemble, type SandboxParts, type SandboxPorts } from './sandbox-parts.js';
import type { StreamConnection } from './stream/sandbox-stream-session.js';
import type { StreamPeer } from './stream/streams.js';
import { wireJson } from './http/wire-json.js';

export type { SandboxOptions } from './sandbox-options.js';
export type { SandboxPorts } from './sandbox-parts.js';

export type Handshake =
  | { readonly kind: 'refused'; readonly reply: HttpReply }
  | { readonly kind: 'admitted'; attach(connection: StreamConnection): StreamPeer };

/** The exchange behind the documented HTTP and WebSocket interface, without sockets. */
export interface Sandbox {
  readonly secret: string;
  readonly instanceId: string;
  readonly symbols: readonly string[];
  /** The state machine itself, for tests and simulations. */
  readonly exchange: SimulatedExchange;
  /** Venue ms UTC. */
  now(): number;
  /** @returns 'reset' when the connection breaks without an answer */
  handle(request: SandboxRequest): Promise<HttpReply | 'reset'>;
  /** A WebSocket handshake on a path; the caller attaches the connection afterwards. */
  connect(path: string, remoteAddress?: string): Handshake;
  /** Starts moving prices with the clock. */
  start(): void;
  /** Ends every timer and connection. Delayed requests are never answered. */
  stop(): void;
  hold(): void;
  release(): void;
  /** Moves venue time of a manual clock. @returns false on other clocks */
  advance(ms: number): boolean;
  /** The complete state of `GET /sandbox/state`, as JSON text. */
  state(): string;
}

const WS_PATH = '/fapi/v1/price/ws/linear';
/** Other WebSocket paths answer without an envelope (supplement: part 1.1). */
const NO_SUCH_STREAM: RouteReply = {
  status: 404,
  body: { code: 404, text: 'requested resource was not found' },
};
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;
const LOCAL = '127.0.0.1';

/**
 * Builds a sandbox on ports only, so on virtual time the same seed and requests give the same answers.
 * @throws SandboxOptionError when the market has no price at the start
 */
export function createSandbox(options: SandboxOptions, ports: SandboxPorts): Sandbox {
  const parts = assemble(options, ports);
  const { plan, clock, market, exchange, exchangeLoop } = parts;
  const controls = controlsOf(parts);
  const controlTable = controlRoutes(controls);
  const control = withErrorHandling(
    parts,
    (request) => controlRejection(request) ?? dispatch(controlTable, request),
  );
  const pipeline = createFaultPipeline(parts);
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
        : await runThroughFaults(request, pipeline);
      return reply === 'reset' ? reply : withDateHeader(reply, clock.now());
    },
    connect: (path, remoteAddress = LOCAL) => connect(parts, path, remoteAddress),
    start() {
      exchangeLoop.start();
    },
    stop() {
      exchangeLoop.stop();
      for (const cancel of parts.pendingDelays) cancel();
      parts.pendingDelays.clear();
    },
    hold() {
      exchangeLoop.hold();
    },
    release() {
      exchangeLoop.release();
    },
    advance: (ms) => exchangeLoop.advance(ms),
    state() {
      exchangeLoop.catchUp();
      return wireJson(stateView(controls));
    },
  };
}

function controlsOf(parts: SandboxParts): SandboxControls {
  const { market, priceDriver, streams, exchangeLoop, plan, exchange } = parts;
  const onPriceOverride = (symbol: string): void => {
    priceDriver.refresh(symbol);
    streams.onPriceMoved();
  };
  return {
    ...parts,
    instanceId: plan.instanceId,
    funding: plan.funding,
    behavior: {
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
    setClock(mode) {
      exchangeLoop.setClock(mode);
    },
    advance: (ms) => exchangeLoop.advance(ms),
    overridePrice(symbol, price) {
      market.setOverride(symbol, priceDriver.nowMs, numberFromFixed(price));
      onPriceOverride(symbol);
    },
    clearPriceOverride(symbol) {
      market.clearOverride(symbol, priceDriver.nowMs);
      onPriceOverride(symbol);
    },
  };
}

function connect(parts: SandboxParts, path: string, remoteAddress: string): Handshake {
  const { limits, streams, clock, faults } = parts;
  const reject = (reply: RouteReply): Handshake => ({
    kind: 'refused',
    reply: withDateHeader(jsonReply(reply), clock.now()),
  });
  if (path !== WS_PATH) return reject(NO_SUCH_STREAM);
  const isOneTooMany = limits !== undefined && !limits.tryAcquire('connections', remoteAddress);
  if (isOneTooMany || faults.refusesConnection()) {
    return reject(MARKET_LIMIT_REACHED);
  }
  return { kind: 'admitted', attach: (connection) => streams.open(connection) };
}

const isLocal = (request: SandboxRequest): boolean => LOOPBACK.test(request.remoteAddress ?? LOCAL);

/** The Date header is venue time, which clients use to correct their clocks. */
const withDateHeader = (reply: HttpReply, nowMs: number): HttpReply => ({
  ...reply,
  headers: { date: httpDate(nowMs), ...reply.headers },
});

let cachedDate = { second: -1, text: '' };

/** Cached for a second. */
function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  if (cachedDate.second !== second) {
    cachedDate = { second, text: new Date(nowMs).toUTCString() };
  }
  return cachedDate.text;
}
