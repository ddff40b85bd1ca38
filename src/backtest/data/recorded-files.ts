import { hash } from 'node:crypto';
import type { CandleCache } from '../../catalog/cache/candle-cache.js';
import type { Files } from '../../core/ports.js';
import type { CandleFiles } from './candle-files.js';

/** A file that a run has read. */
export interface FileRead {
  readonly path: string;
  /** SHA-256 of its bytes as they are on the disk, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Files that are hashed on their first read. */
export interface RecordedFiles extends CandleFiles {
  /** In the order of their first reads. */
  readonly reads: ReadonlyMap<string, FileRead>;
}

/** @param cache of parsed candle files; it knows the hash of a file that it holds */
export function recordFiles(files: Files, cache?: CandleCache): RecordedFiles {
  const reads = new Map<string, FileRead>();
  return {
    ...files,
    reads,
    async candles(path, volume) {
      const found = await cache?.read(path, volume);
      if (found === undefined) return undefined;
      const { columns, sha256, bytes } = found;
      if (!reads.has(path)) reads.set(path, { path, sha256, bytes });
      return columns;
    },
    async read(path) {
      const bytes = await files.read(path);
      if (bytes !== undefined && !reads.has(path)) {
        reads.set(path, { path, sha256: hash('sha256', bytes, 'hex'), bytes: bytes.length });
      }
      return bytes;
    },
  };
}
