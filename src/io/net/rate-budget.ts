import type { Cancel, Clock, Scheduler } from '../../core/ports.js';
import { UsageWindow, type UsageAge } from './usage-window.js';

export interface RateWindow {
  readonly lengthMs: number;
  /** Requests that the venue allows in any such window. */
  readonly limit: number;
}

export interface RateTier {
  readonly windows: readonly RateWindow[];
  /** Share of the venue's limit that is used at most. Default 0.9 (hazard L1). */
  readonly safety?: number;
  /** Share of `safety` that only reserved priorities may use. Default 0.3 (hazard L3). */
  readonly reserve?: number;
}

export interface RateBudgetOptions<Tier extends string, Priority extends string> {
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  /** Highest first. */
  readonly priorities: readonly Priority[];
  /** Priorities that may use the reserve. */
  readonly reserved: readonly Priority[];
  /** Priorities that may use the venue's full limit, with a smaller allowance for jitter. Default none. */
  readonly urgent?: readonly Priority[];
  /** Network jitter, ms: every window is lengthened by it. Default 250. */
  readonly jitterMs?: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/** Usage by tier and window, as ages: valid across restarts of the monotonic clock. */
export type RateUsage = Readonly<Record<string, readonly (readonly UsageAge[])[]>>;

interface TierState {
  readonly windows: readonly {
    readonly used: UsageWindow;
    readonly limit: number;
    /** The venue's own limit. */
    readonly peerLimit: number;
  }[];
  /** Limit of the shortest window. */
  readonly burst: number;
  readonly reserve: number;
  blockedUntil: number;
  /** `blockedUntil` for reserved priorities. */
  reservedBlockedUntil: number;
  /** Halvings of the limits in force after the venue's 429 responses (hazard L5). */
  halvings: number;
  halvedAt: number;
}

interface Waiter<Tier, Priority> {
  readonly tiers: readonly Tier[];
  readonly priority: Priority;
  readonly rank: number;
  readonly grant: () => void;
}

const DEFAULT_SAFETY = 0.9;
const DEFAULT_RESERVE = 0.3;
const DEFAULT_JITTER_MS = 250;
/** For urgent requests an occasional 429 is better than waiting for the worst jitter. */
const URGENT_JITTER_MS = 100;
/**
 * Account polls continue at one a second, from the reserve if needed. Below half the rate they would
 * use all of it, and placing orders and reading history would stop for a minute.
 */
const MAX_HALVINGS = 1;
/** After this long without a 429 one halving is undone. */
const RECOVERY_MS = 60_000;

/**
 * Sliding-window rate limits on monotonic time. A request may count in several tiers. In each tier it
 * must pass every window or it waits. The order is by priority, then first in, first out.
 */
export class RateBudget<Tier extends string, Priority extends string> {
  readonly #options: RateBudgetOptions<Tier, Priority>;
  readonly #jitterMs: number;
  readonly #tiers = new Map<Tier, TierState>();
  readonly #waiting: Waiter<Tier, Priority>[] = [];
  #cancelWake: Cancel | undefined;
  #closed = false;

  constructor(options: RateBudgetOptions<Tier, Priority>) {
    this.#options = options;
    this.#jitterMs = options.jitterMs ?? DEFAULT_JITTER_MS;
    for (const name of Object.keys(options.tiers) as Tier[]) {
      this.#tiers.set(name, tierState(options.tiers[name], this.#jitterMs));
    }
  }

  /**
   * Resolves when one request may be sent in all of `tiers`, and counts it. If `signal` aborts first or
   * the budget is closed, the promise stays pending: its caller has given up.
   */
  acquire(tiers: readonly Tier[], priority: Priority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true || this.#closed) return;
      const rank = this.#options.priorities.indexOf(priority);
      const abandon = (): void => {
        this.#removeWaiter(waiter);
        this.#grantReady();
      };
      const grant = (): void => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      const waiter = { tiers, priority, rank, grant };
      const index = this.#waiting.findIndex((other) => other.rank > rank);
      this.#waiting.splice(index === -1 ? this.#waiting.length : index, 0, waiter);
      signal?.addEventListener('abort', abandon, { once: true });
      this.#grantReady();
    });
  }

  /** Acquires a permit if the request may be sent now and no request waits before it. */
  tryAcquire(tiers: readonly Tier[], priority: Priority): boolean {
    if (this.#closed) return false;
    const rank = this.#options.priorities.indexOf(priority);
    const mustWait = this.#waiting.some(
      (other) => other.rank <= rank && other.tiers.some((tier) => tiers.includes(tier)),
    );
    const now = this.#now();
    if (mustWait || this.#readyAt({ tiers, priority }, now) > now) return false;
    this.#count(tiers, now);
    return true;
  }

  /**
   * The venue answered 429: nothing leaves in these tiers for `forMs`, then at half the rate. Reserved
   * priorities wait only for `reservedForMs` and retain their rate: another client of the account may
   * have caused the 429, and requests that reduce risk must not stop for it.
   */
  penalise(tiers: readonly Tier[], forMs: number, reservedForMs = forMs): void {
    const now = this.#now();
    for (const tier of tiers) {
      const state = this.#tier(tier);
      state.halvings = Math.min(MAX_HALVINGS, this.#halvings(state, now) + 1);
      state.halvedAt = now;
      state.blockedUntil = Math.max(state.blockedUntil, now + forMs);
      state.reservedBlockedUntil = Math.max(state.reservedBlockedUntil, now + reservedForMs);
    }
    this.#grantReady();
  }

  export(): RateUsage {
    const now = this.#now();
    const usage: Record<string, UsageAge[][]> = {};
    for (const [name, { windows }] of this.#tiers) {
      usage[name] = windows.map(({ used }) => used.ages(now));
    }
    return usage;
  }

  /** Counts the usage of a previous run, exported `agedMs` ago. Call it before the first `acquire`. */
  restore(usage: RateUsage, agedMs: number): void {
    const now = this.#now();
    for (const [name, { windows }] of this.#tiers) {
      windows.forEach(({ used }, index) => {
        for (const [age, count] of usage[name]?.[index] ?? []) {
          used.add(now - Math.max(0, age) - Math.max(0, agedMs), count);
        }
      });
    }
  }

  /** Drops all waiting requests and grants no more. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#cancelWake?.();
  }

  #grantReady(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const now = this.#now();
    // A request must not overtake one that waits ahead of it in the same tier.
    const blockedTiers = new Set<Tier>();
    const waitingAhead = new Map<Tier, number>();
    let wakeAt = Infinity;
    for (const waiter of [...this.#waiting]) {
      const readyAt = waiter.tiers.some((tier) => blockedTiers.has(tier))
        ? Infinity
        : this.#readyAt(waiter, now);
      if (readyAt <= now) this.#grant(waiter, now);
      else this.#block(waiter.tiers, blockedTiers, waitingAhead);
      if (readyAt > now) wakeAt = Math.min(wakeAt, readyAt);
    }
    if (wakeAt === Infinity) return;
    this.#cancelWake = this.#options.scheduler.after(Math.ceil(wakeAt - now), () =>
      this.#grantReady(),
    );
  }

  /**
   * A waiter of these tiers comes first. Behind two windows of other requests in one tier a request
   * leaves the others to lower priorities: their use has passed by its turn. So cancels that fill one tier
   * do not hold up the lookups of another one, behind exits that need both.
   */
  #block(tiers: readonly Tier[], blocked: Set<Tier>, waitingAhead: Map<Tier, number>): void {
    const isFar = tiers.some((tier) => (waitingAhead.get(tier) ?? 0) >= 2 * this.#tier(tier).burst);
    for (const tier of tiers) {
      waitingAhead.set(tier, (waitingAhead.get(tier) ?? 0) + 1);
      if (!isFar) blocked.add(tier);
    }
  }

  #readyAt(
    { tiers, priority }: Pick<Waiter<Tier, Priority>, 'tiers' | 'priority'>,
    now: number,
  ): number {
    const { reserved, urgent } = this.#options;
    const mayUseReserve = reserved.includes(priority);
    const isUrgent = urgent?.includes(priority) === true;
    const allowedEarlyMs = isUrgent ? Math.max(0, this.#jitterMs - URGENT_JITTER_MS) : 0;
    let readyAt = now;
    for (const tier of tiers) {
      const state = this.#tier(tier);
      readyAt = Math.max(readyAt, mayUseReserve ? state.reservedBlockedUntil : state.blockedUntil);
      for (const { used, limit, peerLimit } of state.windows) {
        const allowed = isUrgent ? peerLimit : this.#allowed(state, limit, mayUseReserve, now);
        readyAt = Math.max(readyAt, used.availableAt(allowed, now) - allowedEarlyMs);
      }
    }
    return readyAt;
  }

  #allowed(state: TierState, limit: number, mayUseReserve: boolean, now: number): number {
    if (mayUseReserve) return limit;
    const currentLimit = Math.max(1, Math.floor(limit / 2 ** this.#halvings(state, now)));
    return Math.max(1, Math.floor(currentLimit * (1 - state.reserve)));
  }

  #halvings(state: TierState, now: number): number {
    const recovered = Math.floor((now - state.halvedAt) / RECOVERY_MS);
    return Math.max(0, state.halvings - recovered);
  }

  #grant(waiter: Waiter<Tier, Priority>, now: number): void {
    this.#removeWaiter(waiter);
    this.#count(waiter.tiers, now);
    waiter.grant();
  }

  #count(tiers: readonly Tier[], now: number): void {
    for (const tier of new Set(tiers)) {
      for (const { used } of this.#tier(tier).windows) used.add(now, 1);
    }
  }

  #removeWaiter(waiter: Waiter<Tier, Priority>): void {
    const index = this.#waiting.indexOf(waiter);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  #tier(name: Tier): TierState {
    const state = this.#tiers.get(name);
    if (state === undefined) throw new RangeError(`There is no rate tier "${name}"`);
    return state;
  }

  #now(): number {
    return this.#options.clock.monotonicMs();
  }
}

function tierState(tier: RateTier, jitterMs: number): TierState {
  const safety = tier.safety ?? DEFAULT_SAFETY;
  const shortest = tier.windows.reduce((a, b) => (a.lengthMs <= b.lengthMs ? a : b));
  return {
    windows: tier.windows.map(({ lengthMs, limit }) => ({
      used: new UsageWindow(lengthMs + jitterMs),
      limit: Math.max(1, Math.floor(limit * safety)),
      peerLimit: limit,
    })),
    burst: shortest.limit,
    reserve: tier.reserve ?? DEFAULT_RESERVE,
    blockedUntil: 0,
    reservedBlockedUntil: 0,
    halvings: 0,
    halvedAt: 0,
  };
}
