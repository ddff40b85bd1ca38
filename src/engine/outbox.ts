import type { Cancel, Log } from '../core/ports.js';
import type { Priority, Reply, VenueRequest } from '../core/request.js';
import type { EffectSink, Note, TimerClock } from '../execution/effects.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal-record.js';

/** Who carries out what the engine wants. */
export interface OutboxParts {
  readonly journal: Log;
  /** Durable before the journal is, so that the record never ends before it. */
  readonly record: Log;
  /** Asks the rate budget; calls back when there is room. */
  readonly slot: (requestId: number, request: VenueRequest, priority: Priority) => void;
  readonly send: (requestId: number, request: VenueRequest) => void;
  /** Venue ms now: the last look at an order's validity, as the bytes are about to leave (J1). */
  readonly venueNow: () => number;
  /** The answer to a request that did not leave. */
  readonly unsent: (requestId: number, reply: Reply) => void;
  /** Runs once, at or after `at` on that clock; never before the current call has returned. */
  readonly timer: (clock: TimerClock, at: number, run: () => void) => Cancel;
  readonly fire: (key: string) => void;
  readonly notify: (note: Note) => void;
  /** The journal cannot be written; nothing that waited for it was sent, and nothing will be. */
  readonly failed: (error: unknown) => void;
}

/**
 * The live sink. Effects are gathered during a step and carried out by `flush` after it: the events
 * that the step stands on made durable first, then the journal, then what may leave. A send that
 * shares a step with no journal record still waits for what is under way, because its promise may
 * stand in an earlier step.
 */
export class Outbox implements EffectSink {
  readonly journaling = true;
  readonly #parts: OutboxParts;
  readonly #timers = new Set<Cancel>();
  /** Journal records that are not yet in the log. */
  #records: Uint8Array[] = [];
  #sends: (() => void)[] = [];
  /** The write under way, and the one that waits for it with all that was journaled since. */
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  journal(record: JournalRecord): void {
    this.#records.push(encodeJournalRecord(record));
  }

  slot(requestId: number, request: VenueRequest, priority: Priority): void {
    this.#parts.slot(requestId, request, priority);
  }

  send(requestId: number, request: VenueRequest): void {
    this.#sends.push(() => {
      if (this.#isLate(request)) this.#parts.unsent(requestId, TOO_LATE);
      else this.#parts.send(requestId, request);
    });
  }

  timer(clock: TimerClock, at: number, key: string): void {
    const cancel = this.#parts.timer(clock, at, () => {
      this.#timers.delete(cancel);
      this.#parts.fire(key);
    });
    this.#timers.add(cancel);
  }

  notify(note: Note): void {
    this.#parts.notify(note);
  }

  /** After each step. */
  flush(): void {
    const sends = this.#sends;
    this.#sends = [];
    const durable = this.#durable();
    if (sends.length === 0 || this.#broken !== undefined) return;
    const sendAll = (): void => {
      for (const send of sends) send();
    };
    if (durable === undefined) sendAll();
    // Where the write fails nothing is sent; `#break` has told.
    else durable.then(sendAll, () => undefined);
  }

  /** Resolves when everything so far is durable. @throws what the log threw */
  async drain(): Promise<void> {
    this.flush();
    await this.#durable();
    if (this.#broken !== undefined) throw this.#broken.error;
    await this.#parts.record.sync();
  }

  stop(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** A pause of the process can fall between the step and the write that it waited for. */
  #isLate(request: VenueRequest): boolean {
    return (
      request.kind === 'place' &&
      request.validUntil !== undefined &&
      this.#parts.venueNow() > request.validUntil
    );
  }

  /** When all that is journaled so far is durable; undefined where it is. */
  #durable(): Promise<void> | undefined {
    if (this.#broken !== undefined || this.#records.length === 0)
      return this.#next ?? this.#current;
    if (this.#current === undefined) return this.#begin();
    if (this.#next === undefined) {
      this.#next = this.#current.then(() => {
        this.#next = undefined;
        return this.#begin();
      });
      // Whoever waits for it hears of a failure; `#begin` tells it in any case.
      this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  #begin(): Promise<void> {
    const write = this.#write();
    this.#current = write;
    write.then(
      () => {
        if (this.#current === write) this.#current = undefined;
      },
      (error: unknown) => {
        this.#break(error);
      },
    );
    return write;
  }

  async #write(): Promise<void> {
    const { record, journal } = this.#parts;
    const records = this.#records;
    this.#records = [];
    await record.sync();
    for (const bytes of records) journal.append(bytes);
    await journal.sync();
  }

  #break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = { error };
    this.#parts.failed(error);
  }
}

const TOO_LATE: Reply = {
  to: 'place',
  outcome: { kind: 'unknown', sent: false, cause: 'its validity ran out before it could leave' },
};
