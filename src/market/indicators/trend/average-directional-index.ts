import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  checkPeriod,
  undefinedIfNaN,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from '../indicator.js';
import { TrueRange, WilderSmoothing } from '../moving-average/smoothing.js';

/** Value of `indicators.adx`. */
export interface DirectionalValue {
  /** Strength of the trend in either direction: 0 … 100. */
  readonly adx: number;
  /** Directional indicator +DI: 0 … 100. */
  readonly plus: number;
  /** Directional indicator −DI: 0 … 100. */
  readonly minus: number;
}

const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Wilder's directional movement. Up is high − previous high, down is previous low − low; the larger one
 * counts if it is above 0. +DI and −DI are their averages in percent of the average true range. DX is
 * 100 × |+DI − −DI| / (+DI + −DI), and ADX is its average.
 *
 * All averages are Wilder's, seeded with a mean, as in Stock.Indicators. TA-Lib's first sums lack one
 * candle; the difference fades. Warm from candle 2 × `period` on. In a flat market +DI, −DI and DX are 0.
 */
export class AverageDirectionalIndex implements Indicator<RangeInput, DirectionalValue> {
  readonly name = 'adx';
  /** Number of inputs in the window, as given. */
  readonly period: number;
  readonly warmup: number;
  #directionalMovement: DirectionalMovement;

  constructor(period: number) {
    checkPeriod('adx', period);
    this.period = period;
    this.warmup = 2 * period;
    this.#directionalMovement = new DirectionalMovement(period);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('adx', high + low + close, candle, FIELDS);
    this.#directionalMovement.push(high, low, close);
  }

  next(candle: RangeInput): DirectionalValue | undefined {
    this.update(candle);
    return this.value;
  }

  get value(): DirectionalValue | undefined {
    const { adx, plus, minus } = this.#directionalMovement;
    return adx === adx ? { adx, plus, minus } : undefined;
  }
  /** `adx` of the newest value, without an object; undefined until warm. */
  get adx(): number | undefined {
    return undefinedIfNaN(this.#directionalMovement.adx);
  }
  /** `plus` of the newest value, without an object; undefined until warm. */
  get plus(): number | undefined {
    return undefinedIfNaN(this.#directionalMovement.adx) === undefined
      ? undefined
      : this.#directionalMovement.plus;
  }
  /** `minus` of the newest value, without an object; undefined until warm. */
  get minus(): number | undefined {
    return undefinedIfNaN(this.#directionalMovement.adx) === undefined
      ? undefined
      : this.#directionalMovement.minus;
  }

  reset(): void {
    this.#directionalMovement = new DirectionalMovement(this.period);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<DirectionalValue> {
    const rows = rowCount('adx', candles, FIELDS);
    const { high, low, close } = candles;
    const movement = new DirectionalMovement(this.period);
    const adx = columnLike(close, rows);
    const plus = columnLike(close, rows);
    const minus = columnLike(close, rows);
    for (let row = 0; row < rows; row++) {
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      checkRow('adx', top + bottom + last, row, candles, FIELDS);
      movement.push(top, bottom, last);
      const isWarm = movement.adx === movement.adx;
      adx[row] = movement.adx;
      plus[row] = isWarm ? movement.plus : NaN;
      minus[row] = isWarm ? movement.minus : NaN;
    }
    return { adx, plus, minus };
  }
}

class DirectionalMovement {
  readonly #range = new TrueRange();
  readonly #ranges: WilderSmoothing;
  readonly #ups: WilderSmoothing;
  readonly #downs: WilderSmoothing;
  readonly #indexes: WilderSmoothing;
  #previousHigh = NaN;
  #previousLow = NaN;
  adx = NaN;
  plus = NaN;
  minus = NaN;

  constructor(period: number) {
    this.#ranges = new WilderSmoothing(period);
    this.#ups = new WilderSmoothing(period);
    this.#downs = new WilderSmoothing(period);
    this.#indexes = new WilderSmoothing(period);
  }

  push(high: number, low: number, close: number): void {
    const range = this.#range.push(high, low, close);
    const up = high - this.#previousHigh;
    const down = this.#previousLow - low;
    this.#previousHigh = high;
    this.#previousLow = low;
    if (range !== range) return;
    const averageRange = this.#ranges.push(range);
    const plus = percent(this.#ups.push(up > down && up > 0 ? up : 0), averageRange);
    const minus = percent(this.#downs.push(down > up && down > 0 ? down : 0), averageRange);
    this.plus = plus;
    this.minus = minus;
    if (plus !== plus) return;
    this.adx = this.#indexes.push(percent(Math.abs(plus - minus), plus + minus));
  }
}

/** 0 if both are 0. */
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
