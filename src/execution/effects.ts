import type { Priority, VenueRequest } from '../core/request.js';
import type { JournalRecord } from './journal/journal-record.js';

export interface Note {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Which of the two times a timer waits for (design part 4). */
export type TimerClock = 'venue' | 'monotonic';

/**
 * What a step wants done. The engine never acts itself: live, the outbox acts; in a backtest the
 * simulated venue answers at once; in a replay the sink compares.
 */
export interface EffectSink {
  /** false: nobody reads the journal, so ids, payloads and records need not be computed. */
  readonly journaling: boolean;
  journal(record: JournalRecord): void;
  /** Asks for a place in the rate budget; `slot` comes back as an event. */
  slot(requestId: number, request: VenueRequest, priority: Priority): void;
  /** Starts only after every journal effect before it is synced. `reply` comes back as an event. */
  send(requestId: number, request: VenueRequest): void;
  /** `timer` comes back as an event, at or after the time. */
  timer(clock: TimerClock, at: number, key: string): void;
  notify(note: Note): void;
}
