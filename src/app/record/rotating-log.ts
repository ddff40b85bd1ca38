import type { Files, Log } from '../../core/ports.js';
import { openFramedLog } from '../../execution/log/framed-log.js';
import { FRAME_HEADER_BYTES } from '../../execution/log/log-frame.js';
import { stemOf } from './part-names.js';

export interface RotationParts {
  readonly files: Files;
  readonly folder: string;
  readonly session: string;
  /** A part that has grown to this is followed by another one. */
  readonly partBytes: number;
  /** Nobody writes that part any more, and all of it is durable. Its end is waited for by `close`. */
  readonly full: (stem: string) => Promise<void>;
  /** The next part could not be begun: the present one goes on. */
  readonly stuck: (error: unknown) => void;
}

/**
 * The record of one session as a `Log` of several files. The next file is made while the present one
 * still takes events, and takes over at a sync; what stands in it is durable only after all before it.
 */
export class RotatingLog implements Log {
  readonly #parts: RotationParts;
  #log: Log;
  #number = 1;
  #countBefore = 0;
  #bytes = 0;
  #limit: number;
  #opening: Promise<void> | undefined;
  #next: Log | undefined;
  /** All earlier parts are durable; absent: they are already. */
  #earlier: Promise<void> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #closed = false;

  static async open(parts: RotationParts): Promise<RotatingLog> {
    const first = await openFramedLog(parts.files, parts.folder, stemOf(parts.session, 1));
    return new RotatingLog(parts, first);
  }

  private constructor(parts: RotationParts, first: Log) {
    this.#parts = parts;
    this.#log = first;
    this.#limit = parts.partBytes;
  }

  get count(): number {
    return this.#countBefore + this.#log.count;
  }

  /** It begins with a session. */
  read(): readonly Uint8Array[] {
    return [];
  }

  append(record: Uint8Array): void {
    this.#log.append(record);
    this.#bytes += FRAME_HEADER_BYTES + record.length;
    if (this.#bytes >= this.#limit) this.#opening ??= this.#openNext();
  }

  sync(): Promise<void> {
    this.#takeNext();
    const log = this.#log;
    return this.#earlier === undefined ? log.sync() : this.#earlier.then(() => log.sync());
  }

  hold(): () => void {
    this.#takeNext();
    return this.#log.hold();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#opening;
    try {
      await this.#earlier;
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
      this.#parts.stuck(error);
    }
  }

  #takeNext(): void {
    if (this.#next === undefined || this.#closed) return;
    const [old, stem] = [this.#log, stemOf(this.#parts.session, this.#number)];
    const durable = (this.#earlier ?? Promise.resolve()).then(() => old.sync());
    this.#earlier = durable;
    this.#closing = Promise.all([this.#closing, this.#putAway(old, stem, durable)]).then(noValue);
    this.#countBefore += old.count;
    this.#log = this.#next;
    this.#number += 1;
    [this.#bytes, this.#limit] = [0, this.#parts.partBytes];
    [this.#next, this.#opening] = [undefined, undefined];
  }

  async #putAway(old: Log, stem: string, durable: Promise<void>): Promise<void> {
    try {
      await durable;
      if (this.#earlier === durable) this.#earlier = undefined;
      await old.close();
    } catch {
      // The next sync fails with it: nothing is durable after a part that is not.
      return;
    }
    await this.#parts.full(stem);
  }
}

const noValue = (): void => undefined;
