import { assert } from '../../core/assert.js';
import type { AppendFile, Files, Log } from '../../core/ports.js';
import {
  LogCorruptError,
  readContents,
  type DroppedTail,
  type LogContents,
  type LogPaths,
} from './log-contents.js';
import type { LogBase } from './log-base.js';
import { encodeFrame, GENESIS, type Position } from './log-frame.js';
import { readHead, slotOf, type HeadReading } from './log-head.js';

export { LogCorruptError };

/**
 * The `Log` port in two files. `NAME.log` holds frames one after another (log-frame.ts); `NAME.head`
 * promises how far they are durable (log-head.ts). A sync is over when the data are on the disk; the
 * promise follows at once, or when a hold ends, and before anything more is written:
 *
 *   - up to the promise the log must be whole: anything else is refused, never skipped;
 *   - beyond it whole records are kept, a torn rest is dropped. What was synced is whole there after
 *     any cut: only damage in the moment before its promise could not be told from a torn write.
 */
export interface FramedLog extends Log {
  readonly opening: Opening;
  /** Of a compacted log: its first records are a snapshot (log-compaction.ts). */
  readonly base: LogBase | undefined;
}

/** What was found on opening. */
export interface Opening {
  readonly records: number;
  /** Whole records beyond the promise, by now written again and durable. */
  readonly unsyncedKept: number;
  readonly dropped: DroppedTail | undefined;
}

/** The log cannot be written, and takes nothing more: open it again to go on. */
export class LogWriteError extends Error {
  override readonly name = 'LogWriteError';
  /** Of the cause: ENOSPC, EIO, … */
  readonly code: string | undefined;
  constructor(path: string, cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super(`${path} cannot be written: ${detail}`, { cause });
    this.code = codeOf(cause);
  }
}

/**
 * Opens `directory/NAME.log`, or begins it where there is nothing. One owner at a time: see
 * state-lock.ts.
 *
 * @throws LogCorruptError when what was promised durable is missing or altered
 * @throws LogWriteError when the log cannot be made ready for writing
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
    return await ready(files, paths, { contents, reading, fileBytes });
  } catch (error) {
    throw error instanceof LogCorruptError ? error : new LogWriteError(paths.log, error);
  }
}

interface Found {
  readonly contents: LogContents;
  readonly reading: HeadReading;
  /** undefined: there is no file. */
  readonly fileBytes: number | undefined;
}

/** Makes the files agree with what was read, and durable, before anybody builds on it. */
async function ready(files: Files, paths: LogPaths, found: Found): Promise<FramedLog> {
  const { contents, reading, fileBytes } = found;
  // `replace` makes the names durable too: a log whose directory entry is lost was never there.
  if (fileBytes === undefined) await files.replace(paths.log, new Uint8Array());
  if (reading.head === undefined) {
    await files.replace(paths.head, slotOf({ generation: 0, position: GENESIS }).bytes);
  }
  const { end } = contents;
  if ((fileBytes ?? 0) > end.bytes) await files.truncate(paths.log, end.bytes);
  const generation = await promiseWhatWasFound(files, paths, contents, reading);
  const file = await files.openAppend(paths.log);
  if (file.initialSize !== end.bytes) {
    await file.close();
    const reason = 'it changed while it was opened, so another process writes it';
    throw new LogCorruptError({ path: paths.log, reason });
  }
  return new LogWriter({ files, paths, file, contents, generation });
}

/**
 * What stands whole beyond the promise is written again, in its place, and not trusted: after a failed
 * fsync the system's copy may not be the disk's (K3). It is never cut off for that: a slot that cannot
 * be read may have promised it.
 */
async function promiseWhatWasFound(
  files: Files,
  paths: LogPaths,
  { promised, unpromised, end, headIsBehind }: LogContents,
  { head, damaged }: HeadReading,
): Promise<number> {
  const generation = head?.generation ?? 0;
  if (unpromised.length === 0 && !damaged && !headIsBehind) return generation;
  if (unpromised.length > 0) await files.writeAt(paths.log, promised.bytes, unpromised);
  const slot = slotOf({ generation: generation + 1, position: end });
  await files.writeAt(paths.head, slot.offset, slot.bytes);
  return generation + 1;
}

class LogWriter implements FramedLog {
  readonly opening: Opening;
  readonly base: LogBase | undefined;
  readonly #files: Files;
  readonly #paths: LogPaths;
  readonly #file: AppendFile;
  readonly #payloads: readonly Uint8Array[];
  #generation: number;
  /** After the last appended record, durable or not. */
  #end: Position;
  #pending: Uint8Array[] = [];
  /** The sync under way, and the one that waits for it with all that was appended since. */
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** The promise of the last sync, under way or made. */
  #promise: Promise<void> = Promise.resolve();
  /** Promises begin when it resolves. */
  #held: Promise<void> | undefined;
  #failure: LogWriteError | undefined;
  #closed = false;

  constructor(parts: {
    readonly files: Files;
    readonly paths: LogPaths;
    readonly file: AppendFile;
    readonly contents: LogContents;
    readonly generation: number;
  }) {
    const { payloads, base, promised, end, dropped } = parts.contents;
    this.#files = parts.files;
    this.#paths = parts.paths;
    this.#file = parts.file;
    this.#payloads = payloads;
    this.base = base;
    this.#generation = parts.generation;
    this.#end = end;
    this.opening = {
      records: payloads.length,
      unsyncedKept: end.count - promised.count,
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
    assert(!this.#closed, 'A closed log takes no records');
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

  hold(): () => void {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held = held;
    return () => {
      if (this.#held === held) this.#held = undefined;
      release();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#failure !== undefined) return;
      await this.sync();
      await this.#promise;
    } finally {
      await this.#file.close();
    }
  }

  async #syncAfter(earlier: Promise<void> | undefined): Promise<void> {
    // Also where there is none: what the rest of this turn appends comes along.
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

  /** The first failure is the last write: a second fsync of the descriptor could lie (hazard K3). */
  async #guarded(write: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await write();
    } catch (error) {
      this.#failure = new LogWriteError(this.#paths.log, error);
      throw this.#failure;
    }
  }

  /** Appends bytes that reach to the log's end and makes them durable; their promise follows. */
  async #write(bytes: Uint8Array): Promise<void> {
    const position = this.#end;
    // A torn promise and a torn record never go together: that would be damage.
    await this.#promise;
    await this.#guarded(async () => {
      await this.#file.append(bytes);
      await this.#file.sync();
    });
    this.#promise = this.#guarded(() => this.#promiseUpTo(position));
    // Whoever writes or closes next hears of it.
    this.#promise.catch(() => undefined);
  }

  async #promiseUpTo(position: Position): Promise<void> {
    await this.#held;
    const generation = this.#generation + 1;
    const slot = slotOf({ generation, position });
    await this.#files.writeAt(this.#paths.head, slot.offset, slot.bytes);
    this.#generation = generation;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
