import type { Candle } from '../../core/candle.js';
import type { Interval } from '../../core/interval.js';
import type { CandleArrays } from '../candle-columns.js';
import { columnBeside } from './column.js';
import type { Indicator } from './indicator.js';

/** What an indicator of numbers takes of a candle; a function sees a reused view and keeps none. */
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

/** Lets the host feed an indicator: with each closed candle, before any hook hears of it. */
export interface Feed {
  /** Default `close`. Indicators that take whole candles take them at their close. */
  readonly on?: CandleSource;
  /** Default: the strategy's own. */
  readonly interval?: Interval;
  /** Default: the symbol that the instance is for. */
  readonly symbol?: string;
}

/** The feed of an indicator that takes whole candles. */
export interface CandleFeed extends Omit<Feed, 'on'> {
  /** Whole candles come at their close. */
  readonly on?: 'close';
}

/** An indicator that the host feeds: to be read only. */
export type Fed<One> = Omit<One, 'next' | 'update' | 'reset' | 'over'>;

/** What the host holds of it. */
export interface HostFed {
  readonly name: string;
  readonly feed: {
    /** undefined: the strategy's own. */
    readonly interval: Interval | undefined;
    /** undefined: the symbol that the instance is for. */
    readonly symbol: string | undefined;
  };
  /** Closed candles of that interval until the first value. */
  readonly warmup: number;
  /**
   * Takes the next closed candle of that symbol and interval; keeps nothing of it.
   * @throws RangeError for a candle that is not finite
   */
  update(candle: Candle): void;
  reset(): void;
  /** The indicator over whole candles, as its `over`. */
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

const KNOWN = ['on', 'interval', 'symbol'];

/** @throws RangeError for a feed that says nothing that there is */
function checkFeed(name: string, feed: Feed): void {
  const wrong = Object.keys(feed).find((key) => !KNOWN.includes(key));
  if (wrong !== undefined) {
    throw new RangeError(`The feed of ${name} has no ${wrong}; it has ${KNOWN.join(', ')}`);
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
export function feedNumbers<Output>(one: Indicator<number, Output>, feed: Feed): HostFed {
  checkFeed(one.name, feed);
  const source = sourceOf(one.name, feed.on ?? 'close');
  return {
    ...headOf(one, feed),
    update: (candle) => one.update(source(candle)),
    over: (candles) => one.over(sourceColumn(candles, source)),
  };
}

/** @throws RangeError */
export function feedCandles<Output>(
  one: Indicator<Partial<Candle>, Output>,
  feed: CandleFeed,
): HostFed {
  checkFeed(one.name, feed);
  const on: string = feed.on ?? 'close';
  if (on !== 'close') {
    throw new RangeError(`${one.name} takes whole candles at their close, not ${on}`);
  }
  return {
    ...headOf(one, feed),
    update: (candle) => one.update(candle),
    over: (candles) => one.over(candles),
  };
}

const headOf = (
  one: Pick<HostFed, 'name' | 'warmup' | 'reset'>,
  { interval, symbol }: Omit<Feed, 'on'>,
): Omit<HostFed, 'update' | 'over'> => ({
  name: one.name,
  warmup: one.warmup,
  feed: { interval, symbol },
  reset: () => one.reset(),
});

function sourceColumn(
  candles: CandleArrays & { readonly length?: number },
  source: (candle: Candle) => number,
): Float64Array {
  const rows = candles.length ?? candles.close.length;
  const column = columnBeside(candles.close, rows);
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
