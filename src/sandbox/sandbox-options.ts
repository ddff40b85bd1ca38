import type { Currency } from '../core/currency.js';
import { fixedFromText, type Amount, type Ratio } from '../core/fixed/fixed.js';
import type { Random } from '../core/ports.js';
import { DEFAULT_ASSUMPTIONS, type Assumptions } from '../exchange/assumptions.js';
import { createExchange } from '../exchange/create-exchange.js';
import type {
  ExchangeOptions,
  Retention,
  SimulatedExchange,
} from '../exchange/simulated-exchange.js';
import type { FaultRule } from './faults/fault-rules.js';
import { createFundingSchedule, type FundingSchedule } from './price/funding-schedule.js';
import { hashText, uuidOf } from '../core/integer-hash.js';
import { STANDARD_LISTINGS, type SandboxListing } from '../market/synthetic/listings.js';
import type { Market } from '../market/synthetic/market.js';
import { RETAINED_ORDERS } from './routes/retained-orders.js';
import { SandboxOptionError, type ClockMode } from './sandbox-clock.js';
import { DEFAULT_BEHAVIOR_FLAGS, type BehaviorFlags } from './behavior/behavior-flags.js';
import { createSyntheticMarket } from '../market/synthetic/synthetic-market.js';

export interface SandboxOptions {
  /** Seed of the synthetic market and of the faults. Default 1. */
  readonly seed?: number;
  /** Default real. */
  readonly clock?: ClockMode;
  /** Venue ms UTC. Default: this machine's UTC. */
  readonly startMs?: number;
  /** Hold venue time until `release`. */
  readonly held?: boolean;
  /** Recorded prices instead of the synthetic market (see `loadReplay`). */
  readonly replay?: { readonly market: Market; readonly listings: readonly SandboxListing[] };
  /** Identifies this sandbox; every id it creates depends on it. Default: from seed and start. */
  readonly instanceId?: string;
  /** Value of X-Authentication. Default: random, or from the instance id without a `random` port. */
  readonly secret?: string;
  /** false turns off rate limits and the connection cap (`--no-limits`). Default true. */
  readonly limits?: boolean;
  readonly faults?: readonly FaultRule[];
  /** Number of retained orders without a fill; 0: all. Default 20,000. */
  readonly retainOrders?: number;
  readonly spot?: Partial<Record<Currency, Amount>>;
  readonly futures?: Partial<Record<Currency, Amount>>;
  /** Fraction of the traded value, GST included. Default 0.00059. */
  readonly takerFeeRate?: Ratio;
  /** Default 0.00023. */
  readonly makerFeeRate?: Ratio;
  /** INR per USDT. Default 90. */
  readonly hedgeRate?: Ratio;
  /** Answers of the exchange that differ from the defaults. */
  readonly assumptions?: Partial<Assumptions>;
  /** Answers of the served interface that differ from the defaults. */
  readonly switches?: Partial<BehaviorFlags>;
  /** Names of the quirks behind those answers; only shown by `GET /sandbox/switches`. */
  readonly quirks?: readonly string[];
}

const FUNDS = {
  spot: { USDT: fixedFromText<'USDT'>('100000'), INR: fixedFromText<'INR'>('10000000') },
  futures: { USDT: fixedFromText<'USDT'>('10000'), INR: fixedFromText<'INR'>('1000000') },
};
const SECRET_LENGTH = 32;

/** The options with every default filled in. */
export interface SandboxPlan {
  readonly seed: number;
  readonly instanceId: string;
  readonly secret: string;
  readonly listings: readonly SandboxListing[];
  readonly market: Market;
  readonly hedgeRate: Ratio;
  readonly takerFeeRate: Ratio;
  readonly funding: FundingSchedule;
  readonly switches: BehaviorFlags;
  readonly assumptions: Assumptions;
  /** Names of the active quirks. */
  readonly quirks: readonly string[];
  /** undefined: everything is retained. */
  readonly retention: Retention | undefined;
}

/** @throws SandboxOptionError when the market has no price at the start */
export function resolveSandboxPlan(
  options: SandboxOptions,
  startMs: number,
  random: Random | undefined,
): SandboxPlan {
  const seed = options.seed ?? 1;
  const instanceId = options.instanceId ?? uuidOf(startMs, hashText(`instance ${seed}`), 0);
  const listings = options.replay?.listings ?? STANDARD_LISTINGS;
  const market = options.replay?.market ?? createSyntheticMarket(seed, listings);
  if (market.symbols.some((symbol) => market.priceAt('last', symbol, startMs) === undefined)) {
    const first = new Date(market.firstMs).toISOString();
    throw new SandboxOptionError(
      `start ${new Date(startMs).toISOString()} lies before the first price, ${first}`,
    );
  }
  const secret = options.secret ?? drawSecret(instanceId, random);
  const hedgeRate = options.hedgeRate ?? fixedFromText<'ratio'>('90');
  const funding = createFundingSchedule(seed);
  const switches = { ...DEFAULT_BEHAVIOR_FLAGS, ...options.switches };
  const assumptions = { ...DEFAULT_ASSUMPTIONS, ...options.assumptions };
  const quirks = options.quirks ?? [];
  const takerFeeRate = options.takerFeeRate ?? fixedFromText<'ratio'>('0.00059');
  const venue = { listings, market, hedgeRate, takerFeeRate, funding };
  const endedOrders = options.retainOrders ?? RETAINED_ORDERS;
  const retention = endedOrders === 0 ? undefined : { endedOrders };
  return { seed, instanceId, secret, ...venue, switches, assumptions, quirks, retention };
}

/** The funded state machine. Ids depend only on the instance id and the order of events. */
export function openExchange(
  options: SandboxOptions,
  plan: SandboxPlan,
  startMs: number,
  nowMs: () => number,
): SimulatedExchange {
  let count = 0;
  const key = hashText(plan.instanceId);
  const exchangeOptions: ExchangeOptions = {
    listings: plan.listings,
    takerFeeRate: plan.takerFeeRate,
    makerFeeRate: options.makerFeeRate ?? fixedFromText('0.00023'),
    spot: { ...FUNDS.spot, ...options.spot },
    futures: { ...FUNDS.futures, ...options.futures },
    hedgeRate: plan.hedgeRate,
    funding: plan.funding,
    ...(plan.retention !== undefined && { retention: plan.retention }),
    nextId: () => uuidOf(nowMs(), key, (count += 1)),
    startMs,
  };
  return createExchange(exchangeOptions, plan.assumptions);
}

function drawSecret(instanceId: string, random: Random | undefined): string {
  if (random === undefined) return `sandbox-${instanceId}`;
  const letter = (): string => Math.floor(random.next() * 36).toString(36);
  return `sandbox-${Array.from({ length: SECRET_LENGTH }, letter).join('')}`;
}
