import { seededRandom } from '../../support/fakes/virtual-time.js';
import type { FaultSpec } from '../../support/rigs/bot-world.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A disturbance of a venue, its network, its account or the bot's process. */
export interface Episode {
  readonly name: EpisodeName;
  /** ms since the start of the run. */
  readonly at: number;
  /** ms; 0: it happens at once. */
  readonly forMs: number;
}

interface EpisodeKind {
  /** Mean number in thirty days. */
  readonly perMonth: number;
  /** Shortest and longest; absent: it happens at once. */
  readonly lasts?: readonly [least: number, most: number];
  /** Rules of the fault list while it lasts, or for the one time that it strikes. */
  readonly faults?: readonly FaultSpec[];
  /** Actions beside the fault list. */
  readonly acts?: 'offline' | 'kill' | 'maintenance';
}

const READS = ['GET /fapi/v1/futures/*', 'GET /fapi/v1/wallet/*'];
const WRITES = ['POST /fapi/*', 'PATCH /fapi/*', 'DELETE /fapi/*'];
const PLACE = 'POST /fapi/v2/futures/order';
const POSITIONS = 'GET /fapi/v1/futures/positions';
/** Its strategy is always in the market. */
const HELD = 'BTCUSDT';
const failing = (places: readonly string[]): readonly FaultSpec[] =>
  places.map((on) => ({ on, fault: '500_before' }));

/** Faults of an ordinary hour: every one of them is in a report of a user of some framework. */
export const ORDINARY_FAULTS: readonly FaultSpec[] = [
  { on: '*', fault: 'resp_delay', probability: 0.01, delay_ms: 1_500 },
  { on: '*', fault: '500_before', probability: 0.001 },
  { on: '*', fault: 'req_lost', probability: 0.000_5 },
  { on: '*', fault: '429(1)', probability: 0.000_5 },
  { on: PLACE, fault: 'resp_lost', probability: 0.01 },
  { on: PLACE, fault: '500_after', probability: 0.01 },
  { on: PLACE, fault: '423(2)', probability: 0.01 },
  { on: 'WS', fault: 'ws_dup', probability: 0.001 },
  { on: 'WS', fault: 'ws_ooo', probability: 0.000_5 },
  { on: 'WS', fault: 'ws_gap', probability: 0.000_5 },
];

/** How often each disturbance comes about in a month. */
export const EPISODES = {
  'stream drops': { perMonth: 120, faults: [{ on: 'WS', fault: 'ws_drop', count: 1 }] },
  'stream is silent': {
    perMonth: 30,
    lasts: [20 * SECOND_MS, 50 * SECOND_MS],
    faults: [{ on: 'WS', fault: 'ws_silent' }],
  },
  'reads fail': { perMonth: 30, lasts: [20 * SECOND_MS, 90 * SECOND_MS], faults: failing(READS) },
  'writes fail': { perMonth: 15, lasts: [20 * SECOND_MS, 60 * SECOND_MS], faults: failing(WRITES) },
  'network is gone': { perMonth: 30, lasts: [5 * SECOND_MS, 55 * SECOND_MS], acts: 'offline' },
  'network is gone for minutes': {
    perMonth: 4,
    lasts: [2 * MINUTE_MS, 5 * MINUTE_MS],
    acts: 'offline',
  },
  maintenance: { perMonth: 2, lasts: [10 * MINUTE_MS, 20 * MINUTE_MS], acts: 'maintenance' },
  'stop disappears': {
    perMonth: 4,
    faults: [{ on: POSITIONS, fault: 'manual_op(unprotect)', count: 1, symbol: HELD }],
  },
  'position closed by hand': {
    perMonth: 2,
    faults: [{ on: POSITIONS, fault: 'manual_op(close)', count: 1, symbol: HELD }],
  },
  'process dies': { perMonth: 4, acts: 'kill' },
} as const satisfies Readonly<Record<string, EpisodeKind>>;
export type EpisodeName = keyof typeof EPISODES;

export const episodeKind = (name: EpisodeName): EpisodeKind => EPISODES[name];

/**
 * The episodes of some real days, in order. None begins before the one ahead of it has been over for two minutes.
 * A part of a month has each kind by its share of the month, drawn, so that the parts add up to about a month.
 */
export function episodesOf(days: number, seed: number): readonly Episode[] {
  const random = seededRandom(seed);
  const drawn: Episode[] = [];
  for (const [name, kind] of Object.entries<EpisodeKind>(EPISODES)) {
    const count = Math.floor((kind.perMonth * days) / 30 + random.next());
    const [least, most] = kind.lasts ?? [0, 0];
    for (let index = 0; index < count; index += 1)
      drawn.push({
        name: name as EpisodeName,
        at: Math.floor(random.next() * days * DAY_MS),
        forMs: Math.floor(least + random.next() * (most - least)),
      });
  }
  let free = 10 * MINUTE_MS;
  return drawn
    .sort((a, b) => a.at - b.at)
    .map((episode) => {
      const at = Math.max(episode.at, free);
      free = at + episode.forMs + 2 * MINUTE_MS;
      return { ...episode, at };
    });
}
