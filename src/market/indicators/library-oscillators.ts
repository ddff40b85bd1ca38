import {
  checkPeriod,
  withDefaults,
  type HighLow,
  type Indicator,
  type RangeInput,
} from './indicator.js';
import { TechnicalIndicator, unrounded } from './technical-indicators.js';

/** Half way, as the stochastic of a window without a range. */
const FLAT = -50;

/**
 * Williams' %R, −100 … 0: 100 × (close − highest high) / (highest high − lowest low) of the last
 * `period` candles. A window without a range is −50 (TA-Lib: 0; technicalindicators: NaN).
 */
export function williamsR(period: number): Indicator<RangeInput> {
  checkPeriod('williamsR', period);
  return new TechnicalIndicator<RangeInput, number>({
    name: 'williamsR',
    warmup: period,
    fields: ['high', 'low', 'close'],
    parts: undefined,
    start({ WilliamsR }) {
      const inner = new WilliamsR({ period, high: [], low: [], close: [], format: unrounded });
      return ({ high, low, close }) => {
        const value = inner.nextValue({ high, low, close } as never) as number | undefined;
        return value !== undefined && Number.isNaN(value) ? FLAT : value;
      };
    },
  });
}

/** @throws RangeError: a rate of change divides by a price */
function checkPrice(name: string, price: number): void {
  if (!(price > 0)) throw new RangeError(`${name} takes prices above 0, not ${price}`);
}

/** Change against the price `period` inputs ago, in percent of it. Warm from input `period` + 1 on. */
export function roc(period: number): Indicator {
  checkPeriod('roc', period);
  return new TechnicalIndicator<number, number>({
    name: 'roc',
    warmup: period + 1,
    fields: undefined,
    parts: undefined,
    start({ ROC }) {
      const inner = new ROC({ period, values: [], format: unrounded });
      return (price) => {
        checkPrice('roc', price);
        return inner.nextValue(price);
      };
    },
  });
}

/** Of `indicators.kst`. */
export interface KstOptions {
  /** Periods of the four rates of change; 10, 15, 20, 30 unless told. */
  readonly rates: readonly [number, number, number, number];
  /** Period of the mean of each; 10, 10, 10, 15 unless told. */
  readonly means: readonly [number, number, number, number];
  /** Period of the mean of their sum; 9 unless told. */
  readonly signal: number;
}

/** In percent. */
export interface KstValue {
  /** The weighted sum of the four means. */
  readonly kst: number;
  /** Its mean. */
  readonly signal: number;
}

const USUAL: KstOptions = { rates: [10, 15, 20, 30], means: [10, 10, 10, 15], signal: 9 };

/**
 * Pring's Know Sure Thing: 1 × the mean of the first rate of change + 2 × that of the second + 3 × the
 * third + 4 × the fourth, in percent; the signal is its mean. Warm from input max(rate + mean) + signal
 * − 1 on.
 */
export function kst(given: Partial<KstOptions> = {}): Indicator<number, KstValue> {
  const { rates, means, signal } = withDefaults('kst', USUAL, given);
  for (const period of [...rates, ...means, signal]) checkPeriod('kst', period);
  const [ROCPer1, ROCPer2, ROCPer3, ROCPer4] = rates;
  const [SMAROCPer1, SMAROCPer2, SMAROCPer3, SMAROCPer4] = means;
  return new TechnicalIndicator<number, KstValue>({
    name: 'kst',
    warmup: Math.max(...rates.map((rate, at) => rate + (means[at] as number))) + signal - 1,
    fields: undefined,
    parts: ['kst', 'signal'],
    start({ KST }) {
      const inner = new KST({
        ROCPer1,
        ROCPer2,
        ROCPer3,
        ROCPer4,
        SMAROCPer1,
        SMAROCPer2,
        SMAROCPer3,
        SMAROCPer4,
        signalPeriod: signal,
        values: [],
        format: unrounded,
      });
      return (price) => {
        checkPrice('kst', price);
        const row = inner.nextValue(price) as { kst: number; signal?: number } | undefined;
        // The package leaves out a signal of exactly 0.
        return row && { kst: row.kst, signal: row.signal ?? 0 };
      };
    },
  });
}

/** Of `indicators.awesomeOscillator`; 5 and 34 unless told. */
export interface AwesomeOptions {
  /** Candles of the faster mean. */
  readonly fast: number;
  /** Candles of the slower mean. */
  readonly slow: number;
}

/**
 * Williams' awesome oscillator, in prices: mean of the last `fast` middles of candles (high + low) / 2,
 * less that of the last `slow`. Warm from candle `slow` on.
 */
export function awesomeOscillator(given: Partial<AwesomeOptions> = {}): Indicator<HighLow> {
  const { fast, slow } = withDefaults('awesomeOscillator', { fast: 5, slow: 34 }, given);
  checkPeriod('awesomeOscillator (fast)', fast);
  checkPeriod('awesomeOscillator (slow)', slow, fast + 1);
  return new TechnicalIndicator<HighLow, number>({
    name: 'awesomeOscillator',
    warmup: slow,
    fields: ['high', 'low'],
    parts: undefined,
    start({ AwesomeOscillator }) {
      const inner = new AwesomeOscillator({
        fastPeriod: fast,
        slowPeriod: slow,
        high: [],
        low: [],
        format: unrounded,
      });
      return ({ high, low }) => inner.nextValue({ high, low } as never);
    },
  });
}
