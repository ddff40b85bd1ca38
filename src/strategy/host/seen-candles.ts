import type { StrategyWorld } from '../world.js';

/** Of a state that one instance has for all symbols. */
const ALL = '*';

/** Symbol and interval, or `rounds` → open time of the newest candle, or close time of the newest round. */
export type Seen = Readonly<Record<string, number>>;

export const seriesOf = (symbol: string, interval: string): string => `${symbol} ${interval}`;
export const ROUNDS = 'rounds';

/**
 * Which candles are in the durable state of a strategy. After a restart the feed may tell the last one
 * again (a venue serves it late, so that the warm-up does not have it): what was decided on it is kept,
 * and must not be decided once more. A candle whose decision was not kept is told as new.
 */
export class SeenCandles {
  /** As lives before this one kept it. */
  readonly #before: ReadonlyMap<string, number>;
  readonly #seen: Map<string, number>;

  constructor(world: Pick<StrategyWorld, 'kept'>, symbols: readonly string[]) {
    const kept = [ALL, ...symbols].flatMap((key) => Object.entries(world.kept(key)?.seen ?? {}));
    this.#before = new Map(kept);
    this.#seen = new Map(kept);
  }

  /** Whether it is decided on now, which what is kept then says; a life before this one has not. */
  takeOn(series: string, time: number): boolean {
    if (time <= (this.#before.get(series) ?? Number.NEGATIVE_INFINITY)) return false;
    this.#seen.set(series, time);
    return true;
  }

  /** What belongs to the state under this key. */
  of(key: string): Seen {
    const own = [...this.#seen].filter(
      ([series]) => key === ALL || series.slice(0, series.lastIndexOf(' ')) === key,
    );
    return Object.fromEntries(own);
  }
}
