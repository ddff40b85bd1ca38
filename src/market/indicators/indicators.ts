import { AverageTrueRange } from './average-true-range.js';
import { DonchianChannel } from './donchian-channel.js';
import { ExponentialMovingAverage } from './exponential-moving-average.js';
import { RelativeStrengthIndex } from './relative-strength-index.js';
import { RollingHighest, RollingLowest } from './rolling-extreme.js';
import { SimpleMovingAverage } from './simple-moving-average.js';
import {
  BollingerBands,
  MovingAverageConvergence,
  type BollingerOptions,
  type MacdOptions,
} from './technical-indicators.js';

/**
 * Makes streaming indicators. Each is fed with `next(input)`, once per candle, and holds its newest
 * `value`; both are undefined until it is warm. A period that is not a whole number above 0, or an
 * input that is not finite, is a RangeError.
 */
export const indicators = {
  /** Mean of the last `period` numbers. */
  sma: (period: number) => new SimpleMovingAverage(period),
  /** Exponential moving average, seeded with the mean of the first `period` numbers. */
  ema: (period: number) => new ExponentialMovingAverage(period),
  /** Highest of the last `period` numbers, the newest among them. */
  highest: (period: number) => new RollingHighest(period),
  /** Lowest of the last `period` numbers, the newest among them. */
  lowest: (period: number) => new RollingLowest(period),
  /** Fed with candles: `{ upper, middle, lower }` of the last `period`, the newest among them. */
  donchian: (period: number) => new DonchianChannel(period),
  /** Fed with candles: Wilder's average true range. */
  atr: (period: number) => new AverageTrueRange(period),
  /** Wilder's relative strength index, 0 … 100; 50 in a market without any change. */
  rsi: (period: number) => new RelativeStrengthIndex(period),
  /** Fed with prices: `{ macd, signal, histogram }`; 12, 26, 9 unless told. */
  macd: (options: Partial<MacdOptions> = {}) =>
    new MovingAverageConvergence({ fast: 12, slow: 26, signal: 9, ...options }),
  /** Fed with prices: `{ upper, middle, lower }`; 20 and 2 deviations unless told. */
  bollinger: (options: Partial<BollingerOptions> = {}) =>
    new BollingerBands({ period: 20, deviations: 2, ...options }),
};

export type Indicators = typeof indicators;
