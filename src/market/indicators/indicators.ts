import { AccumulationDistribution } from './volume/accumulation-distribution.js';
import { AverageDirectionalIndex } from './trend/average-directional-index.js';
import { AverageTrueRange } from './volatility/average-true-range.js';
import { BollingerBands, type BollingerOptions } from './volatility/bollinger-bands.js';
import { CommodityChannelIndex } from './oscillator/commodity-channel-index.js';
import { DonchianChannel, type Channel } from './volatility/donchian-channel.js';
import { ExponentialMovingAverage } from './moving-average/exponential-moving-average.js';
import {
  indicatorFactories,
  type CandleIndicatorFactory,
  type NumberIndicatorFactory,
} from './indicator-factory.js';
import type { HostFedIndicator } from './indicator-feed.js';
import { ForceIndex } from './volume/force-index.js';
import { HullMovingAverage } from './moving-average/hull-moving-average.js';
import type { HighLowInput, Indicator, RangeInput } from './indicator.js';
import {
  heikinAshi,
  pattern,
  type PatternName,
  type OhlcInput,
} from './library/library-candles.js';
import {
  awesomeOscillator,
  kst,
  roc,
  williamsR,
  type AwesomeOptions,
  type KstOptions,
  type KstValue,
} from './library/library-oscillators.js';
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
} from './library/library-trends.js';
import { MoneyFlowIndex } from './oscillator/money-flow-index.js';
import { MovingAverageConvergenceDivergence, type MacdOptions } from './moving-average/macd.js';
import {
  DoubleExponentialMovingAverage,
  TripleExponentialMovingAverage,
  Trix,
} from './moving-average/multiple-exponential-averages.js';
import { OnBalanceVolume } from './volume/on-balance-volume.js';
import { RelativeStrengthIndex } from './oscillator/relative-strength-index.js';
import { RollingStandardDeviation } from './volatility/rolling-deviation.js';
import { RollingHighest, RollingLowest } from './volatility/rolling-extreme.js';
import { SessionVwap, type VwapOptions } from './volume/session-vwap.js';
import { SimpleMovingAverage } from './moving-average/simple-moving-average.js';
import { Stochastic, type StochasticOptions } from './oscillator/stochastic.js';
import { StochasticRsi, type StochasticRsiOptions } from './oscillator/stochastic-rsi.js';
import { Supertrend, type SupertrendOptions } from './volatility/supertrend.js';
import { WeightedMovingAverage } from './moving-average/weighted-moving-average.js';

/**
 * Creates indicators. Call `next(input)` once per candle; `value` holds the newest value. Both are
 * undefined until the indicator is warm. With a feed as the last argument (`indicators.sma(20, { on:
 * 'close', interval: '1h' })`) the host updates it. `over` computes whole columns.
 *
 * A RangeError that names the indicator is thrown for a period that is not a whole number from 1, an
 * unknown option, or an input that is not finite. Definitions, warm-up and differences to other
 * libraries: docs/indicators.md.
 */
export interface Indicators {
  /** Mean of the last `period` numbers. */
  readonly sma: NumberIndicatorFactory<[period: number], SimpleMovingAverage>;
  /** Mean of the last `period` numbers: `sma` for series that are not prices. */
  readonly mean: NumberIndicatorFactory<[period: number], SimpleMovingAverage>;
  /** Exponential moving average, seeded with the mean of the first `period` numbers. */
  readonly ema: NumberIndicatorFactory<[period: number], ExponentialMovingAverage>;
  /** Linearly weighted mean of the last `period` numbers. The newest has the largest weight. */
  readonly wma: NumberIndicatorFactory<[period: number], WeightedMovingAverage>;
  /** Double exponential moving average (Mulloy). */
  readonly dema: NumberIndicatorFactory<[period: number], DoubleExponentialMovingAverage>;
  /** Triple exponential moving average (Mulloy). */
  readonly tema: NumberIndicatorFactory<[period: number], TripleExponentialMovingAverage>;
  /** Hull's moving average. */
  readonly hma: NumberIndicatorFactory<[period: number], HullMovingAverage>;
  /** Wilder's moving average (also SMMA, RMA): an EMA of weight 1 / `period`. */
  readonly wilder: NumberIndicatorFactory<[period: number], Indicator>;
  /** Highest of the last `period` numbers, including the newest. */
  readonly highest: NumberIndicatorFactory<[period: number], RollingHighest>;
  /** Lowest of the last `period` numbers, including the newest. */
  readonly lowest: NumberIndicatorFactory<[period: number], RollingLowest>;
  /** Standard deviation (population) of the last `period` numbers. */
  readonly deviation: NumberIndicatorFactory<[period: number], RollingStandardDeviation>;
  /** Fed with prices: `{ upper, middle, lower }`; default 20 and 2 deviations. */
  readonly bollinger: NumberIndicatorFactory<[options?: Partial<BollingerOptions>], BollingerBands>;
  /** Wilder's relative strength index, 0 … 100; 50 in a market without any change. */
  readonly rsi: NumberIndicatorFactory<[period: number], RelativeStrengthIndex>;
  /** Stochastic of the RSI: `{ k, d }`, 0 … 100; default 14, 14, 3, 3. */
  readonly stochasticRsi: NumberIndicatorFactory<
    [options?: Partial<StochasticRsiOptions>],
    StochasticRsi
  >;
  /** Fed with prices: `{ macd, signal, histogram }`; default 12, 26, 9. */
  readonly macd: NumberIndicatorFactory<
    [options?: Partial<MacdOptions>],
    MovingAverageConvergenceDivergence
  >;
  /** Percent change of a triple EMA. */
  readonly trix: NumberIndicatorFactory<[period: number], Trix>;
  /** Percent change against the price `period` inputs ago. */
  readonly roc: NumberIndicatorFactory<[period: number], Indicator>;
  /** Know Sure Thing: `{ kst, signal }`. */
  readonly kst: NumberIndicatorFactory<
    [options?: Partial<KstOptions>],
    Indicator<number, KstValue>
  >;
  /** Fed with candles: `{ upper, middle, lower }` of the last `period`, including the newest. */
  readonly donchian: CandleIndicatorFactory<[period: number], DonchianChannel>;
  /** Fed with candles: EMA of closes ± average true ranges, `{ upper, middle, lower }`. */
  readonly keltner: CandleIndicatorFactory<
    [options?: Partial<KeltnerOptions>],
    Indicator<RangeInput, Channel>
  >;
  /** Fed with candles: true range of one candle, in prices. */
  readonly trueRange: CandleIndicatorFactory<[], Indicator<RangeInput>>;
  /** Fed with candles: Wilder's average true range. */
  readonly atr: CandleIndicatorFactory<[period: number], AverageTrueRange>;
  /** Fed with candles: `{ adx, plus, minus }`, strength of the trend and its two directions, 0 … 100. */
  readonly adx: CandleIndicatorFactory<[period: number], AverageDirectionalIndex>;
  /** Fed with candles: `{ k, d }`, 0 … 100; default 14, 3, 3. */
  readonly stochastic: CandleIndicatorFactory<[options?: Partial<StochasticOptions>], Stochastic>;
  /** Fed with candles: `{ line, direction }`, direction 1 or −1; default 10 and 3. */
  readonly supertrend: CandleIndicatorFactory<[options?: Partial<SupertrendOptions>], Supertrend>;
  /** Fed with candles: volume-weighted average price since the session (a UTC day) opened. */
  readonly vwap: CandleIndicatorFactory<[options?: Partial<VwapOptions>], SessionVwap>;
  /** Fed with candles: money flow index, 0 … 100; 50 where no money flows. */
  readonly mfi: CandleIndicatorFactory<[period: number], MoneyFlowIndex>;
  /** Fed with candles: on-balance volume, in base units. */
  readonly obv: CandleIndicatorFactory<[], OnBalanceVolume>;
  /** Fed with candles: accumulation/distribution line, in base units. */
  readonly adl: CandleIndicatorFactory<[], AccumulationDistribution>;
  /** Fed with candles: Elder's force index. */
  readonly forceIndex: CandleIndicatorFactory<[period: number], ForceIndex>;
  /** Fed with candles: commodity channel index; 0 in a flat window. */
  readonly cci: CandleIndicatorFactory<[period: number], CommodityChannelIndex>;
  /** Fed with candles: Williams' %R, −100 … 0; −50 in a flat window. */
  readonly williamsR: CandleIndicatorFactory<[period: number], Indicator<RangeInput>>;
  /** Fed with candles: Williams' awesome oscillator; default 5 and 34. */
  readonly awesomeOscillator: CandleIndicatorFactory<
    [options?: Partial<AwesomeOptions>],
    Indicator<HighLowInput>
  >;
  /** Fed with candles: parabolic stop-and-reverse; default 0.02 and 0.2. */
  readonly psar: CandleIndicatorFactory<[options?: Partial<PsarOptions>], Indicator<HighLowInput>>;
  /** Fed with candles: chandelier exits `{ long, short }`; default 22 and 3. */
  readonly chandelier: CandleIndicatorFactory<
    [options?: Partial<ChandelierOptions>],
    Indicator<RangeInput, ChandelierValue>
  >;
  /** Fed with candles: `{ conversion, base, spanA, spanB }`, none moved; default 9, 26, 52. */
  readonly ichimoku: CandleIndicatorFactory<
    [options?: Partial<IchimokuOptions>],
    Indicator<HighLowInput, IchimokuValue>
  >;
  /** Fed with candles: the Heikin-Ashi candle. */
  readonly heikinAshi: CandleIndicatorFactory<[], Indicator<OhlcInput, OhlcInput>>;
  /** Fed with candles: 1 where a candlestick pattern ends, else 0. */
  readonly pattern: CandleIndicatorFactory<[name: PatternName], Indicator<OhlcInput>>;
}

/**
 * The indicators of one strategy.
 * @param registerFeed called with each indicator that is created with a feed. An error that it throws
 *   reaches the caller of the factory. The default rejects feeds.
 */
export function createIndicators(registerFeed?: (indicator: HostFedIndicator) => void): Indicators {
  const { numbers, candles } = indicatorFactories(registerFeed);
  return {
    sma: numbers(1, (period: number) => new SimpleMovingAverage(period)),
    mean: numbers(1, (period: number) => new SimpleMovingAverage(period, 'mean')),
    ema: numbers(1, (period: number) => new ExponentialMovingAverage(period)),
    wma: numbers(1, (period: number) => new WeightedMovingAverage(period)),
    dema: numbers(1, (period: number) => new DoubleExponentialMovingAverage(period)),
    tema: numbers(1, (period: number) => new TripleExponentialMovingAverage(period)),
    hma: numbers(1, (period: number) => new HullMovingAverage(period)),
    wilder: numbers(1, wilder),
    highest: numbers(1, (period: number) => new RollingHighest(period)),
    lowest: numbers(1, (period: number) => new RollingLowest(period)),
    deviation: numbers(1, (period: number) => new RollingStandardDeviation(period)),
    bollinger: numbers(1, (options?: Partial<BollingerOptions>) => new BollingerBands(options)),
    rsi: numbers(1, (period: number) => new RelativeStrengthIndex(period)),
    stochasticRsi: numbers(
      1,
      (options?: Partial<StochasticRsiOptions>) => new StochasticRsi(options),
    ),
    macd: numbers(
      1,
      (options?: Partial<MacdOptions>) => new MovingAverageConvergenceDivergence(options),
    ),
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

/** Indicators without a host: the caller updates them. */
export const indicators: Indicators = createIndicators();
