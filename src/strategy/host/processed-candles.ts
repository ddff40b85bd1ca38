import type { StrategyPort } from '../contract/strategy-port.js';

/** Key of the state of an instance of all symbols. */
const ALL = '*';

/** Symbol and interval → newest open time; `rounds` → newest close time of synchronized candles. */
export type ProcessedTimes = Readonly<Record<string, number>>;

export const seriesOf = (symbol: string, interval: string): string => `${symbol} ${interval}`;
export const SYNCED_CANDLES = 'rounds';

/**
 * The candles that a strategy's durable state includes. After a restart the feed may deliver the last one
 * again, because a venue serves it too late for the warm-up. Its decision is persisted and must not be
 * taken twice. A candle whose decision was not persisted counts as new.
 */
export class ProcessedCandles {
  /** As persisted by previous runs. */
  readonly #processedByPreviousRun: ReadonlyMap<string, number>;
  readonly #processed: Map<string, number>;

  constructor(port: Pick<StrategyPort, 'persisted'>, symbols: readonly string[]) {
    const persisted = [ALL, ...symbols].flatMap((key) =>
      Object.entries(port.persisted(key)?.seen ?? {}),
    );
    this.#processedByPreviousRun = new Map(persisted);
    this.#processed = new Map(persisted);
  }

  /** @returns whether no previous run has processed the candle; it counts as processed from here on */
  markProcessed(series: string, time: number): boolean {
    if (time <= (this.#processedByPreviousRun.get(series) ?? Number.NEGATIVE_INFINITY))
      return false;
    this.#processed.set(series, time);
    return true;
  }

  /** Times to persist with the state of this key. */
  of(key: string): ProcessedTimes {
    const own = [...this.#processed].filter(
      ([series]) => key === ALL || series.slice(0, series.lastIndexOf(' ')) === key,
    );
    return Object.fromEntries(own);
  }
}
