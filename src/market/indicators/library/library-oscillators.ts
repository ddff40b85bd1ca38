import {
  checkPeriod,
  withDefaults,
  type HighLowInput,
  type Indicator,
  type RangeInput,
} from '../indicator.js';
import { LibraryIndicator, unrounded } from './library-indicator.js';

/** The middle of the range, as for the stochastic of a flat window. */
const NEUTRAL = -50;

/**
 * Williams' %R, −100 … 0: 100 × (close − highest high) / (highest high − lowest low) of the last
 * `period` candles. A flat window gives −50 (TA-Lib: 0; technicalindicators: NaN).
 */
export function williamsR(period: number): Indicator<RangeInput> {
  checkPeriod('williamsR', period);
  return new LibraryIndicator<RangeInput, number>({
    name: 'williamsR',
    warmup: period,
    fields: ['high', 'low', 'close'],
    outputFields: undefined,
    createStep({ WilliamsR }) {
      const inner = new WilliamsR({ period, high: [], low: [], close: [], format: unrounded });
      return ({ high, low, close }) => {
        const value = inner.nextValue({ high, low, close } as never) as number | undefined;
        return value !== undefined && Number.isNaN(value) ? NEUTRAL : value;
      };
    },
  });
}

/** @throws RangeError: a rate of change divides by a price */
function checkPrice(name: string, price: number): void {
  if (!(price > 0)) throw new RangeError(`${name} takes prices above 0, not ${price}`);
}

/** Change since the price `period` inputs ago, in percent of it. Warm from input `period` + 1 on. */
export function roc(period: number): Indicator {
  checkPeriod('roc', period);
  return new LibraryIndicator<number, number>({
    name: 'roc',
    warmup: period + 1,
    fields: undefined,
    outputFields: undefined,
    createStep({ ROC }) {
      const inner = new ROC({ period, values: [], format: unrounded });
      return (price) => {
        checkPrice('roc', price);
        return inner.nextValue(price);
      };
    },
  });
}

/** Options of `indicators.kst`. */
export interface KstOptions {
  /** Periods of the four rates of change; default 10, 15, 20, 30. */
  readonly rates: readonly [number, number, number, number];
  /** Period of the mean of each; default 10, 10, 10, 15. */
  readonly means: readonly [number, number, number, number];
  /** Period of the mean of their sum; default 9. */
  readonly signal: number;
}

/** In percent. */
export interface KstValue {
  /** The weighted sum of the four means. */
  readonly kst: number;
  /** The mean of `kst`. */
  readonly signal: number;
}

const DEFAULTS: KstOptions = { rates: [10, 15, 20, 30], means: [10, 10, 10, 15], signal: 9 };

/**
 * Pring's Know Sure Thing, in percent: the sum of four smoothed rates of change with weights 1, 2, 3 and
 * 4. The signal is its mean. Warm from input max(rate + mean) + signal − 1 on.
 */
export function kst(given: Partial<KstOptions> = {}): Indicator<number, KstValue> {
  const { rates, means, signal } = withDefaults('kst', DEFAULTS, given);
  for (const period of [...rates, ...means, signal]) checkPeriod('kst', period);
  const [ROCPer1, ROCPer2, ROCPer3, ROCPer4] = rates;
  const [SMAROCPer1, SMAROCPer2, SMAROCPer3, SMAROCPer4] = means;
  return new LibraryIndicator<number, KstValue>({
    name: 'kst',
    warmup: Math.max(...rates.map((rate, at) => rate + (means[at] as number))) + signal - 1,
    fields: undefined,
    outputFields: ['kst', 'signal'],
    createStep({ KST }) {
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
        // The package omits a signal of exactly 0.
        return row && { kst: row.kst, signal: row.signal ?? 0 };
      };
    },
  });
}

/** Options of `indicators.awesomeOscillator`; default 5 and 34. */
export interface AwesomeOptions {
  /** Number of candles of the faster mean. */
  readonly fast: number;
  /** Number of candles of the slower mean. */
  readonly slow: number;
}

/**
 * Williams' awesome oscillator, in USDT: the mean of (high + low) / 2 over the last `fast` candles minus
 * that over the last `slow`. Warm from candle `slow` on.
 */
export function awesomeOscillator(given: Partial<AwesomeOptions> = {}): Indicator<HighLowInput> {
  const { fast, slow } = withDefaults('awesomeOscillator', { fast: 5, slow: 34 }, given);
  checkPeriod('awesomeOscillator (fast)', fast);
  checkPeriod('awesomeOscillator (slow)', slow, fast + 1);
  return new LibraryIndicator<HighLowInput, number>({
    name: 'awesomeOscillator',
    warmup: slow,
    fields: ['high', 'low'],
    outputFields: undefined,
    createStep({ AwesomeOscillator }) {
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
