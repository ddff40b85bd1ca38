import { closeTimeOf, INTERVALS, openTimeOf, type Interval } from '../../../core/interval.js';
import type { Candle } from '../../../core/candle.js';
import { checkRow, columnLike, rowCount } from '../window/column.js';
import {
  checkCandle,
  undefinedIfNaN,
  withDefaults,
  type Indicator,
  type InputColumns,
} from '../indicator.js';

/** Options of `indicators.vwap`; default a UTC day. */
export interface VwapOptions {
  /** The average restarts with each bucket of this interval (UTC), or never for `all`. */
  readonly session: Interval | 'all';
}

/** The input of a VWAP. */
export type VwapInput = Omit<Candle, 'open'>;

const DEFAULTS: VwapOptions = { session: '1d' };
const FIELDS = ['openTime', 'high', 'low', 'close', 'volume'] as const;

/**
 * Volume-weighted average price since the session opened: the sum of (high + low + close) / 3 × volume
 * over the sum of volume. Sessions are UTC days by default. Undefined in each session until its first
 * candle with volume.
 * @throws RangeError also for a candle older than the session
 */
export class SessionVwap implements Indicator<VwapInput> {
  readonly name = 'vwap';
  readonly warmup = 1;
  /** The given options, completed with the defaults. */
  readonly options: VwapOptions;
  #from = -Infinity;
  #to = -Infinity;
  /** Sum of (high + low + close) × volume: dividing by 3 at the end saves a division per candle. */
  #tripledValue = 0;
  #volume = 0;

  constructor(given: Partial<VwapOptions> = {}) {
    this.options = withDefaults('vwap', DEFAULTS, given);
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
    let tripled = this.#tripledValue + sum * volume;
    let total = this.#volume + volume;
    // The usual case inline. `update` distinguishes all others.
    if (
      openTime < this.#to &&
      openTime >= this.#from &&
      volume >= 0 &&
      tripled - tripled === 0 &&
      typeof sum === 'number' &&
      typeof volume === 'number'
    ) {
      this.#tripledValue = tripled;
      this.#volume = total;
    } else {
      this.update(candle);
      tripled = this.#tripledValue;
      total = this.#volume;
    }
    // Not `undefinedIfNaN`: V8 omits code that has never run, and a result that is always a number needs
    // no heap object. A session without volume is rare.
    return total > 0 ? tripled / (3 * total) : this.value;
  }

  get value(): number | undefined {
    return undefinedIfNaN(this.#tripledValue / (3 * this.#volume));
  }

  reset(): void {
    this.#from = -Infinity;
    this.#to = this.options.session === 'all' ? Infinity : -Infinity;
    this.#tripledValue = 0;
    this.#volume = 0;
  }

  over(candles: InputColumns<VwapInput>): Float64Array {
    const rows = rowCount('vwap', candles, FIELDS);
    const { openTime, high, low, close, volume } = candles;
    const column = columnLike(close, rows);
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

  /** @returns the value, NaN if it is undefined */
  #push(openTime: number, high: number, low: number, close: number, volume: number): number {
    const sum = high + low + close;
    const tripled = this.#tripledValue + sum * volume;
    if (
      openTime < this.#to &&
      openTime >= this.#from &&
      volume >= 0 &&
      tripled - tripled === 0 &&
      typeof sum === 'number' &&
      typeof volume === 'number'
    ) {
      this.#tripledValue = tripled;
      this.#volume += volume;
    } else {
      this.#openSession(openTime, high, low, close, volume);
    }
    return this.#tripledValue / (3 * this.#volume);
  }

  #openSession(openTime: number, high: number, low: number, close: number, volume: number): void {
    const { session } = this.options;
    const candle = { openTime, high, low, close, volume };
    checkCandle('vwap', openTime + high + low + close + volume, candle, FIELDS);
    if (volume < 0) throw new RangeError(`vwap takes volumes from 0, not ${volume}`);
    if (openTime < this.#from || session === 'all') {
      throw new RangeError(`vwap takes candles in the order of time, not ${openTime} any more`);
    }
    this.#from = openTimeOf(session, openTime);
    this.#to = closeTimeOf(session, this.#from);
    this.#tripledValue = (high + low + close) * volume;
    this.#volume = volume;
  }
}
