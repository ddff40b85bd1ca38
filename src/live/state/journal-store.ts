import { countText } from '../../core/terminal-text.js';
import type { Files, AppendLog } from '../../core/ports.js';
import { LogWriteError } from '../../io/log/log-write-error.js';
import { openFramedLog, type FramedLog } from '../../io/log/framed-log.js';
import { compactedRecords, recoveredHash } from '../../execution/journal/journal-compaction.js';
import { JournalRecordError } from '../../execution/journal/journal-record-error.js';
import {
  decodeJournalRecord,
  encodeJournalRecord,
  type JournalRecord,
} from '../../execution/journal/journal-record.js';
import { recover } from '../../execution/recovery/recovery.js';
import { sameBytes } from '../../io/log/log-frame.js';
import { archiveName, compactFramedLog } from '../../io/log/log-compaction.js';

export const JOURNAL = 'journal';
/** Records since the last compaction after which a stop compacts. */
export const COMPACT_AFTER = 10_000;
/**
 * Records after which a start compacts. A start finds that many only after several runs that were killed;
 * below it, reading them again costs less than a compaction.
 */
export const COMPACT_AT_START_AFTER = 200_000;

/** Notes for people on the state of the journal when it was opened. */
export interface StateNote {
  readonly level: 'info' | 'warn';
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface OpenJournal {
  readonly log: FramedLog;
  readonly records: readonly JournalRecord[];
  /** Records ever journaled, including those that were compacted away. */
  readonly totalRecords: number;
}

const NOTHING = new Uint8Array();

/** The journal of a state folder: opened, and compacted when it has grown. No record is ever deleted. */
export class JournalStore {
  readonly #files: Files;
  readonly #directory: string;
  readonly #account: string;
  readonly #compactAfter: Readonly<Record<'start' | 'stop', number>>;
  readonly notes: StateNote[] = [];

  constructor(options: {
    readonly files: Files;
    readonly directory: string;
    readonly account: string;
    /** Of a start and of a stop; absent: the defaults. */
    readonly compactAfter?: number;
  }) {
    this.#files = options.files;
    this.#directory = options.directory;
    this.#account = options.account;
    const { compactAfter } = options;
    this.#compactAfter = {
      start: compactAfter ?? COMPACT_AT_START_AFTER,
      stop: compactAfter ?? COMPACT_AFTER,
    };
  }

  /** @throws LogCorruptError, LogWriteError, JournalRecordError with the record's number */
  async open(
    check: (records: readonly JournalRecord[]) => void = () => undefined,
  ): Promise<OpenJournal> {
    const log = await openFramedLog(this.#files, this.#directory, JOURNAL);
    try {
      this.#noteRepairs(log);
      const records = recordsOf(log, `${this.#directory}/${JOURNAL}.log`);
      check(records);
      return { log, records, totalRecords: totalRecordsOf(log) };
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /**
   * Opens the journal at a start, and compacts it where that is due. No other process may have it open, and
   * nothing may trade.
   * @param check validates the records before anything is changed
   */
  async openCompacted(
    check: (records: readonly JournalRecord[]) => void = () => undefined,
  ): Promise<OpenJournal> {
    const found = await this.open(check);
    return this.#isDue(found.log, 'start') ? this.#compactAndReopen(found) : found;
  }

  /** Compacts after a run, so that the next start is short. @param log closed by now */
  async compactIfDue(log: FramedLog): Promise<void> {
    if (!this.#isDue(log, 'stop')) return;
    const opened = await this.#compactAndReopen(await this.open());
    await opened.log.close();
  }

  #isDue(log: FramedLog, when: 'start' | 'stop'): boolean {
    return log.count - snapshotCountOf(log) >= this.#compactAfter[when];
  }

  async #compactAndReopen(found: OpenJournal): Promise<OpenJournal> {
    await found.log.close();
    const written = await this.#compact(found);
    const opened = await this.open();
    if (written !== undefined) await this.#verify(opened, written);
    return opened;
  }

  /** @returns the records of the journal now; undefined where it stays unchanged */
  async #compact({
    records,
    totalRecords,
  }: OpenJournal): Promise<readonly Uint8Array[] | undefined> {
    const before = recover(records, this.#account);
    const compacted = compactedRecords(records, this.#account, before);
    const payloads = compacted.map(encodeJournalRecord);
    const after = recoveredHash(payloads.map(decodeJournalRecord), this.#account);
    if (after !== recoveredHash(records, this.#account, before)) {
      // Compaction does not know every kind of record well enough: a long journal is the safe choice.
      const text = 'the journal was not compacted: a start would not find all that it finds now';
      this.notes.push({ level: 'warn', text });
      return undefined;
    }
    const snapshot = { payloads, recordsBefore: totalRecords };
    try {
      const number = await compactFramedLog(this.#files, this.#directory, JOURNAL, snapshot);
      const fields = {
        records: records.length,
        kept: compacted.length,
        archive: archiveName(JOURNAL, number),
      };
      this.notes.push({ level: 'info', text: 'the journal was compacted', fields });
      return payloads;
    } catch (error) {
      if (!(error instanceof LogWriteError)) throw error;
      // Either of the two logs is complete; opening shows which one exists.
      this.notes.push({ level: 'warn', text: `the journal was not compacted: ${error.message}` });
      return undefined;
    }
  }

  /** @throws JournalRecordError when the disk returns other bytes than were written */
  async #verify({ log }: OpenJournal, written: readonly Uint8Array[]): Promise<void> {
    const read = log.read();
    const same = (bytes: Uint8Array, at: number): boolean => sameBytes(bytes, read[at] ?? NOTHING);
    if (read.length === written.length && written.every(same)) return;
    await log.close();
    const archive = archiveName(JOURNAL, log.base?.number ?? 1);
    throw new JournalRecordError(
      `${this.#directory}/${JOURNAL}.log does not hold what was written into it: put ` +
        `${archive}.log and ${archive}.head in the place of journal.log and journal.head`,
    );
  }

  #noteRepairs({ opening }: FramedLog): void {
    const { dropped, unsyncedKept } = opening;
    if (dropped !== undefined) {
      this.notes.push({
        level: 'warn',
        text: `the journal ended in a torn record: ${countText(dropped.bytes, 'byte')} that ${dropped.bytes === 1 ? 'was never acknowledged is' : 'were never acknowledged are'} dropped`,
        fields: { offset: dropped.offset, reason: dropped.reason },
      });
    }
    if (unsyncedKept > 0) {
      this.notes.push({
        level: 'info',
        text: `recovered ${countText(unsyncedKept, 'complete record')} written after the last sync marker`,
      });
    }
  }
}

/** Number of snapshot records at the beginning. */
export const snapshotCountOf = ({ base }: Pick<FramedLog, 'base'>): number =>
  base === undefined ? 0 : base.snapshot.count - 1;

/** Number of the first record after the snapshot, counted from the journal's first. */
export const firstRecordOf = ({ base }: Pick<FramedLog, 'base'>): number =>
  base?.recordsBefore ?? 0;

export const totalRecordsOf = (log: FramedLog): number =>
  firstRecordOf(log) + log.count - snapshotCountOf(log);

/** @throws JournalRecordError that names the file and the record */
export function recordsOf(log: AppendLog, path: string): readonly JournalRecord[] {
  return log.read().map((bytes, index) => {
    try {
      return decodeJournalRecord(bytes);
    } catch (cause) {
      if (!(cause instanceof JournalRecordError)) throw cause;
      throw new JournalRecordError(`${path}, record ${index + 1}: ${cause.message}`, { cause });
    }
  });
}
