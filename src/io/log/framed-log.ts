import { assert } from '../../core/assert.js';
import type { AppendFile, Files, AppendLog } from '../../core/ports.js';
import {
  LogCorruptError,
  readContents,
  type DroppedTail,
  type LogContents,
  type LogPaths,
} from './log-contents.js';
import type { LogBase } from './log-base.js';
import { encodeFrame, GENESIS, type LogPosition } from './log-frame.js';
import { readHead, slotOf, type LogHeadReading } from './log-head.js';
import { LogWriteError } from './log-write-error.js';

export { LogCorruptError };

/**
 * The `AppendLog` port in two files. `NAME.log` holds frames one after another (log-frame.ts).
 * `NAME.head` holds the sync marker: the position up to which they are durable (log-head.ts). A sync
 * ends when the data is on the disk. Its marker follows at once, or when a deferral ends, and always
 * before the next write:
 *
 *   - up to the marker the log must be whole: a damaged log is refused, never skipped;
 *   - beyond the marker whole records are retained and a torn tail is dropped. Synced records are whole
 *     after any crash. Only damage between a sync and its marker looks like a torn write.
 */
export interface FramedLog extends AppendLog {
  readonly opening: LogOpenResult;
  /** Of a compacted log: its first records are a snapshot (log-compaction.ts). */
  readonly base: LogBase | undefined;
}

/** The state of the log on opening. */
export interface LogOpenResult {
  readonly records: number;
  /** Whole records beyond the sync marker. They have been rewritten and are durable. */
  readonly unsyncedKept: number;
  readonly dropped: DroppedTail | undefined;
}

/**
 * Opens `directory/NAME.log`, or creates it. Only one process may open it at a time: see state-lock.ts.
 *
 * @throws LogCorruptError when a durable record is missing or altered
 * @throws LogWriteError when the log cannot be prepared for writing
 */
export async function openFramedLog(
  files: Files,
  directory: string,
  name: string,
): Promise<FramedLog> {
  const paths = { log: `${directory}/${name}.log`, head: `${directory}/${name}.head` };
  const log = await files.read(paths.log);
  const reading = readHead(await files.read(paths.head));
  const contents = readContents(paths, log ?? new Uint8Array(), reading);
  const fileBytes = log?.length;
  try {
    if (fileBytes === undefined) await files.makeDirectory(directory);
    return await prepareForWriting(files, paths, { contents, reading, fileBytes });
  } catch (error) {
    throw error instanceof LogCorruptError ? error : new LogWriteError(paths.log, error);
  }
}

interface LogOnDisk {
  readonly contents: LogContents;
  readonly reading: LogHeadReading;
  /** undefined: the file does not exist. */
  readonly fileBytes: number | undefined;
}

/** Makes the files match what was read, durably, before the caller relies on it. */
async function prepareForWriting(
  files: Files,
  paths: LogPaths,
  found: LogOnDisk,
): Promise<FramedLog> {
  const { contents, reading, fileBytes } = found;
  // `replace` makes the names durable too: without its directory entry a log would be lost.
  if (fileBytes === undefined) await files.replace(paths.log, new Uint8Array());
  if (reading.head === undefined) {
    await files.replace(paths.head, slotOf({ generation: 0, position: GENESIS }).bytes);
  }
  const { end } = contents;
  if ((fileBytes ?? 0) > end.bytes) await files.truncate(paths.log, end.bytes);
  const generation = await rewriteUnsynced(files, paths, contents, reading);
  const file = await files.openAppend(paths.log);
  if (file.initialSize !== end.bytes) {
    await file.close();
    const reason = 'it changed while it was opened, so another process writes it';
    throw new LogCorruptError({ path: paths.log, reason });
  }
  return new LogWriter({ files, paths, file, contents, generation });
}

/**
 * Rewrites the whole records beyond the sync marker in place. After a failed fsync the page cache may
 * differ from the disk, so the bytes that were read prove nothing (hazard K3). They are not truncated
 * either: the marker that covers them may be in a slot that cannot be read.
 */
async function rewriteUnsynced(
  files: Files,
  paths: LogPaths,
  { synced, unsynced, end, headIsBehind }: LogContents,
  { head, damaged }: LogHeadReading,
): Promise<number> {
  const generation = head?.generation ?? 0;
  if (unsynced.length === 0 && !damaged && !headIsBehind) return generation;
  if (unsynced.length > 0) await files.writeAt(paths.log, synced.bytes, unsynced);
  const slot = slotOf({ generation: generation + 1, position: end });
  await files.writeAt(paths.head, slot.offset, slot.bytes);
  return generation + 1;
}

class LogWriter implements FramedLog {
  readonly opening: LogOpenResult;
  readonly base: LogBase | undefined;
  readonly #files: Files;
  readonly #paths: LogPaths;
  readonly #file: AppendFile;
  readonly #payloads: readonly Uint8Array[];
  #generation: number;
  /** Position after the last appended record, durable or not. */
  #end: LogPosition;
  #pending: Uint8Array[] = [];
  /** The running sync, and the next one, which covers all records appended since. */
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** The write of the last sync's marker, running or done. */
  #syncMarker: Promise<void> = Promise.resolve();
  /** While set, the markers of the writes that begin wait for it. */
  #markerHold: Promise<void> | undefined;
  #failure: LogWriteError | undefined;
  #closed = false;

  constructor(parts: {
    readonly files: Files;
    readonly paths: LogPaths;
    readonly file: AppendFile;
    readonly contents: LogContents;
    readonly generation: number;
  }) {
    const { payloads, base, synced, end, dropped } = parts.contents;
    this.#files = parts.files;
    this.#paths = parts.paths;
    this.#file = parts.file;
    this.#payloads = payloads;
    this.base = base;
    this.#generation = parts.generation;
    this.#end = end;
    this.opening = {
      records: payloads.length,
      unsyncedKept: end.count - synced.count,
      dropped,
    };
  }

  get count(): number {
    return this.#end.count - (this.base === undefined ? 0 : 1);
  }

  read(): readonly Uint8Array[] {
    return this.#payloads;
  }

  append(record: Uint8Array): void {
    assert(!this.#closed, 'A closed log accepts no records');
    if (this.#failure !== undefined) throw this.#failure;
    const frame = encodeFrame(record, this.#end);
    this.#pending.push(frame.bytes);
    this.#end = frame.end;
  }

  sync(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#pending.length === 0) return this.#current ?? Promise.resolve();
    this.#next ??= this.#syncAfter(this.#current);
    return this.#next;
  }

  deferSyncMarker(): () => void {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#markerHold = held;
    return () => {
      if (this.#markerHold === held) this.#markerHold = undefined;
      release();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#failure !== undefined) return;
      await this.sync();
      await this.#syncMarker;
    } finally {
      await this.#file.close();
    }
  }

  async #syncAfter(earlier: Promise<void> | undefined): Promise<void> {
    // Awaited even if undefined: records appended later in the same turn join this sync.
    await earlier;
    this.#next = undefined;
    const pending = this.#pending;
    this.#pending = [];
    this.#current = this.#write(Buffer.concat(pending));
    try {
      await this.#current;
    } finally {
      this.#current = undefined;
    }
  }

  /** No write follows a failure: a second fsync of the descriptor could report success falsely (hazard K3). */
  async #guarded(write: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await write();
    } catch (error) {
      this.#failure = new LogWriteError(this.#paths.log, error);
      throw this.#failure;
    }
  }

  /** Appends bytes up to the log's end and makes them durable. Their sync marker follows. */
  async #write(bytes: Uint8Array): Promise<void> {
    const position = this.#end;
    // A deferral that begins later may wait for a sync that follows this one.
    const hold = this.#markerHold;
    // A torn marker together with a torn record would mean damage, so the two writes never overlap.
    await this.#syncMarker;
    await this.#guarded(async () => {
      await this.#file.append(bytes);
      await this.#file.sync();
    });
    this.#syncMarker = this.#guarded(() => this.#writeSyncMarker(position, hold));
    // The next write or close rejects with the failure.
    this.#syncMarker.catch(() => undefined);
  }

  async #writeSyncMarker(position: LogPosition, hold: Promise<void> | undefined): Promise<void> {
    await hold;
    const generation = this.#generation + 1;
    const slot = slotOf({ generation, position });
    await this.#files.writeAt(this.#paths.head, slot.offset, slot.bytes);
    this.#generation = generation;
  }
}
