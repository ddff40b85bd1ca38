import type { Cancel, Clock, Random, Scheduler } from '../core/ports.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { createFaults, type FaultInjector } from './faults/faults.js';
import { createStaleReads, type StaleReads } from './faults/stale-reads.js';
import { createInstrumentIndex, type InstrumentIndex } from './price/instrument-index.js';
import { createPriceOverlay, type PriceOverlay } from './price/price-overlay.js';
import { createPriceDriver, type PriceDriver } from './price/price-driver.js';
import { createRateLimits, type RateLimits } from './http/rate-limits.js';
import { RequestLog } from './control/request-log.js';
import { createSandboxClock, type SandboxClock } from './sandbox-clock.js';
import {
  openExchange,
  resolveSandboxPlan,
  type SandboxOptions,
  type SandboxPlan,
} from './sandbox-options.js';
import { createStreams, type Streams } from './stream/streams.js';
import { applyAdminAction, type AdminActionParts } from './control/admin-actions.js';
import { ExchangeLoop } from './exchange-loop.js';

export interface SandboxPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random?: Random;
}

/** The wired parts of a sandbox. */
export interface SandboxParts {
  readonly ports: SandboxPorts;
  readonly plan: SandboxPlan;
  readonly clock: SandboxClock;
  readonly listings: InstrumentIndex;
  readonly market: PriceOverlay;
  readonly exchange: SimulatedExchange;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  /** undefined without limits. */
  readonly limits: RateLimits | undefined;
  readonly streams: Streams;
  readonly priceDriver: PriceDriver;
  readonly exchangeLoop: ExchangeLoop;
  /** The exchange behind reads that may lag. */
  readonly staleReads: StaleReads;
  /** Dependencies of faults at the venue. */
  readonly adminActionParts: AdminActionParts;
  /** Cancels the pending delays of requests and answers. */
  readonly pendingDelays: Set<Cancel>;
  readonly internalErrors: string[];
  /** The account's only key; rotating it invalidates the previous one at once. */
  readonly key: { secret: string };
}

export function assemble(options: SandboxOptions, ports: SandboxPorts): SandboxParts {
  const clock = createSandboxClock(options, ports.clock);
  const startMs = clock.now();
  const plan = resolveSandboxPlan(options, startMs, ports.random);
  const market = createPriceOverlay(plan.market);
  const listings = createInstrumentIndex(plan.listings);
  const exchange = openExchange(options, plan, startMs, () => clock.now());
  const staleReads = createStaleReads(exchange, () => ports.clock.monotonicMs());
  if (plan.switches.readLagMs > 0) staleReads.startRecording();
  const faults = withVersionRecording(
    createFaults(plan.seed, [], () => clock.now()),
    staleReads,
  );
  faults.set(options.faults ?? []);
  const streams: Streams = createStreams(
    { market, seed: plan.seed, nowMs: () => priceDriver.nowMs, faults, switches: plan.switches },
    ports.clock,
    ports.scheduler,
  );
  const priceDriver: PriceDriver = createPriceDriver(market, exchange, startMs, (boundaryMs) => {
    for (const rule of faults.due(boundaryMs)) applyAdminAction(adminActionParts, rule);
    streams.onSecond(boundaryMs);
  });
  const adminActionParts: AdminActionParts = {
    exchange,
    market,
    priceDriver,
    listings,
    funding: plan.funding,
  };
  return {
    ports,
    plan,
    clock,
    listings,
    market,
    exchange,
    faults,
    log: createRequestLog(plan, exchange),
    limits:
      options.limits === false ? undefined : createRateLimits(() => ports.clock.monotonicMs()),
    streams,
    priceDriver,
    exchangeLoop: new ExchangeLoop({
      clock,
      priceDriver,
      streams,
      exchange,
      scheduler: ports.scheduler,
    }),
    staleReads,
    adminActionParts,
    pendingDelays: new Set(),
    internalErrors: [],
    key: { secret: plan.secret },
  };
}

/** Delivery counts are retained as long as their orders. */
function createRequestLog({ retention }: SandboxPlan, exchange: SimulatedExchange): RequestLog {
  if (retention === undefined) return new RequestLog();
  const isKnown = (clientOrderId: string): boolean =>
    exchange.order({ clientOrderId }) !== undefined;
  return new RequestLog({ newest: retention.endedOrders, isKnown });
}

/** Recording starts when the first rule needs it. */
function withVersionRecording(faults: FaultInjector, staleReads: StaleReads): FaultInjector {
  return {
    ...faults,
    get hasFeed() {
      return faults.hasFeed;
    },
    set(rules) {
      if (rules.some(({ name }) => name === 'read_lag' || name === 'stale_list'))
        staleReads.startRecording();
      faults.set(rules);
    },
  };
}
