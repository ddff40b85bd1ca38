import type { Cancel, Clock, Scheduler } from '../core/ports.js';
import { UsageWindow, type UsedAge } from './usage-window.js';

export interface RateWindow {
  readonly lengthMs: number;
  /** What the peer allows in any such span. */
  readonly limit: number;
}

export interface RateTier {
  readonly windows: readonly RateWindow[];
  /** Share of the peer's limit that is ever used. Default 0.9 (hazard L1). */
  readonly safety?: number;
  /** Share of that which only reserved priorities may use. Default 0.3 (hazard L3). */
  readonly reserve?: number;
}

export interface RateBudgetOptions<Tier extends string, Priority extends string> {
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  /** Highest first. */
  readonly priorities: readonly Priority[];
  /** Who may use the reserve. */
  readonly reserved: readonly Priority[];
  /** Who may go to the peer's very limit, as if the way there took always the same time. Default none. */
  readonly urgent?: readonly Priority[];
  /** Requests leave and land with jitter, so every window is taken this much longer. Default 250. */
  readonly jitterMs?: number;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/** What was used, by tier and window, as ages: survives a restart of the monotonic clock. */
export type RateUsage = Readonly<Record<string, readonly (readonly UsedAge[])[]>>;

interface TierState {
  readonly windows: readonly {
    readonly used: UsageWindow;
    readonly limit: number;
    /** What the peer itself allows. */
    readonly peerLimit: number;
  }[];
  readonly reserve: number;
  blockedUntil: number;
  /** The same for reserved priorities. */
  reservedBlockedUntil: number;
  /** Halvings of the limits still in force after refusals by the peer (hazard L5). */
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
/** What is urgent would rather be refused now and then than wait for the slowest way. */
const URGENT_JITTER_MS = 100;
/**
 * The polls of an account go on at one a second, by the reserve where they must. Of less than half the
 * rate they would leave nothing, so that what places and what reads history stood still for a minute.
 */
const MAX_HALVINGS = 1;
/** After this long without a refusal one halving is taken back. */
const RECOVERY_MS = 60_000;

/**
 * Sliding-window budgets on monotonic time. A request may count in several tiers at once; within
 * one it passes every window or waits. First by priority, then first come, first served.
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
   * Resolves when one request may be sent in all of `tiers`; it is counted then. Stays pending for
   * ever when `signal` aborts first or the budget is closed: nobody waits for it any more.
   */
  acquire(tiers: readonly Tier[], priority: Priority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true || this.#closed) return;
      const rank = this.#options.priorities.indexOf(priority);
      const giveUp = (): void => {
        this.#leave(waiter);
        this.#pump();
      };
      const grant = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiter = { tiers, priority, rank, grant };
      const place = this.#waiting.findIndex((other) => other.rank > rank);
      this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#pump();
    });
  }

  /** Takes the slot of a request that may be sent now and before which nobody waits. */
  acquireNow(tiers: readonly Tier[], priority: Priority): boolean {
    if (this.#closed) return false;
    const rank = this.#options.priorities.indexOf(priority);
    const isBehind = this.#waiting.some(
      (other) => other.rank <= rank && other.tiers.some((tier) => tiers.includes(tier)),
    );
    const now = this.#now();
    if (isBehind || this.#readyAt({ tiers, priority }, now) > now) return false;
    this.#count(tiers, now);
    return true;
  }

  /**
   * The peer said "too many": nothing leaves in these tiers for `forMs`, then at half the rate. Reserved
   * priorities wait for `reservedForMs` alone and keep their rate: what takes risk back must not stand
   * still because of one refusal that may have been somebody else's doing (T16).
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
    this.#pump();
  }

  export(): RateUsage {
    const now = this.#now();
    const usage: Record<string, UsedAge[][]> = {};
    for (const [name, { windows }] of this.#tiers) {
      usage[name] = windows.map(({ used }) => used.ages(now));
    }
    return usage;
  }

  /** Counts what an earlier process used, `agedMs` ago. Before the first `acquire`. */
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

  /** Drops who waits; grants nothing more. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#cancelWake?.();
  }

  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const now = this.#now();
    // Nobody overtakes in a tier where somebody ahead of him waits.
    const held = new Set<Tier>();
    let wakeAt = Infinity;
    for (const waiter of [...this.#waiting]) {
      const readyAt = waiter.tiers.some((tier) => held.has(tier))
        ? Infinity
        : this.#readyAt(waiter, now);
      if (readyAt <= now) this.#grant(waiter, now);
      else for (const tier of waiter.tiers) held.add(tier);
      if (readyAt > now) wakeAt = Math.min(wakeAt, readyAt);
    }
    if (wakeAt === Infinity) return;
    this.#cancelWake = this.#options.scheduler.after(Math.ceil(wakeAt - now), () => this.#pump());
  }

  #readyAt(
    { tiers, priority }: Pick<Waiter<Tier, Priority>, 'tiers' | 'priority'>,
    now: number,
  ): number {
    const { reserved, urgent } = this.#options;
    const mayUseReserve = reserved.includes(priority);
    const isUrgent = urgent?.includes(priority) === true;
    const earlier = isUrgent ? Math.max(0, this.#jitterMs - URGENT_JITTER_MS) : 0;
    let readyAt = now;
    for (const tier of tiers) {
      const state = this.#tier(tier);
      readyAt = Math.max(readyAt, mayUseReserve ? state.reservedBlockedUntil : state.blockedUntil);
      for (const { used, limit, peerLimit } of state.windows) {
        const allowed = isUrgent ? peerLimit : this.#allowed(state, limit, mayUseReserve, now);
        readyAt = Math.max(readyAt, used.freeAt(allowed, now) - earlier);
      }
    }
    return readyAt;
  }

  #allowed(state: TierState, limit: number, mayUseReserve: boolean, now: number): number {
    if (mayUseReserve) return limit;
    const whole = Math.max(1, Math.floor(limit / 2 ** this.#halvings(state, now)));
    return Math.max(1, Math.floor(whole * (1 - state.reserve)));
  }

  #halvings(state: TierState, now: number): number {
    const recovered = Math.floor((now - state.halvedAt) / RECOVERY_MS);
    return Math.max(0, state.halvings - recovered);
  }

  #grant(waiter: Waiter<Tier, Priority>, now: number): void {
    this.#leave(waiter);
    this.#count(waiter.tiers, now);
    waiter.grant();
  }

  #count(tiers: readonly Tier[], now: number): void {
    for (const tier of new Set(tiers)) {
      for (const { used } of this.#tier(tier).windows) used.add(now, 1);
    }
  }

  #leave(waiter: Waiter<Tier, Priority>): void {
    const place = this.#waiting.indexOf(waiter);
    if (place !== -1) this.#waiting.splice(place, 1);
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
  return {
    windows: tier.windows.map(({ lengthMs, limit }) => ({
      used: new UsageWindow(lengthMs + jitterMs),
      limit: Math.max(1, Math.floor(limit * safety)),
      peerLimit: limit,
    })),
    reserve: tier.reserve ?? DEFAULT_RESERVE,
    blockedUntil: 0,
    reservedBlockedUntil: 0,
    halvings: 0,
    halvedAt: 0,
  };
}
