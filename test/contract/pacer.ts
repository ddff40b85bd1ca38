import type { RawRequest } from './venue-under-test.js';
import type { RealTime } from './target.js';

/** Slightly below the venue's limits, in slightly longer windows. */
const WINDOWS = {
  trading: [
    [1_100, 8],
    [61_000, 480],
  ],
  wallet: [
    [1_100, 2],
    [61_000, 48],
  ],
  'market-data': [[61_000, 280]],
} as const;

const WALLET = /\/(?:wallet\/funds|wallet\/futures\/transfer|futures\/transfers\/inr)$/;

/** Keeps a run within the venue's limits. */
export class Pacer {
  readonly #times = new Map<string, number[]>();
  readonly #time: RealTime;
  #last: Promise<void> = Promise.resolve();
  /** While true, requests are counted but not delayed. */
  open = false;

  constructor(time: RealTime) {
    this.#time = time;
  }

  /** Requests are sent one after another: concurrent ones would all take the same free permit. */
  readonly pace = (request: RawRequest): Promise<void> => {
    const turn = this.#last.then(() => this.#turn(request));
    this.#last = turn;
    return turn;
  };

  async #turn(request: RawRequest): Promise<void> {
    const tier = tierOf(request);
    if (tier === undefined) return;
    const times = this.#times.get(tier) ?? [];
    this.#times.set(tier, times);
    for (const [lengthMs, limit] of WINDOWS[tier]) {
      const due = (times[times.length - limit] ?? -Infinity) + lengthMs;
      const waitMs = due - this.#time.monotonicMs();
      if (waitMs > 0 && !this.open) await this.#time.wait(waitMs);
    }
    times.push(this.#time.monotonicMs());
  }
}

function tierOf({ method, path }: RawRequest): keyof typeof WINDOWS | undefined {
  if (path.startsWith('/sandbox/')) return undefined;
  if (path.startsWith('/fapi/v1/price/')) return 'market-data';
  return method === 'POST' && WALLET.test(path) ? 'wallet' : 'trading';
}
