import type { Files, Random } from '../../../src/core/ports.js';
import type { VenueRequest } from '../../../src/core/request.js';
import { Outbox } from '../../../src/engine/outbox.js';
import { LogWriteError } from '../../../src/io/log/log-write-error.js';
import { openFramedLog } from '../../../src/io/log/framed-log.js';
import { decodeJournalRecord } from '../../../src/execution/journal/journal-record.js';
import { MemoryFiles } from '../../support/fakes/memory-files.js';
import { CrashingFiles } from './crashing-files.js';

const DIRECTORY = '/state';
const SESSIONS = `${DIRECTORY}/record`;
const MAX_OPERATIONS = 120;
const MAX_RUNS = 5;
const MAX_STEPS = 20;
const encoder = new TextEncoder();

/** Records and requests of one run. */
interface OutboxRun {
  readonly session: string;
  /** Steps whose request has left. */
  readonly sentRequests: number[];
  /** Whether each step journaled a record. */
  readonly journaledRecords: boolean[];
}

/**
 * Several runs of an outbox over two logs, on a disk that fails, fills up and loses unsynced bytes.
 * Journaled decisions must follow from recorded events, and sent requests from journaled records,
 * wherever a run is cut off (hazards J7, K4, M6). Outbox and logs are the real ones.
 */
export class OutboxWalk {
  readonly #random: Random;
  #files = new MemoryFiles();

  constructor(random: Random) {
    this.#random = random;
  }

  /** @throws Error naming the broken property */
  async run(): Promise<void> {
    const runs = this.#intUpTo(MAX_RUNS);
    for (let number = 1; number <= runs; number += 1) {
      const outboxRun: OutboxRun = {
        session: String(number).padStart(6, '0'),
        sentRequests: [],
        journaledRecords: [],
      };
      this.#injectFault();
      const crashing = new CrashingFiles(this.#intUpTo(MAX_OPERATIONS));
      await Promise.race([this.#runOnce(crashing.of(this.#files), outboxRun), crashing.crashed]);
      this.#files.failWith(() => undefined);
      if (this.#bool(0.7)) this.#cutPower();
      await this.#checkJournal(outboxRun);
    }
  }

  async #runOnce(files: Files, outboxRun: OutboxRun): Promise<void> {
    try {
      const journal = await openFramedLog(files, DIRECTORY, 'journal');
      const eventLog = await openFramedLog(files, SESSIONS, outboxRun.session);
      let hasFailed = false;
      const outbox = new Outbox({
        journal,
        eventLog,
        requestPermit: () => undefined,
        send: (requestId) => {
          if (!hasFailed) outboxRun.sentRequests.push(requestId);
        },
        venueNow: () => 0,
        onUnsent: () => undefined,
        timer: () => () => undefined,
        fireTimer: () => undefined,
        notify: () => undefined,
        onJournalFailed: () => {
          hasFailed = true;
        },
        openFallbackJournal: () => Promise.resolve(undefined),
      });
      const steps = this.#intUpTo(MAX_STEPS);
      for (let step = 0; step < steps; step += 1) {
        eventLog.append(encoder.encode(`event ${step}`));
        this.#step(outbox, outboxRun, step);
        if (this.#bool(0.6)) await settle();
      }
      await outbox.drain();
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
    }
  }

  #step(outbox: Outbox, { session, journaledRecords }: OutboxRun, step: number): void {
    journaledRecords.push(this.#bool(0.7));
    if (journaledRecords[step] === true)
      outbox.journal({ type: 'note', venueTime: step, level: 'info', text: `${session} ${step}` });
    if (this.#bool(0.4)) outbox.send(step, A_PLACE);
    outbox.flush();
  }

  async #checkJournal({ session, sentRequests, journaledRecords }: OutboxRun): Promise<void> {
    const files = this.#files.copy();
    const journal = (await openFramedLog(files, DIRECTORY, 'journal')).read();
    const events = (await openFramedLog(files, SESSIONS, session)).count;
    const journaledIds = new Set<number>();
    for (const bytes of journal) {
      const record = decodeJournalRecord(bytes);
      if (record.type !== 'note' || !record.text.startsWith(`${session} `)) continue;
      journaledIds.add(record.venueTime);
      if (record.venueTime >= events)
        throw new Error(
          `M6: the journal has what event ${record.venueTime + 1} led to, and ${events} are recorded`,
        );
    }
    for (const step of sentRequests)
      if (
        journaledRecords
          .slice(0, step + 1)
          .some((isJournaled, at) => isJournaled && !journaledIds.has(at))
      )
        throw new Error(
          `J7: the request of step ${step} left before an earlier record was journaled`,
        );
  }

  /** The fault of this run: a sync that fails, or a full disk. */
  #injectFault(): void {
    if (this.#bool(0.2)) {
      let left = this.#intUpTo(8);
      this.#files.failWith(({ kind }) => {
        if (kind !== 'sync') return undefined;
        left -= 1;
        return left === 0 ? { code: 'EIO' } : undefined;
      });
    } else if (this.#bool(0.15)) this.#files.fillAfter(this.#intUpTo(4_000));
  }

  #cutPower(): void {
    const share = this.#bool(0.5) ? this.#random.next() : 0;
    this.#files = this.#files.crash({
      survivingBytes: (_, unsynced) => Math.floor(share * unsynced),
      loseDirectoryEntries: this.#bool(0.3),
    });
  }

  #bool(share: number): boolean {
    return this.#random.next() < share;
  }

  /** From 1. */
  #intUpTo(most: number): number {
    return 1 + Math.floor(this.#random.next() * most);
  }
}

const A_PLACE = { kind: 'place' } as VenueRequest;

const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
