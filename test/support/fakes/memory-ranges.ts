import type { Ranges } from '../../../src/io/node/node-ranges.js';
import type { MemoryFiles } from './memory-files.js';

/** Parts of files in memory. */
export const rangesOf = (files: MemoryFiles): Ranges => ({
  size: async (path) => (await files.read(path))?.length,
  open: async (path) => {
    const bytes = (await files.read(path)) ?? new Uint8Array();
    return {
      read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
      close: () => Promise.resolve(),
    };
  },
});
