import type { Chance } from './chance.js';

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
  readonly blind: Episode | undefined;
  /** Lists come without their data. */
  readonly empty: Episode | undefined;
  /** The share of reads of positions that are `null`, and no two in a row. */
  readonly blips: number;
  readonly deaths: number;
  readonly compacts: boolean;
  /** How often somebody else acts on the account. */
  readonly hands: number;
  readonly commands: number;
  readonly appetite: number;
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
export function planOf(chance: Chance): WalkPlan {
  const busyMs = chance.between(40_000, 110_000);
  const theme = chance.pick(THEMES);
  const episode = (most: number): Episode => ({
    from: chance.between(0, busyMs - 20_000),
    forMs: chance.between(8_000, most),
  });
  const late = (most = LATEST_MS): number => chance.pick([800, 3_000, 9_000, most]);
  return {
    busyMs,
    lateness: {
      ...IN_TIME,
      ...(theme === 'positions' && { positions: late() }),
      ...(theme === 'lookups' && { lookups: late(), history: late() }),
      ...(theme === 'lists' && { orders: late(), history: late(), closes: late() }),
    },
    placeFaults: chance.pick([0, 0.1, 0.3]),
    readFaults: chance.pick([0, 0, 0.05, 0.2]),
    blind: theme === 'blind' ? episode(60_000) : undefined,
    empty: theme === 'empty' ? episode(30_000) : undefined,
    blips: theme === 'blips' || chance.is(0.2) ? chance.pick([0.1, 0.3]) : 0,
    deaths: chance.pick([0, 1, 1, 2, 3]),
    compacts: chance.is(0.6),
    hands: theme === 'hands' ? chance.pick([1, 1, 2]) : 0,
    commands: chance.pick([0, 1, 3]),
    appetite: chance.pick([0.05, 0.15, 0.3]),
    gate: chance.is(0.2) ? 'research' : 'standard',
    flattens: chance.is(0.3),
  };
}
