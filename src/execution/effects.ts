import type { Priority, VenueRequest } from '../core/request.js';
import type { JournalRecord } from './journal/journal-record.js';

export interface Note {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The clock that a timer waits for. */
export type TimerClock = 'venue' | 'monotonic';

/**
 * Effects of one engine event. The engine performs none itself: live, the outbox does; in a
 * backtest the simulated exchange replies at once; in a replay the sink compares.
 */
export interface EffectSink {
  /** false: there is no journal, so that ids, payloads and records need not be computed. */
  readonly journaling: boolean;
  /** The venue reports each change of an order by itself, at once: a later lookup finds nothing. Absent: false. */
  readonly reportsOrders?: boolean;
  journal(record: JournalRecord): void;
  /** Asks for a permit of the rate limit; `slot` comes back as an event. */
  requestPermit(requestId: number, request: VenueRequest, priority: Priority): void;
  /** Sends only after every earlier journal effect is synced; `reply` comes back as an event. */
  send(requestId: number, request: VenueRequest): void;
  /** `timer` comes back as an event, at or after the time. */
  timer(clock: TimerClock, at: number, key: string): void;
  notify(note: Note): void;
}
