import type { Files, AppendLog } from '../../core/ports.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { FRAME_HEADER_BYTES } from '../../io/log/log-frame.js';
import { stemOf } from './part-names.js';

export interface RotationParts {
  readonly files: Files;
  readonly folder: string;
  readonly session: string;
  /** Bytes after which another part follows. */
  readonly partBytes: number;
  /** That part is complete and durable, and no longer written. `close` waits for the result. */
  readonly onPartClosed: (stem: string) => Promise<void>;
  /** The next part could not be created: the current one continues. */
  readonly onRotationFailed: (error: unknown) => void;
}

/**
 * The record of one session as a log of several files. The next file is created while the current one still
 * accepts events, and takes over at a sync. Its contents become durable only after everything before it.
 */
export class RotatingLog implements AppendLog {
  readonly #parts: RotationParts;
  #log: AppendLog;
  #number = 1;
  #countBefore = 0;
  #bytes = 0;
  #limit: number;
  #opening: Promise<void> | undefined;
  #next: AppendLog | undefined;
  /** All earlier parts are durable; absent: they are already. */
  #earlierDurable: Promise<void> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #closed = false;

  static async open(parts: RotationParts): Promise<RotatingLog> {
    const first = await openFramedLog(parts.files, parts.folder, stemOf(parts.session, 1));
    return new RotatingLog(parts, first);
  }

  private constructor(parts: RotationParts, first: AppendLog) {
    this.#parts = parts;
    this.#log = first;
    this.#limit = parts.partBytes;
  }

  get count(): number {
    return this.#countBefore + this.#log.count;
  }

  /** The first event of a part follows a session header. */
  read(): readonly Uint8Array[] {
    return [];
  }

  append(record: Uint8Array): void {
    this.#log.append(record);
    this.#bytes += FRAME_HEADER_BYTES + record.length;
    if (this.#bytes >= this.#limit) this.#opening ??= this.#openNext();
  }

  sync(): Promise<void> {
    this.#switchToNext();
    const log = this.#log;
    return this.#earlierDurable === undefined
      ? log.sync()
      : this.#earlierDurable.then(() => log.sync());
  }

  deferSyncMarker(): () => void {
    this.#switchToNext();
    return this.#log.deferSyncMarker();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#opening;
    try {
      await this.#earlierDurable;
    } finally {
      await this.#log.close();
      await this.#next?.close();
      await this.#closing;
    }
  }

  async #openNext(): Promise<void> {
    const { files, folder, session } = this.#parts;
    try {
      this.#next = await openFramedLog(files, folder, stemOf(session, this.#number + 1));
    } catch (error) {
      this.#limit = this.#bytes + this.#parts.partBytes;
      this.#opening = undefined;
      this.#parts.onRotationFailed(error);
    }
  }

  #switchToNext(): void {
    if (this.#next === undefined || this.#closed) return;
    const [old, stem] = [this.#log, stemOf(this.#parts.session, this.#number)];
    const durable = (this.#earlierDurable ?? Promise.resolve()).then(() => old.sync());
    this.#earlierDurable = durable;
    this.#closing = Promise.all([this.#closing, this.#closePart(old, stem, durable)]).then(noValue);
    this.#countBefore += old.count;
    this.#log = this.#next;
    this.#number += 1;
    [this.#bytes, this.#limit] = [0, this.#parts.partBytes];
    [this.#next, this.#opening] = [undefined, undefined];
  }

  async #closePart(old: AppendLog, stem: string, durable: Promise<void>): Promise<void> {
    try {
      await durable;
      if (this.#earlierDurable === durable) this.#earlierDurable = undefined;
      await old.close();
    } catch {
      // The next sync fails too: nothing is durable after a part that is not.
      return;
    }
    await this.#parts.onPartClosed(stem);
  }
}

const noValue = (): void => undefined;
