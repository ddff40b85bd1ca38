import { open, stat } from 'node:fs/promises';

/** Reads parts of files that another process may be writing. A log of gigabytes is never in memory at once. */
export interface Ranges {
  /** Current size in bytes; undefined when the file does not exist. */
  size(path: string): Promise<number | undefined>;
  open(path: string): Promise<RangeReader>;
}

export interface RangeReader {
  /** Returns fewer bytes than requested at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** `Ranges` on the local disk. Errors are Node's own, with their `code`. */
export const nodeRanges: Ranges = {
  async size(path) {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
  async open(path) {
    const file = await open(path, 'r');
    return {
      async read(offset, length) {
        const bytes = Buffer.allocUnsafe(length);
        let done = 0;
        while (done < length) {
          const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
        return bytes.subarray(0, done);
      },
      close: () => file.close(),
    };
  },
};
