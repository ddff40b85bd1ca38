import type { AccountSnapshot } from '../../../src/core/account.js';
import type { EngineEvent, EngineEventBody } from '../../../src/core/events.js';
import type { VenueRequest } from '../../../src/core/request.js';
import type { Engine } from '../../../src/engine/engine.js';
import type { EffectSink, TimerClock } from '../../../src/execution/effects.js';
import {
  encodeJournalRecord,
  type JournalRecord,
} from '../../../src/execution/journal/journal-record.js';
import type { Schedule } from './schedule.js';
import { START_MS, type WalkExchange } from './walk-exchange.js';

const POLL_MS = 2_000;

export interface EngineRunParts {
  readonly schedule: Schedule;
  readonly venue: WalkExchange;
  /** Up to how long a request waits for its slot, ms. */
  readonly permitDelayMs: () => number;
  readonly build: (effects: EffectSink) => Engine;
  readonly onRecord: (record: JournalRecord) => void;
  readonly onSend: (request: VenueRequest) => void;
  /** After each event. */
  readonly onStep: () => void;
}

/** One life of the bot: its engine, and what a process does around it. It ends without a word. */
export class EngineRun implements EffectSink {
  readonly journaling = true;
  readonly engine: Engine;
  readonly #parts: EngineRunParts;
  readonly events: EngineEvent[] = [];
  /** Records of this life, and how many there were after each event. */
  readonly records: Uint8Array[] = [];
  readonly recordsAfter: number[] = [];
  /** So many of them nothing can take away: something has left on their strength. */
  durable = 0;
  #alive = true;

  constructor(parts: EngineRunParts) {
    this.#parts = parts;
    this.engine = parts.build(this);
  }

  get alive(): boolean {
    return this.#alive;
  }

  end(): void {
    this.#alive = false;
  }

  handle(body: EngineEventBody): void {
    if (!this.#alive) return;
    const { schedule, venue, onStep } = this.#parts;
    const event = { ...body, venueTime: venue.venueTime, monotonic: schedule.now };
    this.events.push(event);
    this.engine.handle(event);
    this.recordsAfter.push(this.records.length);
    onStep();
  }

  /** Reads the account round after round. */
  poll(): void {
    this.#read({ kind: 'read-wallet', currency: 'USDT' });
    this.#read({ kind: 'read-open-orders', currency: 'USDT' });
    this.#read({ kind: 'read-positions', currency: 'USDT' });
    this.#later(POLL_MS, () => {
      this.poll();
    });
  }

  // --- sink ----------------------------------------------------------------------------------------

  journal(record: JournalRecord): void {
    this.records.push(encodeJournalRecord(record));
    this.#parts.onRecord(record);
  }

  requestPermit(requestId: number): void {
    this.#later(this.#parts.permitDelayMs(), () => {
      this.handle({ kind: 'slot', requestId });
    });
  }

  send(requestId: number, request: VenueRequest): void {
    this.durable = this.records.length;
    this.#parts.onSend(request);
    this.#parts.venue.carry(request, (reply) => {
      this.handle({ kind: 'reply', requestId, reply });
    });
  }

  timer(clock: TimerClock, at: number, key: string): void {
    const due = clock === 'monotonic' ? at : at - START_MS;
    this.#later(Math.max(0, Math.ceil(due) - this.#parts.schedule.now), () => {
      this.handle({ kind: 'timer', key });
    });
  }

  notify(): void {
    // Nobody listens.
  }

  #read(request: VenueRequest): void {
    const { schedule, venue } = this.#parts;
    const startedAt = schedule.now;
    venue.carry(request, (reply) => {
      const { outcome } = reply;
      if (outcome.kind !== 'yes') return;
      const base = { currency: 'USDT' as const, startedAt };
      const snapshot = (
        reply.to === 'read-wallet'
          ? { ...base, kind: 'wallet', wallet: outcome.value }
          : reply.to === 'read-positions'
            ? { ...base, kind: 'positions', positions: outcome.value }
            : { ...base, kind: 'open-orders', orders: outcome.value }
      ) as AccountSnapshot;
      this.handle({ kind: 'account', snapshot });
    });
  }

  #later(ms: number, run: () => void): void {
    this.#parts.schedule.after(ms, () => {
      if (this.#alive) run();
    });
  }
}
