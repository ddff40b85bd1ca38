import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkCandle,
  checkPeriod,
  known,
  type Indicator,
  type InputColumns,
  type OutputColumns,
  type RangeInput,
} from './indicator.js';
import { WilderSmoothing } from './smoothing.js';
import { TrueRange } from './true-range.js';

/** What `indicators.adx` says of a candle. */
export interface DirectionalValue {
  /** Strength of the trend, whichever way: 0 … 100. */
  readonly adx: number;
  /** Directional indicator +DI: 0 … 100. */
  readonly plus: number;
  /** Directional indicator −DI: 0 … 100. */
  readonly minus: number;
}

const FIELDS = ['high', 'low', 'close'] as const;

/**
 * Wilder's directional movement. Up is high − previous high, down is previous low − low; the larger
 * counts if it is above 0. +DI and −DI are their averages in percent of the average true range, DX is
 * 100 × |+DI − −DI| / (+DI + −DI), ADX its average; all averages are Wilder's, seeded with a mean (as
 * Wilder and Stock.Indicators do; TA-Lib's first sums lack one candle, which fades). Warm when the ADX
 * is: from candle 2 × `period` on. A market that does not move at all has +DI, −DI and DX 0.
 */
export class AverageDirectionalIndex implements Indicator<RangeInput, DirectionalValue> {
  readonly name = 'adx';
  /** As given: so many inputs count. */
  readonly period: number;
  readonly warmup: number;
  #movement: Movement;

  constructor(period: number) {
    checkPeriod('adx', period);
    this.period = period;
    this.warmup = 2 * period;
    this.#movement = new Movement(period);
  }

  update(candle: RangeInput): void {
    const { high, low, close } = candle;
    checkCandle('adx', high + low + close, candle, FIELDS);
    this.#movement.push(high, low, close);
  }

  next(candle: RangeInput): DirectionalValue | undefined {
    this.update(candle);
    return this.value;
  }

  get value(): DirectionalValue | undefined {
    const { adx, plus, minus } = this.#movement;
    return adx === adx ? { adx, plus, minus } : undefined;
  }
  /** `adx` of the newest value, without an object; undefined until warm. */
  get adx(): number | undefined {
    return known(this.#movement.adx);
  }
  /** `plus` of the newest value, without an object; undefined until warm. */
  get plus(): number | undefined {
    return known(this.#movement.adx) === undefined ? undefined : this.#movement.plus;
  }
  /** `minus` of the newest value, without an object; undefined until warm. */
  get minus(): number | undefined {
    return known(this.#movement.adx) === undefined ? undefined : this.#movement.minus;
  }

  reset(): void {
    this.#movement = new Movement(this.period);
  }

  over(candles: InputColumns<RangeInput>): OutputColumns<DirectionalValue> {
    const rows = rowCount('adx', candles, FIELDS);
    const { high, low, close } = candles;
    const movement = new Movement(this.period);
    const adx = columnBeside(close, rows);
    const plus = columnBeside(close, rows);
    const minus = columnBeside(close, rows);
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

class Movement {
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

/** Nothing of nothing is 0. */
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
