import { hash } from 'node:crypto';
import type { Files } from '../../core/ports.js';

/** A file that a run has read. */
export interface FileRead {
  readonly path: string;
  /** SHA-256 of its bytes as they are on the disk, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** `Files` that hash each file on its first read. */
export interface RecordedFiles extends Files {
  /** In the order of their first reads. */
  readonly reads: ReadonlyMap<string, FileRead>;
}

export function recordFiles(files: Files): RecordedFiles {
  const reads = new Map<string, FileRead>();
  return {
    ...files,
    reads,
    async read(path) {
      const bytes = await files.read(path);
      if (bytes !== undefined && !reads.has(path)) {
        reads.set(path, { path, sha256: hash('sha256', bytes, 'hex'), bytes: bytes.length });
      }
      return bytes;
    },
  };
}
