import { hash } from 'node:crypto';
import type { FileStamp } from '../../core/ports.js';
import type { ColumnState } from './column-file.js';

/** The record of one parsed file: the state of the source, and that of its columns. */
export interface CacheRecord {
  /** Absolute path of the source. */
  readonly path: string;
  readonly source: FileStamp & {
    /** SHA-256 of its bytes, hexadecimal. */
    readonly sha256: string;
    /** ms UTC at which its reading began. */
    readonly readMs: number;
  };
  readonly columns: ColumnState;
}

/** A FAT file system counts changes in steps of 2 s, the coarsest of those in use. */
const STAMP_STEP_MS = 2_000;

/**
 * Whether the source has the content that the record names, without reading it. Device, inode, size, and the times of
 * both changes are those of the record: a write, a copy over it and a rename onto it change one of them, and a program
 * cannot set the time of the status change. Within one step of the clock two writes may have one stamp, so that a file
 * that changed just before it was read is hashed again. A clock that was set back, or a network file system that
 * hides a change, is beyond this rule; `--no-cache` reads the file.
 */
export const isUnchanged = ({ source }: CacheRecord, now: FileStamp): boolean =>
  source.identity === now.identity &&
  source.bytes === now.bytes &&
  source.changedMs + STAMP_STEP_MS < source.readMs;

/** JSON in one line, and its SHA-256 in the next one: a damaged record must not name a false hash. */
export function encodeCacheRecord(record: CacheRecord): Uint8Array {
  const text = JSON.stringify(record);
  return new TextEncoder().encode(`${text}\n${hash('sha256', text, 'hex')}\n`);
}

/** undefined: damaged. */
export function decodeCacheRecord(bytes: ArrayBuffer): CacheRecord | undefined {
  const [text = '', sum] = new TextDecoder().decode(bytes).split('\n');
  // Only this program writes a record with its sum, and the name of the file has the version of its form.
  return hash('sha256', text, 'hex') === sum ? (JSON.parse(text) as CacheRecord) : undefined;
}
