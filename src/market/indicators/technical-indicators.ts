import { createRequire } from 'node:module';
import { assert } from '../../core/assert.js';
import { checkPeriod, type Indicator } from './indicator.js';
import type { Channel } from './donchian-channel.js';

type Library = typeof import('technicalindicators');

const require = createRequire(import.meta.url);
let library: Library | undefined;
/** Loading takes some 35 ms, which a run without these indicators need not pay. */
const load = (): Library => (library ??= require('technicalindicators') as Library);

/** Without it the library rounds by a setting that is global to the process. */
const unrounded = (value: number): number => value;

/**
 * The library's moving averages take 0 for "not yet", and keep one NaN for ever: prices are above 0.
 * @throws RangeError
 */
function checkPrice(name: string, price: number): void {
  if (!(price > 0 && price < Infinity)) {
    throw new RangeError(`${name} takes prices above 0, not ${price}`);
  }
}

export interface MacdOptions {
  readonly fast: number;
  readonly slow: number;
  readonly signal: number;
}

export interface MacdValue {
  readonly macd: number;
  readonly signal: number;
  readonly histogram: number;
}

/**
 * EMA(fast) − EMA(slow), its EMA(signal), and their difference. Each EMA is seeded with the mean of
 * its own first inputs (the form of charts; TA-Lib starts the fast one with the slow one, which
 * differs early and fades). Warm when all three exist: from input slow + signal − 1 on. In a market
 * that has not moved at all the library finds no seed for the signal and it stays undefined.
 */
export class MovingAverageConvergence implements Indicator<number, MacdValue> {
  value: MacdValue | undefined = undefined;
  readonly #library: InstanceType<Library['MACD']>;

  constructor({ fast, slow, signal }: MacdOptions) {
    checkPeriod('macd (fast)', fast);
    checkPeriod('macd (slow)', slow, fast + 1);
    checkPeriod('macd (signal)', signal);
    const input = {
      values: [],
      fastPeriod: fast,
      slowPeriod: slow,
      signalPeriod: signal,
      SimpleMAOscillator: false,
      SimpleMASignal: false,
      format: unrounded,
    };
    this.#library = new (load().MACD)(input);
  }

  next(price: number): MacdValue | undefined {
    checkPrice('macd', price);
    const row = this.#library.nextValue(price);
    const { MACD: macd, histogram } = row ?? {};
    if (macd === undefined || histogram === undefined) {
      assert(this.value === undefined, 'A warm MACD has a row for each price');
      return undefined;
    }
    // The library leaves out a signal of exactly 0, but not the histogram made with it.
    this.value = { macd, signal: row?.signal ?? 0, histogram };
    return this.value;
  }
}

export interface BollingerOptions {
  readonly period: number;
  /** Half width, in standard deviations of the population. */
  readonly deviations: number;
}

/** SMA(period) ± deviations × standard deviation (population). Warm from the `period`-th price on. */
export class BollingerBands implements Indicator<number, Channel> {
  value: Channel | undefined = undefined;
  readonly #library: InstanceType<Library['BollingerBands']>;

  constructor({ period, deviations }: BollingerOptions) {
    checkPeriod('bollinger', period, 2);
    if (!(deviations > 0 && deviations < Infinity)) {
      throw new RangeError(`The deviations of bollinger are above 0, not ${deviations}`);
    }
    const input = { period, stdDev: deviations, values: [], format: unrounded };
    this.#library = new (load().BollingerBands)(input);
  }

  next(price: number): Channel | undefined {
    checkPrice('bollinger', price);
    const row = this.#library.nextValue(price);
    if (row !== undefined) {
      this.value = { upper: row.upper, middle: row.middle, lower: row.lower };
    }
    return this.value;
  }
}
