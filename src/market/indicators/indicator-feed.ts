import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { CandleArrays } from '../candles/candle-columns.js';
import { columnLike } from './window/column.js';
import type { Indicator } from './indicator.js';

/** The number that an indicator takes from a candle. A function gets a reused view and must not retain it. */
export type CandleSource =
  | 'open'
  | 'high'
  | 'low'
  | 'close'
  | 'volume'
  /** (high + low) / 2 */
  | 'hl2'
  /** (high + low + close) / 3 */
  | 'hlc3'
  /** (open + high + low + close) / 4 */
  | 'ohlc4'
  | ((candle: Candle) => number);

/** Lets the host update an indicator with each closed candle, before any hook is called for it. */
export interface IndicatorFeed {
  /** Default `close`. Indicators of whole candles accept `close` only. */
  readonly on?: CandleSource;
  /** Default: the interval of the strategy. */
  readonly interval?: Interval;
  /** Default: the symbol of the strategy instance. */
  readonly symbol?: string;
}

/** The feed of an indicator of whole candles. */
export interface CandleIndicatorFeed extends Omit<IndicatorFeed, 'on'> {
  /** Whole candles are passed at their close. */
  readonly on?: 'close';
}

/** An indicator that the host updates. The strategy only reads it. */
export type ReadOnlyIndicator<One> = Omit<One, 'next' | 'update' | 'reset' | 'over'>;

/** The host's access to an indicator that it updates. */
export interface HostFedIndicator {
  readonly name: string;
  readonly feed: {
    /** undefined: the interval of the strategy. */
    readonly interval: Interval | undefined;
    /** undefined: the symbol of the strategy instance. */
    readonly symbol: string | undefined;
  };
  /** Number of closed candles of that interval until the first value. */
  readonly warmup: number;
  /**
   * Adds the next closed candle of that symbol and interval, without retaining it.
   * @throws RangeError for a candle that is not finite
   */
  update(candle: Candle): void;
  reset(): void;
  /** Computes the indicator over columns of candles, as `Indicator.over`. */
  over(candles: CandleArrays & { readonly length?: number }): unknown;
}

const SOURCES = {
  open: (candle) => candle.open,
  high: (candle) => candle.high,
  low: (candle) => candle.low,
  close: (candle) => candle.close,
  volume: (candle) => candle.volume,
  hl2: ({ high, low }) => (high + low) / 2,
  hlc3: ({ high, low, close }) => (high + low + close) / 3,
  ohlc4: ({ open, high, low, close }) => (open + high + low + close) / 4,
} satisfies Record<string, (candle: Candle) => number>;

const FEED_OPTIONS = ['on', 'interval', 'symbol'];

/** @throws RangeError for an unknown option of a feed */
function checkFeed(name: string, feed: IndicatorFeed): void {
  const unknownOption = Object.keys(feed).find((key) => !FEED_OPTIONS.includes(key));
  if (unknownOption !== undefined) {
    throw new RangeError(
      `The feed of ${name} has no ${unknownOption}; it has ${FEED_OPTIONS.join(', ')}`,
    );
  }
}

/** @throws RangeError */
function sourceOf(name: string, source: CandleSource): (candle: Candle) => number {
  if (typeof source === 'function') return source;
  if (Object.hasOwn(SOURCES, source)) return SOURCES[source];
  throw new RangeError(
    `${name} can be fed on ${Object.keys(SOURCES).join(', ')} or a function, not on ${String(source)}`,
  );
}

/** @throws RangeError */
export function attachNumberFeed<Output>(
  indicator: Indicator<number, Output>,
  feed: IndicatorFeed,
): HostFedIndicator {
  checkFeed(indicator.name, feed);
  const source = sourceOf(indicator.name, feed.on ?? 'close');
  return {
    ...commonFields(indicator, feed),
    update: (candle) => indicator.update(source(candle)),
    over: (candles) => indicator.over(sourceColumn(candles, source)),
  };
}

/** @throws RangeError */
export function attachCandleFeed<Output>(
  indicator: Indicator<Partial<Candle>, Output>,
  feed: CandleIndicatorFeed,
): HostFedIndicator {
  checkFeed(indicator.name, feed);
  const on: string = feed.on ?? 'close';
  if (on !== 'close') {
    throw new RangeError(`${indicator.name} takes whole candles at their close, not ${on}`);
  }
  return {
    ...commonFields(indicator, feed),
    update: (candle) => indicator.update(candle),
    over: (candles) => indicator.over(candles),
  };
}

const commonFields = (
  indicator: Pick<HostFedIndicator, 'name' | 'warmup' | 'reset'>,
  { interval, symbol }: Omit<IndicatorFeed, 'on'>,
): Omit<HostFedIndicator, 'update' | 'over'> => ({
  name: indicator.name,
  warmup: indicator.warmup,
  feed: { interval, symbol },
  reset: () => indicator.reset(),
});

function sourceColumn(
  candles: CandleArrays & { readonly length?: number },
  source: (candle: Candle) => number,
): Float64Array {
  const rows = candles.length ?? candles.close.length;
  const column = columnLike(candles.close, rows);
  for (let row = 0; row < rows; row++) {
    column[row] = source({
      openTime: candles.openTime[row] as number,
      open: candles.open[row] as number,
      high: candles.high[row] as number,
      low: candles.low[row] as number,
      close: candles.close[row] as number,
      volume: candles.volume[row] as number,
    });
  }
  return column;
}
