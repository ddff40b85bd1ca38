/**
 * What the house asks of the world. `app/` and `transport/` implement these on Node; the simulation
 * implements them on a virtual clock, disk and network. Nothing else may touch the ambient ones.
 */

export interface Clock {
  /** ms since an arbitrary start; never steps back. Ages, time-outs, polls, rate windows. */
  monotonicMs(): number;
  /** ms UTC of this machine. Only a base for venue time and for names of files. */
  utcMs(): number;
}

/** Time since the machine was started: no step of its wall clock moves it. */
export interface BootClock {
  /** Changes with each start of the machine; never empty. */
  readonly id: string;
  /** The same for every process. */
  sinceMs(): number;
}

export type Cancel = () => void;

/** Timers on monotonic time. */
export interface Scheduler {
  /** Runs once, never before the current call has returned. */
  after(delayMs: number, run: () => void): Cancel;
}

/** For jitter only: what decides or is hashed never draws. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
}

/** An open file for appending; the journal's ground. Errors carry Node's `code` (ENOSPC, EIO). */
export interface AppendFile {
  /** Bytes in the file as opened. */
  readonly initialSize: number;
  /** Buffered: in the file, and durable, only after `sync`. */
  append(bytes: Uint8Array): Promise<void>;
  /** A partial write is possible on error; the descriptor is not to be trusted then (hazard K3). */
  sync(): Promise<void>;
  /** What was not synced may be lost. */
  close(): Promise<void>;
}

/** A directory tree. Paths are absolute or relative to the process. */
export interface Files {
  /** undefined when there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Whole content, atomically and durably: temporary file, sync, rename, directory sync. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Creates the file with this content, atomically and durably, unless the path exists: it appears
   * whole or not at all (temporary file, sync, link, directory sync). false: it was there before.
   */
  createExclusive(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Overwrites `bytes` at `offset` in place and syncs; creates the file. For the head's slots. */
  writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void>;
  openAppend(path: string): Promise<AppendFile>;
  truncate(path: string, size: number): Promise<void>;
  list(directory: string): Promise<readonly string[]>;
  makeDirectory(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** The users who may change the contents of a directory; a missing one is its maker's. Absent: there are no users. */
  writersOf?(directory: string): Promise<'owner' | 'group' | 'everyone'>;
}

/**
 * Locks of the system on files. One ends with the process that has it, however that ends, and holds
 * against every process that the system serves, in whichever container.
 */
export interface FileLocks {
  /**
   * Locks a file that exists and is empty. Nobody may open it otherwise: a POSIX lock ends when the
   * process closes any descriptor of its file.
   *
   * @returns undefined where another has the lock, in this process or elsewhere
   * @throws FileLockError
   */
  exclusive(path: string): Promise<FileLock | undefined>;
}

export interface FileLock {
  /** Of the locked file, as long as it exists: another one of its name has another. */
  readonly fileId: string;
  release(): Promise<void>;
}

/** No lock can be had, or what is there cannot be judged. The message says what to do. */
export class FileLockError extends Error {
  override readonly name = 'FileLockError';
}

/**
 * The append-only log under the journal and the record: whole records come back, in order, or the
 * log refuses to open.
 */
export interface Log {
  /** Records now in the log, synced or not. */
  readonly count: number;
  /** Takes the bytes now; durable only when a later `sync` resolves. */
  append(record: Uint8Array): void;
  /** Makes every record appended before the call durable. One sync may serve many appends. */
  sync(): Promise<void>;
  /**
   * Until the function that it returns is called, a sync leaves for later what guards its records only
   * against damage that comes later: the disk is free for another log that waits for this one.
   */
  hold(): () => void;
  /** The records that were durable or whole when the log was opened. */
  read(): readonly Uint8Array[];
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whole exchange, from dial to last byte. */
  readonly timeoutMs: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The world failed. `sent: false` is proof that no byte of the request left. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly sent: boolean;
  constructor(message: string, options: { readonly sent: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.sent = options.sent;
  }
}

export interface SocketHandlers {
  readonly onOpen: () => void;
  readonly onMessage: (text: string) => void;
  /** A pong or ping frame: the peer lives. */
  readonly onAlive: () => void;
  /** Once, whatever the reason; also when the handshake failed. */
  readonly onClose: (reason: string) => void;
}

export interface Socket {
  send(text: string): void;
  ping(): void;
  /** Ends the connection without waiting for the peer. */
  close(): void;
}

export interface Net {
  /** One request, one attempt: no redirect, no retry. @throws TransportError */
  request(request: HttpRequest): Promise<HttpResponse>;
  connect(url: string, handlers: SocketHandlers): Socket;
}

/** Structured log lines for people; never the record of truth. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
