import { closeTimeOf, INTERVALS, openTimeOf, type Interval } from '../../core/interval.js';
import type { Candle } from '../../core/candle.js';
import { columnBeside, rowCount } from './column.js';
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
  #money = 0;
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
    if (this.#takes(openTime, high, low, close, volume)) return;
    checkCandle('vwap', openTime + high + low + close + volume, candle, FIELDS);
    this.#open(openTime, high, low, close, volume);
  }

  next(candle: VwapInput): number | undefined {
    const { openTime, high, low, close, volume } = candle;
    const sum = high + low + close;
    const money = this.#money + (sum / 3) * volume;
    const total = this.#volume + volume;
    // What is usual, in one go; all else is told apart by `update`.
    if (
      volume > 0 &&
      openTime < this.#to &&
      openTime >= this.#from &&
      money - money === 0 &&
      typeof sum === 'number' &&
      typeof volume === 'number'
    ) {
      this.#money = money;
      this.#volume = total;
      return money / total;
    }
    this.update(candle);
    return this.value;
  }

  get value(): number | undefined {
    return known(this.#money / this.#volume);
  }

  reset(): void {
    this.#from = -Infinity;
    this.#to = this.options.session === 'all' ? Infinity : -Infinity;
    this.#money = 0;
    this.#volume = 0;
  }

  over(candles: InputColumns<VwapInput>): Float64Array {
    const rows = rowCount('vwap', candles, FIELDS);
    const { openTime, high, low, close, volume } = candles;
    const column = columnBeside(close, rows);
    const run = new SessionVwap(this.options);
    for (let row = 0; row < rows; row++) {
      run.#push(
        openTime[row] as number,
        high[row] as number,
        low[row] as number,
        close[row] as number,
        volume[row] as number,
      );
      column[row] = run.#money / run.#volume;
    }
    return column;
  }

  #push(openTime: number, high: number, low: number, close: number, volume: number): void {
    if (this.#takes(openTime, high, low, close, volume)) return;
    this.#open(openTime, high, low, close, volume);
  }

  /** @returns false for all that is rare: the first candle of a session, and what is no candle */
  #takes(openTime: number, high: number, low: number, close: number, volume: number): boolean {
    const sum = high + low + close;
    const money = this.#money + (sum / 3) * volume;
    if (!(openTime < this.#to && openTime >= this.#from && volume >= 0)) return false;
    if (money - money !== 0 || typeof sum !== 'number' || typeof volume !== 'number') return false;
    this.#money = money;
    this.#volume += volume;
    return true;
  }

  #open(openTime: number, high: number, low: number, close: number, volume: number): void {
    const { session } = this.options;
    if (volume < 0) throw new RangeError(`vwap takes volumes from 0, not ${volume}`);
    if (openTime < this.#from || session === 'all') {
      throw new RangeError(`vwap takes candles in the order of time, not ${openTime} any more`);
    }
    this.#from = openTimeOf(session, openTime);
    this.#to = closeTimeOf(session, this.#from);
    this.#money = ((high + low + close) / 3) * volume;
    this.#volume = volume;
  }
}
