import { AccumulationDistribution } from './accumulation-distribution.js';
import { AverageDirectionalIndex } from './average-directional-index.js';
import { AverageTrueRange } from './average-true-range.js';
import { BollingerBands, type BollingerOptions } from './bollinger-bands.js';
import { CommodityChannelIndex } from './commodity-channel-index.js';
import { DonchianChannel, type Channel } from './donchian-channel.js';
import { ExponentialMovingAverage } from './exponential-moving-average.js';
import {
  feedCandles,
  feedNumbers,
  type CandleFeed,
  type Fed,
  type Feed,
  type HostFed,
} from './feed.js';
import { ForceIndex } from './force-index.js';
import { HullMovingAverage } from './hull-moving-average.js';
import type { HighLow, Indicator, RangeInput } from './indicator.js';
import { heikinAshi, pattern, type PatternName, type Prices } from './library-candles.js';
import {
  awesomeOscillator,
  kst,
  roc,
  williamsR,
  type AwesomeOptions,
  type KstOptions,
  type KstValue,
} from './library-oscillators.js';
import {
  chandelier,
  ichimoku,
  keltner,
  psar,
  trueRange,
  wilder,
  type ChandelierOptions,
  type ChandelierValue,
  type IchimokuOptions,
  type IchimokuValue,
  type KeltnerOptions,
  type PsarOptions,
} from './library-trends.js';
import { MoneyFlowIndex } from './money-flow-index.js';
import { MovingAverageConvergence, type MacdOptions } from './moving-average-convergence.js';
import { DoubleExponential, TripleExponential, Trix } from './multiple-smoothing.js';
import { OnBalanceVolume } from './on-balance-volume.js';
import { RelativeStrengthIndex } from './relative-strength-index.js';
import { RollingDeviation } from './rolling-deviation.js';
import { RollingHighest, RollingLowest } from './rolling-extreme.js';
import { SessionVwap, type VwapOptions } from './session-vwap.js';
import { SimpleMovingAverage } from './simple-moving-average.js';
import { Stochastic, type StochasticOptions } from './stochastic.js';
import { StochasticRsi, type StochasticRsiOptions } from './stochastic-rsi.js';
import { Supertrend, type SupertrendOptions } from './supertrend.js';
import { WeightedMovingAverage } from './weighted-moving-average.js';

/** Makes an indicator of numbers: one to be fed with `next`, or, told a feed, one that the host feeds. */
export interface OfNumbers<Arguments extends readonly unknown[], One> {
  (...args: Arguments): One;
  (...args: [...Required<Arguments>, feed: Feed]): Fed<One>;
}

/** Makes an indicator of candles, likewise. */
export interface OfCandles<Arguments extends readonly unknown[], One> {
  (...args: Arguments): One;
  (...args: [...Required<Arguments>, feed: CandleFeed]): Fed<One>;
}

/**
 * Makes indicators. Each is fed with `next(input)`, once per candle, and holds its newest `value`; both
 * are undefined until it is warm. With a feed as the last argument (`indicators.sma(20, { on: 'close',
 * interval: '1h' })`) the host feeds it and it is only read. `over` computes whole columns.
 *
 * A period that is not a whole number from 1, an option that there is not, or an input that is not
 * finite, is a RangeError that names the indicator. Definitions, warm-up and differences to other
 * software: docs/indicators.md.
 */
export interface Indicators {
  /** Mean of the last `period` numbers. */
  readonly sma: OfNumbers<[period: number], SimpleMovingAverage>;
  /** The same under its name in statistics: mean of the last `period` numbers of any series. */
  readonly mean: OfNumbers<[period: number], SimpleMovingAverage>;
  /** Exponential moving average, seeded with the mean of the first `period` numbers. */
  readonly ema: OfNumbers<[period: number], ExponentialMovingAverage>;
  /** Linearly weighted mean of the last `period` numbers; the newest weighs most. */
  readonly wma: OfNumbers<[period: number], WeightedMovingAverage>;
  /** Double exponential moving average (Mulloy). */
  readonly dema: OfNumbers<[period: number], DoubleExponential>;
  /** Triple exponential moving average (Mulloy). */
  readonly tema: OfNumbers<[period: number], TripleExponential>;
  /** Hull's moving average. */
  readonly hma: OfNumbers<[period: number], HullMovingAverage>;
  /** Wilder's moving average (also SMMA, RMA): an EMA of weight 1 / `period`. */
  readonly wilder: OfNumbers<[period: number], Indicator>;
  /** Highest of the last `period` numbers, the newest among them. */
  readonly highest: OfNumbers<[period: number], RollingHighest>;
  /** Lowest of the last `period` numbers, the newest among them. */
  readonly lowest: OfNumbers<[period: number], RollingLowest>;
  /** Standard deviation (population) of the last `period` numbers. */
  readonly deviation: OfNumbers<[period: number], RollingDeviation>;
  /** Fed with prices: `{ upper, middle, lower }`; 20 and 2 deviations unless told. */
  readonly bollinger: OfNumbers<[options?: Partial<BollingerOptions>], BollingerBands>;
  /** Wilder's relative strength index, 0 … 100; 50 in a market without any change. */
  readonly rsi: OfNumbers<[period: number], RelativeStrengthIndex>;
  /** Stochastic of the RSI: `{ k, d }`, 0 … 100; 14, 14, 3, 3 unless told. */
  readonly stochasticRsi: OfNumbers<[options?: Partial<StochasticRsiOptions>], StochasticRsi>;
  /** Fed with prices: `{ macd, signal, histogram }`; 12, 26, 9 unless told. */
  readonly macd: OfNumbers<[options?: Partial<MacdOptions>], MovingAverageConvergence>;
  /** Percent change of a triple EMA. */
  readonly trix: OfNumbers<[period: number], Trix>;
  /** Percent change against the price `period` inputs ago. */
  readonly roc: OfNumbers<[period: number], Indicator>;
  /** Know Sure Thing: `{ kst, signal }`. */
  readonly kst: OfNumbers<[options?: Partial<KstOptions>], Indicator<number, KstValue>>;
  /** Fed with candles: `{ upper, middle, lower }` of the last `period`, the newest among them. */
  readonly donchian: OfCandles<[period: number], DonchianChannel>;
  /** Fed with candles: EMA of closes ± average true ranges, `{ upper, middle, lower }`. */
  readonly keltner: OfCandles<[options?: Partial<KeltnerOptions>], Indicator<RangeInput, Channel>>;
  /** Fed with candles: true range of one candle, in prices. */
  readonly trueRange: OfCandles<[], Indicator<RangeInput>>;
  /** Fed with candles: Wilder's average true range. */
  readonly atr: OfCandles<[period: number], AverageTrueRange>;
  /** Fed with candles: `{ adx, plus, minus }`, strength of the trend and its two directions, 0 … 100. */
  readonly adx: OfCandles<[period: number], AverageDirectionalIndex>;
  /** Fed with candles: `{ k, d }`, 0 … 100; 14, 3, 3 unless told. */
  readonly stochastic: OfCandles<[options?: Partial<StochasticOptions>], Stochastic>;
  /** Fed with candles: `{ line, direction }`, direction 1 or −1; 10 and 3 unless told. */
  readonly supertrend: OfCandles<[options?: Partial<SupertrendOptions>], Supertrend>;
  /** Fed with candles: volume-weighted average price since the session (a UTC day) opened. */
  readonly vwap: OfCandles<[options?: Partial<VwapOptions>], SessionVwap>;
  /** Fed with candles: money flow index, 0 … 100; 50 where no money flows. */
  readonly mfi: OfCandles<[period: number], MoneyFlowIndex>;
  /** Fed with candles: on-balance volume, in base units. */
  readonly obv: OfCandles<[], OnBalanceVolume>;
  /** Fed with candles: accumulation/distribution line, in base units. */
  readonly adl: OfCandles<[], AccumulationDistribution>;
  /** Fed with candles: Elder's force index. */
  readonly forceIndex: OfCandles<[period: number], ForceIndex>;
  /** Fed with candles: commodity channel index; 0 in a flat window. */
  readonly cci: OfCandles<[period: number], CommodityChannelIndex>;
  /** Fed with candles: Williams' %R, −100 … 0; −50 in a flat window. */
  readonly williamsR: OfCandles<[period: number], Indicator<RangeInput>>;
  /** Fed with candles: Williams' awesome oscillator; 5 and 34 unless told. */
  readonly awesomeOscillator: OfCandles<[options?: Partial<AwesomeOptions>], Indicator<HighLow>>;
  /** Fed with candles: parabolic stop-and-reverse; 0.02 and 0.2 unless told. */
  readonly psar: OfCandles<[options?: Partial<PsarOptions>], Indicator<HighLow>>;
  /** Fed with candles: chandelier exits `{ long, short }`; 22 and 3 unless told. */
  readonly chandelier: OfCandles<
    [options?: Partial<ChandelierOptions>],
    Indicator<RangeInput, ChandelierValue>
  >;
  /** Fed with candles: `{ conversion, base, spanA, spanB }`, none moved; 9, 26, 52 unless told. */
  readonly ichimoku: OfCandles<
    [options?: Partial<IchimokuOptions>],
    Indicator<HighLow, IchimokuValue>
  >;
  /** Fed with candles: the Heikin-Ashi candle. */
  readonly heikinAshi: OfCandles<[], Indicator<Prices, Prices>>;
  /** Fed with candles: 1 where a candlestick pattern ends, else 0. */
  readonly pattern: OfCandles<[name: PatternName], Indicator<Prices>>;
}

/**
 * The indicators of one strategy.
 * @param host  is told of each indicator that is made with a feed, before anybody holds it; what it
 *   throws reaches whoever made it. Without a host a feed is an error.
 */
export function createIndicators(host: (fed: HostFed) => void = refuse): Indicators {
  const numbers = <Arguments extends readonly unknown[], One extends Indicator<number, unknown>>(
    count: number,
    make: (...args: Arguments) => One,
  ) => factoryOf(count, make, feedNumbers, host) as OfNumbers<Arguments, One>;
  const candles = <Arguments extends readonly unknown[], One extends Indicator<never, unknown>>(
    count: number,
    make: (...args: Arguments) => One,
  ) => factoryOf(count, make, feedCandles, host) as OfCandles<Arguments, One>;
  return {
    sma: numbers(1, (period: number) => new SimpleMovingAverage(period)),
    mean: numbers(1, (period: number) => new SimpleMovingAverage(period, 'mean')),
    ema: numbers(1, (period: number) => new ExponentialMovingAverage(period)),
    wma: numbers(1, (period: number) => new WeightedMovingAverage(period)),
    dema: numbers(1, (period: number) => new DoubleExponential(period)),
    tema: numbers(1, (period: number) => new TripleExponential(period)),
    hma: numbers(1, (period: number) => new HullMovingAverage(period)),
    wilder: numbers(1, wilder),
    highest: numbers(1, (period: number) => new RollingHighest(period)),
    lowest: numbers(1, (period: number) => new RollingLowest(period)),
    deviation: numbers(1, (period: number) => new RollingDeviation(period)),
    bollinger: numbers(1, (options?: Partial<BollingerOptions>) => new BollingerBands(options)),
    rsi: numbers(1, (period: number) => new RelativeStrengthIndex(period)),
    stochasticRsi: numbers(
      1,
      (options?: Partial<StochasticRsiOptions>) => new StochasticRsi(options),
    ),
    macd: numbers(1, (options?: Partial<MacdOptions>) => new MovingAverageConvergence(options)),
    trix: numbers(1, (period: number) => new Trix(period)),
    roc: numbers(1, roc),
    kst: numbers(1, kst),
    donchian: candles(1, (period: number) => new DonchianChannel(period)),
    keltner: candles(1, keltner),
    trueRange: candles(0, trueRange),
    atr: candles(1, (period: number) => new AverageTrueRange(period)),
    adx: candles(1, (period: number) => new AverageDirectionalIndex(period)),
    stochastic: candles(1, (options?: Partial<StochasticOptions>) => new Stochastic(options)),
    supertrend: candles(1, (options?: Partial<SupertrendOptions>) => new Supertrend(options)),
    vwap: candles(1, (options?: Partial<VwapOptions>) => new SessionVwap(options)),
    mfi: candles(1, (period: number) => new MoneyFlowIndex(period)),
    obv: candles(0, () => new OnBalanceVolume()),
    adl: candles(0, () => new AccumulationDistribution()),
    forceIndex: candles(1, (period: number) => new ForceIndex(period)),
    cci: candles(1, (period: number) => new CommodityChannelIndex(period)),
    williamsR: candles(1, williamsR),
    awesomeOscillator: candles(1, awesomeOscillator),
    psar: candles(1, psar),
    chandelier: candles(1, chandelier),
    ichimoku: candles(1, ichimoku),
    heikinAshi: candles(0, heikinAshi),
    pattern: candles(1, pattern),
  };
}

/** Indicators that nobody feeds but who made them. */
export const indicators: Indicators = createIndicators();

/** @param count  of the arguments that are not the feed */
function factoryOf<Arguments extends readonly unknown[], One extends Pick<HostFed, 'name'>>(
  count: number,
  make: (...args: Arguments) => One,
  attach: (one: never, feed: never) => HostFed,
  host: (fed: HostFed) => void,
): (...args: readonly unknown[]) => One {
  return (...args) => {
    const one = make(...(args.slice(0, count) as unknown as Arguments));
    const feed = args[count];
    if (feed === undefined) return one;
    if (typeof feed !== 'object' || feed === null) {
      throw new RangeError(
        `A feed of ${one.name} is { on: 'close', interval: '1h' } or so, not ${String(feed)}`,
      );
    }
    host(attach(one as never, feed as never));
    return readOnly(one);
  };
}

/** Types forbid `next` to whom the host feeds for; whoever has none hears of it here. */
function readOnly<One extends Pick<HostFed, 'name'>>(one: One): One {
  return Object.defineProperty(one, 'next', {
    value: () => {
      throw new TypeError(
        `This ${one.name} is fed by the host: read its value, or make it without a feed`,
      );
    },
  });
}

function refuse({ name }: HostFed): never {
  throw new TypeError(
    `Nobody feeds ${name} here: make it without a feed and call next, or use the indicators that a strategy is given`,
  );
}
