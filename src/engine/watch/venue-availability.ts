import { durationText } from '../../core/time-text.js';
import type { EventTime } from '../../core/events.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { TradingState } from '../trading-state.js';

export interface VenueAvailabilityParts {
  readonly stamp: Readonly<EventTime>;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly tradingState: Pick<TradingState, 'restrict'>;
}

/**
 * Maintenance of the venue, an outage, or a lost connection: entries stop, exits are tried again, and a
 * person reads one notice at its start and one at its end.
 */
export class VenueAvailability {
  readonly #parts: VenueAvailabilityParts;
  /** Monotonic ms at which it became unavailable. */
  #since: number | undefined;

  constructor(parts: VenueAvailabilityParts) {
    this.#parts = parts;
  }

  onEvent(available: boolean, cause: string): void {
    const { stamp, journal, effects } = this.#parts;
    if (!available) {
      this.#since ??= stamp.monotonic;
      this.#restrict(`the venue cannot be read: ${cause}`);
      return;
    }
    if (this.#since === undefined) return;
    // Renewed: 60 s without a failure count from now.
    this.#restrict('the venue can be read again');
    const text = `the venue can be read again, after ${durationText(stamp.monotonic - this.#since)}`;
    this.#since = undefined;
    journal.accountNote('info', text);
    effects.notify({ level: 'info', text });
  }

  #restrict(cause: string): void {
    this.#parts.tradingState.restrict({
      control: 'R25',
      to: 'REDUCE_ONLY',
      class: 'self-clearing',
      cause,
    });
  }
}
