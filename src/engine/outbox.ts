import type { Cancel, Log } from '../core/ports.js';
import type { Priority, Reply, VenueRequest } from '../core/request.js';
import type { EffectSink, Note, TimerClock } from '../execution/effects.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';
import { JournalRescue, type Unwritten } from './journal-rescue.js';

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
  /**
   * The journal cannot be written. What waited for it was not sent and never will be; from now on
   * only what is safe to repeat leaves: cancels and reads.
   */
  readonly failed: (error: unknown) => void;
  /**
   * The journal once more, with the room that was kept for this; undefined where room is not what it
   * lacks. Asked for once, after a failure.
   */
  readonly rescue: (error: unknown) => Promise<Log | undefined>;
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
  /** The write under way still takes what is journaled. */
  #gathering = false;
  #broken: { readonly error: unknown } | undefined;
  /** Of the write under way, for the case that it fails. */
  #unwritten: Unwritten = { records: [], from: 0 };
  #rescue: JournalRescue | undefined;
  #steps = 0;

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
      const reason = this.#reasonToHold(request);
      if (reason === undefined) this.#parts.send(requestId, request);
      else this.#parts.unsent(requestId, unsentReply(request, reason));
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
    if (sends.length === 0) return;
    const sendAll = (): void => {
      for (const send of sends) send();
    };
    // Where the write fails each of them is told whether it may leave nevertheless.
    if (durable === undefined || this.#broken !== undefined) sendAll();
    else durable.then(sendAll, sendAll);
  }

  /** Resolves when everything so far is durable. @throws what the log threw */
  async drain(): Promise<void> {
    this.flush();
    try {
      await this.#durable();
      if (this.#broken === undefined) await this.#parts.record.sync();
    } finally {
      await this.#rescue?.done();
    }
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  stop(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #reasonToHold(request: VenueRequest): string | undefined {
    if (this.#broken !== undefined && !isSafeToRepeat(request)) return NOT_JOURNALED;
    if (request.kind === 'place' && request.withdrawn === true) return WITHDRAWN;
    return this.#isLate(request) ? TOO_LATE : undefined;
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
    if (this.#rescue !== undefined) {
      this.#rescue.write(this.#takeRecords());
      return undefined;
    }
    if (!this.#isDue()) return this.#next ?? this.#current;
    if (this.#current === undefined) return this.#begin();
    if (this.#gathering) return this.#current;
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

  #isDue(): boolean {
    if (this.#broken !== undefined) return false;
    if (this.#records.length > 0) return true;
    // Events that lead to no record are made durable now and then, so that they do not pile up.
    this.#steps += 1;
    return this.#steps >= STEPS_UNSYNCED && this.#current === undefined;
  }

  async #write(): Promise<void> {
    const { record, journal } = this.#parts;
    this.#gathering = true;
    // Candles of several symbols close together: what frames of the same moment lead to shares a write.
    await Promise.resolve();
    this.#gathering = false;
    const records = this.#takeRecords();
    this.#steps = 0;
    this.#unwritten = { records, from: undefined };
    const release = record.hold();
    try {
      await record.sync();
      this.#unwritten = { records, from: journal.count };
      for (const bytes of records) journal.append(bytes);
      await journal.sync();
      this.#unwritten = { records: [], from: journal.count };
    } finally {
      release();
    }
  }

  #takeRecords(): readonly Uint8Array[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** The record of events cannot be written: what is decided from here on cannot be explained by it. */
  recordFailed(error: unknown): void {
    this.#break(error);
  }

  #break(error: unknown): void {
    if (this.#broken !== undefined) return;
    this.#broken = { error };
    const { rescue, venueNow, notify } = this.#parts;
    const cause = error instanceof Error ? error.message : String(error);
    const underWay = this.#current;
    this.#rescue = new JournalRescue({
      open: async () => {
        await underWay?.catch(() => undefined);
        return rescue(error);
      },
      unwritten: () => this.#unwritten,
      mark: () => ({ type: 'rescue', venueTime: venueNow(), cause }),
      lost: (text) => {
        notify({ level: 'error', text });
      },
    });
    this.#parts.failed(error);
  }
}

const NOT_JOURNALED = 'the journal cannot be written';
const WITHDRAWN = 'it was withdrawn before it could leave';
const TOO_LATE = 'its validity ran out before it could leave';
/** Steps whose events may be lost with the power, where none of them led to a record. */
const STEPS_UNSYNCED = 1_000;

/** A cancel done twice is done once, and a read changes nothing. */
const isSafeToRepeat = ({ kind }: VenueRequest): boolean =>
  kind === 'cancel' || kind === 'find-order' || kind.startsWith('read-');

/** Proof that no byte of it left. */
const unsentReply = ({ kind }: VenueRequest, cause: string): Reply =>
  ({ to: kind, outcome: { kind: 'unknown', sent: false, cause } }) as Reply;
