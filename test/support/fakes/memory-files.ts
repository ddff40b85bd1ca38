import { assert } from '../../../src/core/assert.js';
import type { AppendFile, Files } from '../../../src/core/ports.js';

export type OperationKind =
  'append' | 'sync' | 'write-at' | 'replace' | 'create-exclusive' | 'truncate' | 'open-append';

/** One thing about to be done to the disk, counted from 0. */
export interface Operation {
  readonly index: number;
  readonly kind: OperationKind;
  readonly path: string;
  /** Bytes that it would write. */
  readonly bytes: number;
}

/** How it fails: with this code, after that many of its bytes. */
export interface DiskFault {
  readonly code: string;
  readonly bytesKept?: number;
}

export type DiskFaults = (operation: Operation) => DiskFault | undefined;

/** The disk said no; like Node's errors it carries a `code`. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: string;
  readonly syscall = 'write';
  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

/** What a power cut leaves of the bytes and names that were not synced. */
export interface Crash {
  /** Unsynced bytes kept, of so many, in the order written. Default none. */
  readonly survivingBytes?: (path: string, unsynced: number) => number;
  /** Forgets names whose directory was not synced. Default false. */
  readonly loseDirectoryEntries?: boolean;
}

type Range = readonly [start: number, end: number];

/** Bytes that grow at their end without being copied each time, and are shared until they change. */
class Content {
  #capacity: Uint8Array;
  /** The same bytes have another holder. */
  #isShared: boolean;
  length: number;

  /** Of bytes that do not change. */
  constructor(bytes: Uint8Array) {
    this.#capacity = bytes;
    this.#isShared = true;
    this.length = bytes.length;
  }

  get bytes(): Uint8Array {
    return this.#capacity.subarray(0, this.length);
  }

  /** The same bytes; a holder copies them before a change. */
  copy(): Content {
    this.#isShared = true;
    return new Content(this.bytes);
  }

  /** Zeros where it grows. */
  resize(length: number): void {
    if (length > this.#capacity.length) this.#move(Math.max(length, 2 * this.#capacity.length));
    else if (length > this.length) {
      this.#own();
      this.#capacity.fill(0, this.length, length);
    }
    this.length = length;
  }

  set(bytes: Uint8Array, offset: number): void {
    this.#own();
    this.#capacity.set(bytes, offset);
  }

  #own(): void {
    if (this.#isShared) this.#move(this.#capacity.length);
  }

  #move(size: number): void {
    const capacity = new Uint8Array(size);
    capacity.set(this.bytes);
    this.#capacity = capacity;
    this.#isShared = false;
  }
}

/** Content as programs see it, and as the platter has it. */
interface Inode {
  readonly seen: Content;
  readonly durable: Content;
  /** Written and not synced, in order. A failed sync clears it without making it durable (K3). */
  dirty: Range[];
}

/**
 * A disk in memory that can fail at any operation, lose what was not synced, and be looked at and
 * altered behind everybody's back.
 */
export class MemoryFiles implements Files {
  #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #operations = 0;
  #faults: DiskFaults = () => undefined;

  /** Operations so far: a second run can fail at each of them. */
  get operations(): number {
    return this.#operations;
  }

  failWith(faults: DiskFaults): void {
    this.#faults = faults;
  }

  /** ENOSPC once this many more bytes were written; the write that meets the end is cut there. */
  fillAfter(bytes: number): void {
    let left = bytes;
    this.failWith((operation) => {
      if (operation.bytes <= left) {
        left -= operation.bytes;
        return undefined;
      }
      const bytesKept = left;
      left = 0;
      return operation.bytes === 0 ? undefined : { code: 'ENOSPC', bytesKept };
    });
  }

  /** The disk after a power cut: a new one, to open again. */
  crash(crash: Crash = {}): MemoryFiles {
    const after = new MemoryFiles();
    const names = crash.loseDirectoryEntries === true ? this.#durableNames : this.#names;
    for (const [path, inode] of names) after.#hold(path, surviving(path, inode, crash));
    return after;
  }

  /** Content behind everybody's back; undefined when there is no such file. */
  peek(path: string): Uint8Array | undefined {
    return this.#names.get(path)?.seen.bytes.slice();
  }

  put(path: string, bytes: Uint8Array): void {
    this.#hold(path, new Content(new Uint8Array(bytes)));
  }

  #hold(path: string, content: Content): void {
    const inode = { seen: content.copy(), durable: content.copy(), dirty: [] };
    this.#names.set(path, inode);
    this.#durableNames.set(path, inode);
  }

  flipBit(path: string, bit: number): void {
    const bytes = this.peek(path);
    assert(bytes !== undefined && bit < bytes.length * 8, 'The bit is in the file');
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    this.put(path, bytes);
  }

  /** The same disk once more, unsynced bytes and all, without its faults. */
  copy(): MemoryFiles {
    const copy = new MemoryFiles();
    const inodes = new Map<Inode, Inode>();
    const copied = (inode: Inode): Inode => {
      const known = inodes.get(inode) ?? clone(inode);
      inodes.set(inode, known);
      return known;
    };
    for (const [path, inode] of this.#names) copy.#names.set(path, copied(inode));
    for (const [path, inode] of this.#durableNames) copy.#durableNames.set(path, copied(inode));
    return copy;
  }

  paths(): readonly string[] {
    return [...this.#names.keys()].sort();
  }

  // --- Files ---------------------------------------------------------------------------------------

  async read(path: string): Promise<Uint8Array | undefined> {
    return this.peek(path);
  }

  async replace(path: string, bytes: Uint8Array): Promise<void> {
    this.#operate('replace', path, bytes.length);
    this.#names.set(path, inodeOf(bytes));
    this.#syncDirectory(path);
  }

  async createExclusive(path: string, bytes: Uint8Array): Promise<boolean> {
    this.#operate('create-exclusive', path, bytes.length);
    if (this.#names.has(path)) return false;
    this.#names.set(path, inodeOf(bytes));
    this.#syncDirectory(path);
    return true;
  }

  async writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void> {
    const created = !this.#names.has(path);
    const inode = this.#names.get(path) ?? inodeOf(new Uint8Array());
    this.#names.set(path, inode);
    if (created) this.#syncDirectory(path);
    const fault = this.#faultOf('write-at', path, bytes.length);
    write(
      inode,
      offset,
      bytes.subarray(0, fault === undefined ? bytes.length : (fault.bytesKept ?? 0)),
    );
    syncContent(inode);
    if (fault !== undefined) throw new DiskError(fault.code, path);
  }

  async truncate(path: string, size: number): Promise<void> {
    this.#operate('truncate', path, 0);
    const inode = this.#existing(path);
    inode.seen.resize(size);
    inode.dirty = inode.dirty.filter(([start]) => start < size);
    syncContent(inode);
  }

  async openAppend(path: string): Promise<AppendFile> {
    this.#operate('open-append', path, 0);
    // A name made by opening is not durable until something syncs the directory (hazard K7).
    if (!this.#names.has(path)) this.#names.set(path, inodeOf(new Uint8Array()));
    const inode = this.#existing(path);
    return {
      initialSize: inode.seen.length,
      append: async (bytes) => {
        const fault = this.#faultOf('append', path, bytes.length);
        const keptBytes = fault === undefined ? bytes.length : (fault.bytesKept ?? 0);
        write(inode, inode.seen.length, bytes.subarray(0, keptBytes));
        if (fault !== undefined) throw new DiskError(fault.code, path);
      },
      sync: async () => {
        const fault = this.#faultOf('sync', path, 0);
        if (fault === undefined) {
          syncContent(inode);
          return;
        }
        inode.dirty = [];
        throw new DiskError(fault.code, path);
      },
      close: async () => undefined,
    };
  }

  async list(directory: string): Promise<readonly string[]> {
    const prefix = `${directory}/`;
    return this.paths()
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
      .map((path) => path.slice(prefix.length));
  }

  async makeDirectory(): Promise<void> {
    // A directory is there as soon as something is in it.
  }

  async exists(path: string): Promise<boolean> {
    return this.#names.has(path);
  }

  async remove(path: string): Promise<void> {
    this.#names.delete(path);
  }

  // --- parts ---------------------------------------------------------------------------------------

  #faultOf(kind: OperationKind, path: string, bytes: number): DiskFault | undefined {
    const index = this.#operations;
    this.#operations += 1;
    return this.#faults({ index, kind, path, bytes });
  }

  /** An operation that happens whole or not at all. */
  #operate(kind: OperationKind, path: string, bytes: number): void {
    const fault = this.#faultOf(kind, path, bytes);
    if (fault !== undefined) throw new DiskError(fault.code, path);
  }

  #existing(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw new DiskError('ENOENT', path);
    return inode;
  }

  /** Makes the names beside `path` durable, those that are gone too. */
  #syncDirectory(path: string): void {
    const directory = path.slice(0, path.lastIndexOf('/') + 1);
    for (const name of this.#durableNames.keys()) {
      if (name.startsWith(directory) && !this.#names.has(name)) this.#durableNames.delete(name);
    }
    for (const [name, inode] of this.#names) {
      if (name.startsWith(directory)) this.#durableNames.set(name, inode);
    }
  }
}

function inodeOf(bytes: Uint8Array): Inode {
  const own = new Uint8Array(bytes);
  return { seen: new Content(own), durable: new Content(own), dirty: [] };
}

const clone = ({ seen, durable, dirty }: Inode): Inode => ({
  seen: seen.copy(),
  durable: durable.copy(),
  dirty: [...dirty],
});

function write(inode: Inode, offset: number, bytes: Uint8Array): void {
  const end = offset + bytes.length;
  if (end > inode.seen.length) inode.seen.resize(end);
  inode.seen.set(bytes, offset);
  inode.dirty.push([offset, end]);
}

/** The size becomes durable with the first sync, also over bytes that a failed one has lost. */
function syncContent(inode: Inode): void {
  inode.durable.resize(inode.seen.length);
  const { bytes } = inode.seen;
  for (const [start, end] of inode.dirty) inode.durable.set(bytes.subarray(start, end), start);
  inode.dirty = [];
}

/** The durable content, and the first of the dirty bytes as far as they are kept. */
function surviving(path: string, inode: Inode, crash: Crash): Content {
  const unsynced = inode.dirty.reduce((sum, [start, end]) => sum + end - start, 0);
  let left = crash.survivingBytes?.(path, unsynced) ?? 0;
  const content = inode.durable.copy();
  const { bytes } = inode.seen;
  for (const [start, end] of inode.dirty) {
    const keptBytes = Math.min(left, end - start);
    left -= keptBytes;
    if (keptBytes === 0) break;
    if (start + keptBytes > content.length) content.resize(start + keptBytes);
    content.set(bytes.subarray(start, start + keptBytes), start);
  }
  return content;
}
