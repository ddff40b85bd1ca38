import type { Log } from '../core/ports.js';
import { encodeJournalRecord, type JournalRecord } from '../execution/journal/journal-record.js';

/** Records of a write that failed. */
export interface Unwritten {
  readonly records: readonly Uint8Array[];
  /** Records in the journal before them; undefined: the record failed, and none was appended. */
  readonly from: number | undefined;
}

export interface RescueParts {
  /** The journal with the room that was kept; undefined where there is no help. */
  readonly open: () => Promise<Log | undefined>;
  /** Asked for when it is open. */
  readonly unwritten: () => Unwritten;
  /** Says in the journal that from here on events are not recorded. */
  readonly mark: () => JournalRecord;
  /** Nothing more can be journaled. */
  readonly lost: (text: string) => void;
}

/**
 * Writes what a failing bot still says into room that was kept for it: halts, ends of orders. Nothing
 * waits for it, since nothing that needs the journal leaves any more.
 */
export class JournalRescue {
  readonly #parts: RescueParts;
  #log: Log | undefined;
  #isLost = false;
  /** Each write goes on where the one before it ended. */
  #written: Promise<void>;

  constructor(parts: RescueParts) {
    this.#parts = parts;
    this.#written = this.#guarded(() => this.#open());
  }

  write(records: readonly Uint8Array[]): void {
    if (records.length === 0) return;
    this.#written = this.#written.then(() => this.#guarded(() => this.#append(records)));
  }

  /** Resolves when all so far is durable, or lost. */
  done(): Promise<void> {
    return this.#written;
  }

  async #open(): Promise<void> {
    const { open, unwritten, mark } = this.#parts;
    this.#log = await open();
    if (this.#log === undefined) return;
    const { records, from } = unwritten();
    const marker = encodeJournalRecord(mark());
    if (from === undefined) await this.#append([marker, ...records]);
    else await this.#append([...records.slice(this.#log.count - from), marker]);
  }

  async #append(records: readonly Uint8Array[]): Promise<void> {
    if (this.#log === undefined) return;
    for (const bytes of records) this.#log.append(bytes);
    await this.#log.sync();
  }

  async #guarded(act: () => Promise<void>): Promise<void> {
    if (this.#isLost) return;
    try {
      await act();
    } catch (error) {
      this.#isLost = true;
      this.#parts.lost(`nothing more can be journaled: ${String(error)}`);
    }
  }
}
