import type { Cancel, Clock, Random, Scheduler } from '../core/ports.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { createFaults, type FaultInjector } from './faults.js';
import { createLaggedReads, type LaggedReads } from './lagged-reads.js';
import { createListingBook, type ListingBook } from './listing-book.js';
import { createPriceOverlay, type PriceOverlay } from './price-overlay.js';
import { createPricePump, type PricePump } from './price-pump.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import { RequestLog } from './request-log.js';
import { createSandboxClock, type SandboxClock } from './sandbox-clock.js';
import { openExchange, planOf, type SandboxOptions, type SandboxPlan } from './sandbox-options.js';
import { createStreams, type Streams } from './streams.js';
import { actAtVenue, type VenueActParts } from './venue-acts.js';
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
  /** The exchange for reads that may lag. */
  readonly reads: LaggedReads;
  /** What faults at the venue act on. */
  readonly venue: VenueActParts;
  /** Delays that a fault holds a request or an answer back with. */
  readonly waits: Set<Cancel>;
  readonly internalErrors: string[];
  /** The account has one key, and rotating it ends the one before at once. */
  readonly key: { secret: string };
}

export function assemble(options: SandboxOptions, ports: SandboxPorts): SandboxParts {
  const clock = createSandboxClock(options, ports.clock);
  const startMs = clock.now();
  const plan = planOf(options, startMs, ports.random);
  const market = createPriceOverlay(plan.market);
  const listings = createListingBook(plan.listings);
  const exchange = openExchange(options, plan, startMs, () => clock.now());
  const reads = createLaggedReads(exchange, () => ports.clock.monotonicMs());
  if (plan.switches.readLagMs > 0) reads.arm();
  const faults = armedWith(
    createFaults(plan.seed, [], () => clock.now()),
    reads,
  );
  faults.set(options.faults ?? []);
  const streams: Streams = createStreams(
    { market, seed: plan.seed, nowMs: () => pump.nowMs, faults, switches: plan.switches },
    ports.clock,
    ports.scheduler,
  );
  const pump: PricePump = createPricePump(market, exchange, startMs, (boundaryMs) => {
    for (const rule of faults.due(boundaryMs)) actAtVenue(venue, rule);
    streams.second(boundaryMs);
  });
  const venue: VenueActParts = { exchange, market, pump, listings, funding: plan.funding };
  return {
    ports,
    plan,
    clock,
    listings,
    market,
    exchange,
    faults,
    log: logOf(plan, exchange),
    limits:
      options.limits === false ? undefined : createRateLimits(() => ports.clock.monotonicMs()),
    streams,
    pump,
    run: new VenueRun({ clock, pump, streams, exchange, scheduler: ports.scheduler }),
    reads,
    venue,
    waits: new Set(),
    internalErrors: [],
    key: { secret: plan.secret },
  };
}

/** Deliveries are counted for as long as their orders are remembered. */
function logOf({ retention }: SandboxPlan, exchange: SimulatedExchange): RequestLog {
  if (retention === undefined) return new RequestLog();
  const isKnown = (clientOrderId: string): boolean =>
    exchange.order({ clientOrderId }) !== undefined;
  return new RequestLog({ newest: retention.endedOrders, isKnown });
}

/** Versions are remembered from when the first rule needs them. */
function armedWith(faults: FaultInjector, reads: LaggedReads): FaultInjector {
  return {
    ...faults,
    get hasFeed() {
      return faults.hasFeed;
    },
    set(rules) {
      if (rules.some(({ name }) => name === 'read_lag' || name === 'stale_list')) reads.arm();
      faults.set(rules);
    },
  };
}
