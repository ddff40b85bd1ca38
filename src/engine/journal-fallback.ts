import type { AppendLog } from '../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';

/** Records of a failed write. */
export interface UnwrittenRecords {
  readonly records: readonly Uint8Array[];
  /** Number of journal records before them; undefined: the event log failed, and none was appended. */
  readonly startIndex: number | undefined;
}

export interface JournalFallbackParts {
  /** Opens the journal in the reserved disk space; undefined where that does not help. */
  readonly open: () => Promise<AppendLog | undefined>;
  /** Called once the fallback journal is open. */
  readonly unwritten: () => UnwrittenRecords;
  /** Marks in the journal that events are no longer recorded from here on. */
  readonly markerRecord: () => JournalRecord;
  /** Nothing more can be journaled. */
  readonly onFailed: (text: string) => void;
}

/**
 * Writes the last records of a failing bot (halts, ends of orders) into reserved disk space. No request
 * waits for it, because requests that need the journal no longer leave.
 */
export class JournalFallback {
  readonly #parts: JournalFallbackParts;
  #log: AppendLog | undefined;
  #hasFailed = false;
  /** Serializes the writes. */
  #written: Promise<void>;

  constructor(parts: JournalFallbackParts) {
    this.#parts = parts;
    this.#written = this.#guarded(() => this.#open());
  }

  write(records: readonly Uint8Array[]): void {
    if (records.length === 0) return;
    this.#written = this.#written.then(() => this.#guarded(() => this.#append(records)));
  }

  /** Resolves when all records so far are durable, or lost. */
  whenDone(): Promise<void> {
    return this.#written;
  }

  async #open(): Promise<void> {
    const { open, unwritten, markerRecord } = this.#parts;
    this.#log = await open();
    if (this.#log === undefined) return;
    const { records, startIndex } = unwritten();
    const marker = encodeJournalRecord(markerRecord());
    if (startIndex === undefined) await this.#append([marker, ...records]);
    else await this.#append([...records.slice(this.#log.count - startIndex), marker]);
  }

  async #append(records: readonly Uint8Array[]): Promise<void> {
    if (this.#log === undefined) return;
    for (const bytes of records) this.#log.append(bytes);
    await this.#log.sync();
  }

  async #guarded(action: () => Promise<void>): Promise<void> {
    if (this.#hasFailed) return;
    try {
      await action();
    } catch (error) {
      this.#hasFailed = true;
      this.#parts.onFailed(`nothing more can be journaled: ${String(error)}`);
    }
  }
}
