import { failure, type RouteReply } from './http-message.js';
import type { BehaviorFlags } from '../behavior/behavior-flags.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Windows of a tier: length in real ms → requests (interface: Limits). */
type Windows = readonly (readonly [number, number])[];

export type RateLimitTier = 'default' | 'core' | 'wallet' | 'market-data' | 'connections';

const WINDOWS: Readonly<Record<RateLimitTier, Windows>> = {
  default: [
    [SECOND, 10],
    [MINUTE, 500],
    [HOUR, 30_000],
  ],
  core: [
    [SECOND, 10],
    [MINUTE, 500],
    [HOUR, 30_000],
    [DAY, 720_000],
  ],
  wallet: [
    [SECOND, 2],
    [MINUTE, 50],
    [HOUR, 3_000],
  ],
  'market-data': [[MINUTE, 300]],
  connections: [[MINUTE, 10]],
};

/** Endpoints of the tiers in the interface. Order create v2 is in neither, so it has the default tier. */
const CORE =
  /^(POST \/futures\/[^/]+\/order|DELETE \/futures\/orders\/[^/]+|POST \/futures\/positions\/[^/]+\/(add-margin|riskorder|reverse|close\/partial|close)|PATCH \/futures\/positions\/[^/]+\/riskorder|(GET|POST) \/futures\/[^/]+\/leverage)$/;
const WALLET = /^POST \/(wallet\/funds|wallet\/futures\/transfer|futures\/transfers\/inr)$/;

export function tierOf(method: string, path: string): RateLimitTier {
  const route = `${method} ${path.replace(/^\/fapi\/v1(?=\/)/, '')}`;
  if (WALLET.test(route)) return 'wallet';
  return CORE.test(route) ? 'core' : 'default';
}

export const TRADING_LIMIT_REACHED: RouteReply = failure(429, 'API rate limit exceeded', 5002);
/** The forms that client libraries handle (supplement: part 3). */
export const TRADING_LIMIT_REPLIES: Readonly<Record<BehaviorFlags['rateLimitBody'], RouteReply>> = {
  envelope: TRADING_LIMIT_REACHED,
  empty: { status: 429, body: undefined },
  'double-encoded': {
    status: 429,
    body: {
      success: false,
      message: '{"errors":[{"code":5002,"text":"API rate limit exceeded"}]}',
    },
  },
};
export const MARKET_LIMIT_REACHED: RouteReply = failure(429, 'Rate limit exceeded');

export interface RateLimits {
  /** Counts one request of a caller in a tier. @returns false, without counting, when a window is full */
  tryAcquire(tier: RateLimitTier, caller: string): boolean;
}

/** Sliding windows in real time. `nowMs` is monotonic. */
export function createRateLimits(nowMs: () => number): RateLimits {
  const logs = new Map<string, SlidingLog>();
  return {
    tryAcquire(tier, caller) {
      const key = `${tier} ${caller}`;
      const log = logs.get(key) ?? new SlidingLog(WINDOWS[tier]);
      logs.set(key, log);
      return log.tryAcquire(nowMs());
    },
  };
}

/** Times of the admitted requests, with the index at which each window begins. */
class SlidingLog {
  readonly #windows: Windows;
  #times: number[] = [];
  #starts: number[];

  constructor(windows: Windows) {
    this.#windows = windows;
    this.#starts = windows.map(() => 0);
  }

  tryAcquire(nowMs: number): boolean {
    let isFull = false;
    this.#windows.forEach(([lengthMs, limit], index) => {
      let start = this.#starts[index] ?? 0;
      while (start < this.#times.length && (this.#times[start] as number) <= nowMs - lengthMs) {
        start += 1;
      }
      this.#starts[index] = start;
      if (this.#times.length - start >= limit) isFull = true;
    });
    if (!isFull) this.#times.push(nowMs);
    this.#prune();
    return !isFull;
  }

  /** Drops times older than every window, in batches. */
  #prune(): void {
    const oldest = Math.min(...this.#starts);
    if (oldest < 1_024) return;
    this.#times = this.#times.slice(oldest);
    this.#starts = this.#starts.map((start) => start - oldest);
  }
}
