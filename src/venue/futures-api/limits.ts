import type { Priority } from '../../core/request.js';
import type { RateTier } from '../../transport/rate-budget.js';

/** Rate tiers of the interface, Limits; `market` is the public market data. */
export type Tier = 'default' | 'core' | 'wallet' | 'market';

export interface FuturesApiLimits {
  readonly tiers: Readonly<Record<Tier, RateTier>>;
  /** New WebSocket connections. The venue allows 10. */
  readonly connectionsPerMinute: number;
  /** Streams on one connection. The venue allows 15. */
  readonly streamsPerConnection: number;
  readonly candlesPerCall: number;
  readonly symbolsPerCall: number;
  /** Rows asked of a list that has a limit. */
  readonly listRows: number;
  readonly instrumentsPerPage: number;
  /** Whole exchange (reliability 0.7). */
  readonly readTimeoutMs: number;
  readonly changeTimeoutMs: number;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const span = (lengthMs: number, limit: number) => ({ lengthMs, limit });

export const DEFAULT_LIMITS: FuturesApiLimits = {
  tiers: {
    default: { windows: [span(SECOND, 10), span(MINUTE, 500), span(HOUR, 30_000)] },
    core: {
      windows: [span(SECOND, 10), span(MINUTE, 500), span(HOUR, 30_000), span(DAY, 720_000)],
    },
    wallet: { windows: [span(SECOND, 2), span(MINUTE, 50), span(HOUR, 3_000)] },
    // Per IP, shared with whatever else runs on this machine: 200 of 300 (hazard L7).
    market: { windows: [span(MINUTE, 300)], safety: 2 / 3, reserve: 0 },
  },
  connectionsPerMinute: 8,
  streamsPerConnection: 14,
  candlesPerCall: 1_440,
  symbolsPerCall: 25,
  listRows: 500,
  instrumentsPerPage: 100,
  readTimeoutMs: 5_000,
  changeTimeoutMs: 10_000,
};

/** Highest first (hazard L3). A request that takes risk off goes before the proof of an earlier one. */
export const PRIORITIES: readonly Priority[] = [
  'kill',
  'cancel',
  'protect',
  'verify',
  'place',
  'poll',
];
/** Who may use the reserve of a budget. */
export const RESERVED: readonly Priority[] = ['kill', 'cancel', 'protect', 'verify'];
/** Who may go to the venue's very limit: forty orders are to be taken back within six seconds (T16). */
export const URGENT: readonly Priority[] = ['kill', 'cancel'];
