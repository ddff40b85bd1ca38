import type { Priority } from '../../../core/request.js';
import type { RateTier } from '../../../io/net/rate-budget.js';

/** Rate tiers (interface: limits). `market` is public market data. */
export type RateTierName = 'default' | 'core' | 'wallet' | 'market';

export interface FuturesApiLimits {
  readonly tiers: Readonly<Record<RateTierName, RateTier>>;
  /** New WebSocket connections. The venue allows 10. */
  readonly connectionsPerMinute: number;
  /** Streams on one connection. The venue allows 15. */
  readonly streamsPerConnection: number;
  readonly candlesPerCall: number;
  readonly symbolsPerCall: number;
  /** The `limit` of a list call. */
  readonly listRows: number;
  readonly instrumentsPerPage: number;
  /** Of the whole request, answer included. */
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

const rateWindow = (lengthMs: number, limit: number) => ({ lengthMs, limit });

export const DEFAULT_API_LIMITS: FuturesApiLimits = {
  tiers: {
    default: {
      windows: [rateWindow(SECOND, 10), rateWindow(MINUTE, 500), rateWindow(HOUR, 30_000)],
    },
    core: {
      windows: [
        rateWindow(SECOND, 10),
        rateWindow(MINUTE, 500),
        rateWindow(HOUR, 30_000),
        rateWindow(DAY, 720_000),
      ],
    },
    wallet: { windows: [rateWindow(SECOND, 2), rateWindow(MINUTE, 50), rateWindow(HOUR, 3_000)] },
    // Per IP and shared with other processes on this machine: use 200 of 300 (hazard L7).
    market: { windows: [rateWindow(MINUTE, 300)], safety: 2 / 3, reserve: 0 },
  },
  connectionsPerMinute: 8,
  streamsPerConnection: 14,
  candlesPerCall: 1_440,
  symbolsPerCall: 25,
  listRows: 500,
  instrumentsPerPage: 100,
  readTimeoutMs: 5_000,
  writeTimeoutMs: 10_000,
};

/** Highest first (hazard L3). Requests that reduce risk go before lookups of earlier requests. */
export const PRIORITIES: readonly Priority[] = [
  'kill',
  'cancel',
  'protect',
  'verify',
  'place',
  'poll',
];
/** Priorities that may use the reserve of a rate budget. */
export const RESERVED_PRIORITIES: readonly Priority[] = ['kill', 'cancel', 'protect', 'verify'];
/** Priorities that may use the venue's full limit: 40 orders must be cancelled within 6 s. */
export const URGENT_PRIORITIES: readonly Priority[] = ['kill', 'cancel'];
