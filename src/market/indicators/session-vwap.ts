import { closeTimeOf, INTERVALS, openTimeOf, type Interval } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { checkRow, columnBeside, rowCount } from './column.js';
import {
  checkCandle,
  known,
  withDefaults,
  type Indicator,
  type InputColumns,
} from './indicator.js';

/** Of `indicators.vwap`; a UTC day unless told. */
export interface VwapOptions {
  /** It starts anew with each of these (UTC); `all` never does. */
  readonly session: Interval | 'all';
}

/** What it reads of a candle. */
export type VwapInput = Omit<Candle, 'open'>;

const USUAL: VwapOptions = { session: '1d' };
const FIELDS = ['openTime', 'high', 'low', 'close', 'volume'] as const;

/**
 * Volume-weighted average price since the session opened: sum of (high + low + close) / 3 × volume over
 * the sum of volume. Sessions are UTC days unless told. Warm from the first candle of a session that has
 * volume; a session without any yet has no price, so it is undefined there (charts leave a hole).
 * @throws RangeError also for a candle older than the session
 */
export class SessionVwap implements Indicator<VwapInput> {
  readonly name = 'vwap';
  readonly warmup = 1;
  /** As given, with what is usual filled in. */
  readonly options: VwapOptions;
  #from = -Infinity;
  #to = -Infinity;
  /** Of (high + low + close) × volume: one division a candle instead of two. */
  #tripled = 0;
  #volume = 0;

  constructor(given: Partial<VwapOptions> = {}) {
    this.options = withDefaults('vwap', USUAL, given);
    const { session } = this.options;
    if (session === 'all') this.#to = Infinity;
    else if (!INTERVALS.includes(session)) {
      throw new RangeError(
        `The session of vwap is one of ${INTERVALS.join(', ')} or all, not ${String(session)}`,
      );
    }
  }

  update(candle: VwapInput): void {
    const { openTime, high, low, close, volume } = candle;
    this.#push(openTime, high, low, close, volume);
  }

  next(candle: VwapInput): number | undefined {
    const { openTime, high, low, close, volume } = candle;
    const sum = high + low + close;
    let tripled = this.#tripled + sum * volume;
    let total = this.#volume + volume;
    // What is usual, in one go; all else is told apart by `update`.
    if (
      openTime < this.#to &&
      openTime >= this.#from &&
      volume >= 0 &&
      tripled - tripled === 0 &&
      typeof sum === 'number' &&
      typeof volume === 'number'
    ) {
      this.#tripled = tripled;
      this.#volume = total;
    } else {
      this.update(candle);
      tripled = this.#tripled;
      total = this.#volume;
    }
    // Not `known`: code that has never run is left out when this is compiled, and a result that can only
    // be a number needs no object. A session that has no volume is rare.
    return total > 0 ? tripled / (3 * total) : this.value;
  }

  get value(): number | undefined {
    return known(this.#tripled / (3 * this.#volume));
  }

  reset(): void {
    this.#from = -Infinity;
    this.#to = this.options.session === 'all' ? Infinity : -Infinity;
    this.#tripled = 0;
    this.#volume = 0;
  }

  over(candles: InputColumns<VwapInput>): Float64Array {
    const rows = rowCount('vwap', candles, FIELDS);
    const { openTime, high, low, close, volume } = candles;
    const column = columnBeside(close, rows);
    const run = new SessionVwap(this.options);
    for (let row = 0; row < rows; row++) {
      const time = openTime[row] as number;
      const top = high[row] as number;
      const bottom = low[row] as number;
      const last = close[row] as number;
      const traded = volume[row] as number;
      checkRow('vwap', time + top + bottom + last + traded, row, candles, FIELDS);
      column[row] = run.#push(time, top, bottom, last, traded);
    }
    return column;
  }

  /** @returns the value, NaN where it is undefined */
  #push(openTime: number, high: number, low: number, close: number, volume: number): number {
    const sum = high + low + close;
    const tripled = this.#tripled + sum * volume;
    if (
      openTime < this.#to &&
      openTime >= this.#from &&
      volume >= 0 &&
      tripled - tripled === 0 &&
      typeof sum === 'number' &&
      typeof volume === 'number'
    ) {
      this.#tripled = tripled;
      this.#volume += volume;
    } else {
      this.#open(openTime, high, low, close, volume);
    }
    return this.#tripled / (3 * this.#volume);
  }

  #open(openTime: number, high: number, low: number, close: number, volume: number): void {
    const { session } = this.options;
    const candle = { openTime, high, low, close, volume };
    checkCandle('vwap', openTime + high + low + close + volume, candle, FIELDS);
    if (volume < 0) throw new RangeError(`vwap takes volumes from 0, not ${volume}`);
    if (openTime < this.#from || session === 'all') {
      throw new RangeError(`vwap takes candles in the order of time, not ${openTime} any more`);
    }
    this.#from = openTimeOf(session, openTime);
    this.#to = closeTimeOf(session, this.#from);
    this.#tripled = (high + low + close) * volume;
    this.#volume = volume;
  }
}
