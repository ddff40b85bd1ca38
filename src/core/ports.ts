/**
 * The ports of Sluice. `io/` implements them on Node; the simulation implements them on a virtual
 * clock, disk and network. Only implementations may use the ambient clock, disk and network.
 */

export interface Clock {
  /** ms since an arbitrary start. It never steps back. For ages, time-outs, polls and rate windows. */
  monotonicMs(): number;
  /** ms UTC of this machine. Only the base of venue time and of file names. */
  utcMs(): number;
}

/** Time since the boot of the machine. Steps of the wall clock do not affect it. */
export interface BootClock {
  /** Changes with each boot of the machine. Never empty. */
  readonly id: string;
  /** ms since the boot, the same for every process. */
  uptimeMs(): number;
}

export type Cancel = () => void;

/** Timers on monotonic time. */
export interface Scheduler {
  /** Runs `run` once, never before the current call has returned. */
  after(delayMs: number, run: () => void): Cancel;
}

/** For jitter only. Decisions and hashes never use it. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
}

/** A file opened for appending, as under the journal. Errors carry Node's `code` (ENOSPC, EIO). */
export interface AppendFile {
  /** Size of the file when it was opened, in bytes. */
  readonly initialSize: number;
  /** Buffers the bytes. They are in the file, and durable, only after `sync`. */
  append(bytes: Uint8Array): Promise<void>;
  /** On error a part may be written, and the descriptor must not be used again (hazard K3). */
  sync(): Promise<void>;
  /** Bytes that were not synced may be lost. */
  close(): Promise<void>;
}

/** The file system. Paths are absolute or relative to the working directory of the process. */
export interface Files {
  /** The content; undefined when the file does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Writes the whole content atomically and durably: temporary file, sync, rename, directory sync. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Creates the file with this content, atomically and durably, unless the path exists (temporary file,
   * sync, link, directory sync). @returns false when the path existed
   */
  createExclusive(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Overwrites `bytes` at `offset` in place and syncs. Creates the file. For the slots of a log's head. */
  writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void>;
  openAppend(path: string): Promise<AppendFile>;
  truncate(path: string, size: number): Promise<void>;
  list(directory: string): Promise<readonly string[]>;
  makeDirectory(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /**
   * The users who may change the contents of a directory. A missing directory counts as the owner's.
   * Absent on a system without users.
   */
  writersOf?(directory: string): Promise<'owner' | 'group' | 'everyone'>;
}

/** Identity and state of a file, as its file system reports them. */
export interface FileStamp {
  readonly bytes: number;
  /** Device, inode, size, and the times of the last change of content and of status, in ns. */
  readonly identity: string;
  /** ms UTC of the later of the two times. */
  readonly changedMs: number;
}

/** A file of a cache, and the time of its last use in ms UTC. */
export interface CachedFile {
  readonly name: string;
  readonly bytes: number;
  readonly usedMs: number;
}

/** Files that may be lost at any time. Errors carry Node's `code`. */
export interface CacheFiles {
  /** undefined: there is no regular file at the path. */
  stampOf(path: string): Promise<FileStamp | undefined>;
  /** The content in memory of its own; undefined: no such file. */
  read(path: string): Promise<ArrayBuffer | undefined>;
  /** Writes the parts one after the other, atomically but not durably. Creates the directory. */
  write(path: string, parts: readonly Uint8Array[]): Promise<void>;
  /** Sets the time of the last use. */
  touch(path: string, utcMs: number): Promise<void>;
  /** The files of a directory, those of writes that were cut off too. A missing directory has none. */
  list(directory: string): Promise<readonly CachedFile[]>;
  /** A missing file is no error. */
  remove(path: string): Promise<void>;
}

/** Folders that appear, move and disappear as a whole. Errors carry Node's `code`. */
export interface Folders {
  /** Renames a folder, atomically and durably. @returns false when `to` exists and is not an empty folder */
  rename(from: string, to: string): Promise<boolean>;
  /** Removes a folder and its content. A missing folder is no error. */
  remove(path: string): Promise<void>;
  /**
   * The folders in a directory that hold the file, by name. The stamp changes with the size and the time of
   * change of that file. A missing directory has none.
   */
  stampsOf(directory: string, file: string): Promise<ReadonlyMap<string, string>>;
  /** The last change of a file's content, ms UTC; undefined: there is no such file. */
  changedAt(path: string): Promise<number | undefined>;
}

/**
 * Locks of the operating system on files. A lock ends with the process that holds it, even on SIGKILL.
 * It excludes every other process of the system, also in other containers.
 */
export interface FileLocks {
  /**
   * Locks a file that exists and is empty. This process must not open the file in any other way: a POSIX
   * lock ends when the process closes any descriptor of the file.
   *
   * @returns undefined when the file is locked already, by this or another process
   * @throws FileLockError
   */
  exclusive(path: string): Promise<FileLock | undefined>;
}

export interface FileLock {
  /** Identity of the locked file. A later file of the same name has another. */
  readonly fileId: string;
  release(): Promise<void>;
}

/** The lock cannot be taken, or its state cannot be determined. The message states the remedy. */
export class FileLockError extends Error {
  override readonly name = 'FileLockError';
}

/**
 * The append-only log under the journal and the event log. It returns whole records in order, or
 * refuses to open.
 */
export interface AppendLog {
  /** Number of records in the log, synced or not. */
  readonly count: number;
  /** Copies the bytes at once. They are durable when a later `sync` resolves. */
  append(record: Uint8Array): void;
  /** Makes every record appended before the call durable. One sync may serve many appends. */
  sync(): Promise<void>;
  /**
   * Defers the sync markers until the returned function is called. A marker only guards synced records
   * against later damage, so that another log which waits for this one gets the disk first.
   */
  deferSyncMarker(): () => void;
  /** The records that the log held when it was opened. */
  read(): readonly Uint8Array[];
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Limit of the whole exchange, from connect to last byte. */
  readonly timeoutMs: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The exchange failed. `sent: false` proves that no byte of the request left. */
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
  /** A ping or pong frame: the peer is alive. */
  readonly onAlive: () => void;
  /** Called once, for any reason, also when the handshake failed. */
  readonly onClose: (reason: string) => void;
}

export interface Socket {
  send(text: string): void;
  ping(): void;
  /** Ends the connection without waiting for the peer. */
  close(): void;
}

export interface Net {
  /** Sends one request, once: no redirect, no retry. @throws TransportError */
  request(request: HttpRequest): Promise<HttpResponse>;
  connect(url: string, handlers: SocketHandlers): Socket;
}

/** Connections between processes of one user on this machine. A path names a socket file. */
export interface LocalSockets {
  /**
   * Listens at `path`, where no other process may listen. An older socket file is replaced. Only the owner of
   * the process may connect. A path that is too long for a socket is replaced by one in a private folder.
   * @throws LocalSocketError
   */
  listen(path: string, accept: AcceptLocalConnection): Promise<LocalServer>;
  /** @throws LocalSocketError */
  connect(path: string, handlers: LocalConnectionHandlers): Promise<LocalConnection>;
}

export type AcceptLocalConnection = (connection: LocalConnection) => LocalConnectionHandlers;

export interface LocalServer {
  /** The path at which it listens. */
  readonly path: string;
  /** Ends every connection and removes the socket file. */
  close(): Promise<void>;
}

export interface LocalConnection {
  /** Bytes that the system has not taken yet, because the peer does not read. */
  readonly pendingBytes: number;
  send(text: string): void;
  /** Ends the connection after the pending bytes. */
  close(): void;
  /** Ends the connection at once. */
  abort(): void;
}

export interface LocalConnectionHandlers {
  readonly onText: (text: string) => void;
  /** Called once, for any reason. */
  readonly onClose: () => void;
}

/**
 * `absent`: no process listens. `other-user`: this user may not connect. `unsupported`: the system has no such
 * sockets.
 */
export class LocalSocketError extends Error {
  override readonly name = 'LocalSocketError';
  readonly reason: 'absent' | 'other-user' | 'unsupported' | 'failed';
  constructor(reason: LocalSocketError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Levels of the log, from the most to the fewest lines. `silent` logs nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Structured log lines for people. The journal is the record of truth. */
export interface Logger {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Lines typed by the operator. */
export interface Keyboard {
  /** Whether the input is a terminal, so that it can be asked. */
  readonly isTerminal: boolean;
  /** The next line without its line end; undefined at the end of the input. */
  readonly readLine: () => Promise<string | undefined>;
}

/** Compresses pieces of one text to gzip (RFC 1952). A piece may be reused after the next is asked for. */
export type Gzip = (pieces: Iterable<Uint8Array>) => Promise<Uint8Array>;

/** Facts about processes from the operating system, and its file locks. */
export interface ProcessFacts {
  /** Process id of this process. */
  readonly pid: number;
  /**
   * Start time of the process with this id, as a text that a later process with the same id does not
   * repeat before the next boot. undefined: no such process runs. Empty: it runs since an unknown time.
   */
  startTimeOf(pid: number): Promise<string | undefined>;
  /** Age of this process, ms. */
  ageMs?(): number;
  /** Changes with each boot of the machine. Empty: unknown. */
  bootId(): Promise<string>;
  /** Time since that boot, ms. */
  sinceBootMs?(): number;
  /** Name of the machine or container. Absent: unknown. */
  readonly host?: string;
  /** The pid namespace: process ids are comparable within one namespace only. Absent or empty: unknown. */
  pidNamespace?(): Promise<string>;
  readonly locks: FileLocks;
}
