import type { Cancel, AppendLog } from '../core/ports.js';
import type { Priority, Reply, VenueRequest } from '../core/request.js';
import type { EffectSink, Note, TimerClock } from '../execution/effects.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';
import { JournalFallback, type UnwrittenRecords } from './journal-fallback.js';

/** Carries out the effects that the outbox releases. */
export interface OutboxParts {
  readonly journal: AppendLog;
  /** Made durable before the journal, so that the event log never ends before the journal. */
  readonly eventLog: AppendLog;
  /** Requests a permit from the rate budget; `onPermitGranted` follows as an event. */
  readonly requestPermit: (requestId: number, request: VenueRequest, priority: Priority) => void;
  readonly send: (requestId: number, request: VenueRequest) => void;
  /** Venue ms now: the last check of an order's validity, as its bytes are about to leave. */
  readonly venueNow: () => number;
  /** The answer to a request that did not leave. */
  readonly onUnsent: (requestId: number, reply: Reply) => void;
  /** Runs once, at or after `at` on that clock; never before the current call has returned. */
  readonly timer: (clock: TimerClock, at: number, run: () => void) => Cancel;
  readonly fireTimer: (key: string) => void;
  readonly notify: (note: Note) => void;
  /**
   * The journal cannot be written. Effects that waited for it were not sent and never will be. From now
   * on only requests that are safe to repeat leave: cancels and reads.
   */
  readonly onJournalFailed: (error: unknown) => void;
  /**
   * Reopens the journal using reserved disk space; undefined if the failure was not a full disk. Called
   * once, after a failure.
   */
  readonly openFallbackJournal: (error: unknown) => Promise<AppendLog | undefined>;
}

/**
 * The live sink. It collects the effects of a step, and `flush` carries them out after the step. The
 * events of the step become durable first, then its journal records; then its requests leave. A request
 * of a step without a record still waits for the write under way, because an earlier step may hold its
 * record.
 */
export class Outbox implements EffectSink {
  readonly journaling = true;
  readonly #parts: OutboxParts;
  readonly #timers = new Set<Cancel>();
  /** Encoded journal records that are not yet in the log. */
  #records: Uint8Array[] = [];
  #sends: (() => void)[] = [];
  /** The write under way, and the next one, which covers all records since. */
  #currentWrite: Promise<void> | undefined;
  #nextWrite: Promise<void> | undefined;
  /** The write under way still accepts records. */
  #isCollecting = false;
  #failure: { readonly error: unknown } | undefined;
  /** Records of the write under way, kept in case it fails. */
  #unwritten: UnwrittenRecords = { records: [], startIndex: 0 };
  #fallback: JournalFallback | undefined;
  #unsyncedSteps = 0;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  journal(record: JournalRecord): void {
    this.#records.push(encodeJournalRecord(record));
  }

  requestPermit(requestId: number, request: VenueRequest, priority: Priority): void {
    this.#parts.requestPermit(requestId, request, priority);
  }

  send(requestId: number, request: VenueRequest): void {
    this.#sends.push(() => {
      const reason = this.#holdReason(request);
      if (reason === undefined) this.#parts.send(requestId, request);
      else this.#parts.onUnsent(requestId, unsentReply(request, reason));
    });
  }

  timer(clock: TimerClock, at: number, key: string): void {
    const cancel = this.#parts.timer(clock, at, () => {
      this.#timers.delete(cancel);
      this.#parts.fireTimer(key);
    });
    this.#timers.add(cancel);
  }

  notify(note: Note): void {
    this.#parts.notify(note);
  }

  /** Called after each step. */
  flush(): void {
    const sends = this.#sends;
    this.#sends = [];
    const write = this.#whenDurable();
    if (sends.length === 0) return;
    const sendAll = (): void => {
      for (const send of sends) send();
    };
    // After a failed write each request is checked again: cancels and reads still leave.
    if (write === undefined || this.#failure !== undefined) sendAll();
    else write.then(sendAll, sendAll);
  }

  /** Resolves when everything so far is durable. @throws the error of the log */
  async drain(): Promise<void> {
    this.flush();
    try {
      await this.#whenDurable();
      if (this.#failure === undefined) await this.#parts.eventLog.sync();
    } finally {
      await this.#fallback?.whenDone();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  stop(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #holdReason(request: VenueRequest): string | undefined {
    if (this.#failure !== undefined && !isSafeToRepeat(request)) return JOURNAL_UNAVAILABLE;
    if (request.kind === 'place' && request.withdrawn === true) return WITHDRAWN;
    return this.#isExpired(request) ? EXPIRED : undefined;
  }

  /** The process may be paused between the step and its write. */
  #isExpired(request: VenueRequest): boolean {
    return (
      request.kind === 'place' &&
      request.validUntil !== undefined &&
      this.#parts.venueNow() > request.validUntil
    );
  }

  /** Resolves when all records so far are durable; undefined when they are already. */
  #whenDurable(): Promise<void> | undefined {
    if (this.#fallback !== undefined) {
      this.#fallback.write(this.#drainRecords());
      return undefined;
    }
    if (!this.#isDue()) return this.#nextWrite ?? this.#currentWrite;
    if (this.#currentWrite === undefined) return this.#startWrite();
    if (this.#isCollecting) return this.#currentWrite;
    if (this.#nextWrite === undefined) {
      this.#nextWrite = this.#currentWrite.then(() => {
        this.#nextWrite = undefined;
        return this.#startWrite();
      });
      // Waiters receive the failure; `#startWrite` reports it in any case.
      this.#nextWrite.catch(() => undefined);
    }
    return this.#nextWrite;
  }

  #startWrite(): Promise<void> {
    const write = this.#write();
    this.#currentWrite = write;
    write.then(
      () => {
        if (this.#currentWrite === write) this.#currentWrite = undefined;
      },
      (error: unknown) => {
        this.#fail(error);
      },
    );
    return write;
  }

  #isDue(): boolean {
    if (this.#failure !== undefined) return false;
    if (this.#records.length > 0) return true;
    // Events without a record are made durable every 1,000 steps, so that they do not pile up.
    this.#unsyncedSteps += 1;
    return this.#unsyncedSteps >= MAX_UNSYNCED_STEPS && this.#currentWrite === undefined;
  }

  async #write(): Promise<void> {
    const { eventLog, journal } = this.#parts;
    this.#isCollecting = true;
    // Candles of several symbols close together: frames of the same moment share one write.
    await Promise.resolve();
    this.#isCollecting = false;
    const records = this.#drainRecords();
    this.#unsyncedSteps = 0;
    this.#unwritten = { records, startIndex: undefined };
    const release = eventLog.deferSyncMarker();
    try {
      await eventLog.sync();
      this.#unwritten = { records, startIndex: journal.count };
      for (const bytes of records) journal.append(bytes);
      await journal.sync();
      this.#unwritten = { records: [], startIndex: journal.count };
    } finally {
      release();
    }
  }

  #drainRecords(): readonly Uint8Array[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** The event log cannot be written: decisions from here on could not be replayed. */
  onEventLogFailed(error: unknown): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    const parts = this.#parts;
    const cause = error instanceof Error ? error.message : String(error);
    const currentWrite = this.#currentWrite;
    this.#fallback = new JournalFallback({
      open: async () => {
        await currentWrite?.catch(() => undefined);
        return parts.openFallbackJournal(error);
      },
      unwritten: () => this.#unwritten,
      markerRecord: () => ({ type: 'rescue', venueTime: parts.venueNow(), cause }),
      onFailed: (text) => {
        parts.notify({ level: 'error', text });
      },
    });
    parts.onJournalFailed(error);
  }
}

const JOURNAL_UNAVAILABLE = 'the journal cannot be written';
const WITHDRAWN = 'it was withdrawn before it could leave';
const EXPIRED = 'its validity ran out before it could leave';
/** Steps whose events a power loss may cost, when none of them led to a record. */
const MAX_UNSYNCED_STEPS = 1_000;

/** A repeated cancel has no further effect, and a read changes nothing. */
const isSafeToRepeat = ({ kind }: VenueRequest): boolean =>
  kind === 'cancel' || kind === 'find-order' || kind.startsWith('read-');

/** Proof that no byte of the request left. */
const unsentReply = ({ kind }: VenueRequest, cause: string): Reply =>
  ({ to: kind, outcome: { kind: 'unknown', sent: false, cause } }) as Reply;
