import type { EventTime } from '../core/events.js';
import type { Writable } from '../core/table/writable.js';

const VENUE_TIME = 0;
const MONOTONIC = 1;

/** The times of the newest event. In cells, because a backtest sets them at each candle: a field would box each number. */
export class EventClock implements Writable<EventTime> {
  readonly #cells = new Float64Array(2);

  get venueTime(): number {
    return this.#cells[VENUE_TIME] as number;
  }
  set venueTime(ms: number) {
    this.#cells[VENUE_TIME] = ms;
  }
  get monotonic(): number {
    return this.#cells[MONOTONIC] as number;
  }
  set monotonic(ms: number) {
    this.#cells[MONOTONIC] = ms;
  }
}
