import type { Cancel, Clock, Random, Scheduler } from '../core/ports.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { createFaults, type FaultInjector } from './faults.js';
import { createListingBook, type ListingBook } from './listing-book.js';
import { createPriceOverlay, type PriceOverlay } from './price-overlay.js';
import { createPricePump, type PricePump } from './price-pump.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { RequestLog } from './request-log.js';
import { createSandboxClock, type SandboxClock } from './sandbox-clock.js';
import { openExchange, planOf, type SandboxOptions, type SandboxPlan } from './sandbox-options.js';
import { createStreams, type Streams } from './streams.js';
import { VenueRun } from './venue-run.js';

export interface SandboxPorts {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random?: Random;
}

/** What a sandbox is made of, wired together. */
export interface SandboxParts {
  readonly ports: SandboxPorts;
  readonly plan: SandboxPlan;
  readonly clock: SandboxClock;
  readonly listings: ListingBook;
  readonly market: PriceOverlay;
  readonly exchange: SimulatedExchange;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  /** undefined when they are lifted. */
  readonly limits: RateLimits | undefined;
  readonly streams: Streams;
  readonly pump: PricePump;
  readonly run: VenueRun;
  /** Order id → monotonic ms of its acceptance. */
  readonly acceptedAt: Map<string, number>;
  /** Delays that a fault holds a request or an answer back with. */
  readonly waits: Set<Cancel>;
  readonly internalErrors: string[];
}

export function assemble(options: SandboxOptions, ports: SandboxPorts): SandboxParts {
  const clock = createSandboxClock(options, ports.clock);
  const startMs = clock.now();
  const plan = planOf(options, startMs, ports.random);
  const market = createPriceOverlay(plan.market);
  const exchange = openExchange(options, plan, startMs, () => clock.now());
  const faults = createFaults(plan.seed, options.faults ?? []);
  const streams: Streams = createStreams(
    { market, nowMs: () => pump.nowMs, dropsPush: () => faults.dropsPush() },
    ports.clock,
    ports.scheduler,
  );
  const pump = createPricePump(market, exchange, startMs, (boundaryMs) => {
    streams.second(boundaryMs);
  });
  return {
    ports,
    plan,
    clock,
    listings: createListingBook(plan.listings),
    market,
    exchange,
    faults,
    log: new RequestLog(),
    limits:
      options.limits === false ? undefined : createRateLimits(() => ports.clock.monotonicMs()),
    streams,
    pump,
    run: new VenueRun({ clock, pump, streams, exchange, scheduler: ports.scheduler }),
    acceptedAt: new Map(),
    waits: new Set(),
    internalErrors: [],
  };
}
