import type { Rng } from './rng.js';

/** Reads that may show what was. */
export type LateRead = 'positions' | 'orders' | 'lookups' | 'history' | 'closes';

/** What a venue shows late it shows within `READ_VISIBILITY_MS`: a little less. */
const LATEST_MS = 24_000;

/** As it would be configured, or one that only says what it would refuse. */
export type GateName = 'standard' | 'research';

interface Episode {
  /** Monotonic ms. */
  readonly from: number;
  readonly forMs: number;
}

/** How strange an account is while faults last. */
export interface WalkPlan {
  /** So long something is wanted, ms. */
  readonly busyMs: number;
  /** How late each read may be, at most, ms. */
  readonly lateness: Readonly<Record<LateRead, number>>;
  /** The share of places that something befalls. */
  readonly placeFaults: number;
  /** The share of reads that fail. */
  readonly readFaults: number;
  /** Lookups fail. */
  readonly failedLookups: Episode | undefined;
  /** Lists come without their data. */
  readonly emptyLists: Episode | undefined;
  /** The share of reads of positions that are `null`, and no two in a row. */
  readonly nullReads: number;
  readonly crashes: number;
  readonly compacts: boolean;
  /** How often somebody else acts on the account. */
  readonly externalTrades: number;
  readonly commands: number;
  readonly activity: number;
  readonly gate: GateName;
  /** At its end everything of ours is closed. */
  readonly flattens: boolean;
}

const IN_TIME = { positions: 0, orders: 0, lookups: 0, history: 0, closes: 0 } as const;
const THEMES = [
  'positions',
  'lookups',
  'lists',
  'blind',
  'empty',
  'blips',
  'hands',
  'none',
] as const;

/**
 * Each walk has a theme: many at once would hide what one alone brings to light, and where lookups and
 * lists both lie for half a minute nobody can tell whose a position is.
 */
export function planOf(rng: Rng): WalkPlan {
  const busyMs = rng.between(40_000, 110_000);
  const theme = rng.pick(THEMES);
  const episode = (most: number): Episode => ({
    from: rng.between(0, busyMs - 20_000),
    forMs: rng.between(8_000, most),
  });
  const late = (most = LATEST_MS): number => rng.pick([800, 3_000, 9_000, most]);
  return {
    busyMs,
    lateness: {
      ...IN_TIME,
      ...(theme === 'positions' && { positions: late() }),
      ...(theme === 'lookups' && { lookups: late(), history: late() }),
      ...(theme === 'lists' && { orders: late(), history: late(), closes: late() }),
    },
    placeFaults: rng.pick([0, 0.1, 0.3]),
    readFaults: rng.pick([0, 0, 0.05, 0.2]),
    failedLookups: theme === 'blind' ? episode(60_000) : undefined,
    emptyLists: theme === 'empty' ? episode(30_000) : undefined,
    nullReads: theme === 'blips' || rng.bool(0.2) ? rng.pick([0.1, 0.3]) : 0,
    crashes: rng.pick([0, 1, 1, 2, 3]),
    compacts: rng.bool(0.6),
    externalTrades: theme === 'hands' ? rng.pick([1, 1, 2]) : 0,
    commands: rng.pick([0, 1, 3]),
    activity: rng.pick([0.05, 0.15, 0.3]),
    gate: rng.bool(0.2) ? 'research' : 'standard',
    flattens: rng.bool(0.3),
  };
}
