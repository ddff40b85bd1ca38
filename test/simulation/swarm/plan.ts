import { ASSUMPTIONS } from '../../../src/exchange/assumptions.js';
import { QUIRKS } from '../../../src/sandbox/behavior/quirks.js';
import { WIRE_ASSUMPTIONS } from '../../../src/sandbox/behavior/wire-assumptions.js';
import type { FaultSpec } from '../../support/rigs/bot-world.js';
import { Draws } from './draws.js';
import { FAULT_KINDS } from './fault-kinds.js';
import { NATURES, type Nature } from './hostile-trader.js';

/** What is left out of a seed, to find what it fails by. */
export interface SeedReduction {
  /** Kinds of fault, `quirks`, `assumptions`, `operator`, `state`, `hostility`. */
  readonly without?: readonly string[];
  /** Venue minutes at most. */
  readonly minutes?: number;
}

/** All that a seed decides before it runs. */
export interface Plan {
  readonly seed: number;
  readonly reduction: SeedReduction;
  readonly draws: Draws;
  /** Venue ms a real ms. */
  readonly factor: number;
  /** Of the venue: with faults on, at least. */
  readonly minutes: number;
  readonly kinds: ReadonlySet<string>;
  readonly rules: readonly FaultSpec[];
  /** Assumption id → answer. */
  readonly assume: Readonly<Record<string, string>>;
  readonly quirks: readonly string[];
  /** How busy the strategies are: the share of candles on which one acts. */
  readonly activity: number;
  readonly operates: boolean;
  /** A person resumes what is latched, also when faults have ended; else exits must leave without one. */
  readonly isAttended: boolean;
  readonly limits: 'narrow' | 'wide';
  /** So many records make a start compact the journal. */
  readonly compactAfter: number | undefined;
  /** So few ended orders stay whole in memory; undefined: as many as a daemon keeps. */
  readonly keptEndedOrders: number | undefined;
  /** Stays with the process that the faults left, when they end; else it is started anew. */
  readonly keepsProcessAlive: boolean;
  /** One of its strategies keeps state: it counts its decisions. */
  readonly persistsState: boolean;
  /** Hostile strategies under small limits; undefined: strategies as people write them. */
  readonly hostility: Hostility | undefined;
}

/** What the gate has to stand in a seed. */
export interface Hostility {
  readonly preset: 'standard' | 'cautious';
  /** Strategy id → its nature. */
  readonly natureOf: (strategyId: string) => Nature;
  /** The account is killed at the end of the faults. */
  readonly kills: 'none' | 'pause' | 'cancel' | 'flatten';
}

/** Most seeds run the venue's clock fast, so that ten minutes of it cost seconds. */
const FACTORS = [1, 8, 12, 15, 15, 15, 20, 20, 20, 20, 20, 20, 30, 30, 40];
/** What half of those run at that were to run as slowly as the venue: they cost as much as four others. */
const FASTER = 20;
/** A seed that gets fewer orders out proves little. */
export const MIN_INTENTS = 20;
/** A seed without three kinds of fault proves little. */
const MIN_KINDS = 3;

export function planOf(seed: number, reduction: SeedReduction = {}): Plan {
  const draws = new Draws(seed, 'plan');
  const without = new Set(reduction.without);
  const assume = without.has('assumptions') ? {} : assumptionsOf(draws);
  const kinds = kindsOf(draws).filter((name) => !without.has(name));
  const minutes = draws.between(10, 11, 'minutes');
  return {
    seed,
    reduction,
    draws,
    factor: factorOf(draws),
    minutes: Math.min(minutes, reduction.minutes ?? minutes),
    kinds: new Set(kinds),
    rules: FAULT_KINDS.filter(({ name }) => kinds.includes(name)).flatMap(
      ({ name, rules }) => rules?.(draws.of(name)) ?? [],
    ),
    assume,
    quirks: without.has('quirks') ? [] : quirksOf(draws),
    activity: draws.pick([0.7, 0.95], 'appetite'),
    operates: !without.has('operator') && draws.chance(0.5, 'operator'),
    isAttended: draws.chance(0.6, 'attended'),
    limits: draws.chance(0.25, 'limits') ? 'narrow' : 'wide',
    compactAfter: draws.chance(0.3, 'compacts')
      ? draws.between(20, 200, 'compact after')
      : undefined,
    keptEndedOrders: draws.chance(0.5, 'forgets') ? draws.between(8, 24, 'kept orders') : undefined,
    keepsProcessAlive: draws.chance(0.5, 'keeps process'),
    persistsState: !without.has('state') && draws.chance(0.25, 'keeps state'),
    hostility:
      !without.has('hostility') && draws.chance(HOSTILE, 'hostile')
        ? hostilityOf(draws)
        : undefined,
  };
}

/** The share of seeds with hostile strategies. */
const HOSTILE = 0.4;

const hostilityOf = (draws: Draws): Hostility => ({
  preset: draws.pick(['standard', 'cautious'] as const, 'preset'),
  natureOf: (strategyId) => draws.pick(NATURES, `nature ${strategyId}`),
  kills: draws.pick(['none', 'pause', 'cancel', 'flatten'] as const, 'kills'),
});

function factorOf(draws: Draws): number {
  const factor = draws.pick(FACTORS, 'factor');
  return factor === 1 && draws.chance(0.5, 'faster') ? FASTER : factor;
}

const FIRST_KINDS = FAULT_KINDS.filter(({ isLater }) => isLater !== true);

/** Some seeds have a few, some many: swarm testing finds what too many faults at once would hide. */
function kindsOf(draws: Draws): readonly string[] {
  const share = draws.pick([0.06, 0.12, 0.25], 'share of kinds');
  const drawn = FAULT_KINDS.map(({ name }) => name).filter((name) =>
    draws.chance(share, `kind ${name}`),
  );
  for (let more = 0; drawn.length < MIN_KINDS; more += 1) {
    const { name } = draws.pick(FIRST_KINDS, 'another kind', more);
    if (!drawn.includes(name)) drawn.push(name);
  }
  return drawn;
}

function assumptionsOf(draws: Draws): Readonly<Record<string, string>> {
  const share = draws.pick([0, 0.2, 0.5], 'share of assumptions');
  const chosen = [...ASSUMPTIONS, ...WIRE_ASSUMPTIONS].filter(({ id }) =>
    draws.chance(share, `assumption ${id}`),
  );
  return Object.fromEntries(chosen.map(({ id, other }) => [id, String(other)]));
}

function quirksOf(draws: Draws): readonly string[] {
  const share = draws.pick([0, 0.15, 0.4], 'share of quirks');
  return QUIRKS.map(({ name }) => name).filter((name) => draws.chance(share, `quirk ${name}`));
}
