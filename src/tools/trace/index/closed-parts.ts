import { encodeFrame, GENESIS } from '../../../io/log/log-frame.js';
import { slotOf } from '../../../io/log/log-head.js';
import type { Files } from '../../../core/ports.js';
import { recordsIn } from '../../../live/record/compressed-part.js';
import { parsePartName, RECORD_DIRECTORY } from '../../../live/record/part-names.js';
import type { RangeReader, Ranges } from '../../../io/node/node-ranges.js';
import type { LogPorts } from './log-follower.js';

/** A log as it was before its compression, rebuilt from the records: equal records give equal bytes. */
interface UnpackedLog {
  readonly log: Uint8Array;
  readonly head: Uint8Array;
}

/** Path of a part's log or head, which a closed part no longer has. */
const PART_NAME = new RegExp(
  `^(?<folder>.*/${RECORD_DIRECTORY})/(?<stem>[^/]+)\\.(?<extension>log|head)$`,
);
/** Number of unpacked parts in memory; each has some megabytes. */
const CACHE_SIZE = 3;

/**
 * Ports on which no part of a record is compressed: a closed part reads as its original log, at the same
 * offsets. Readers of logs need no special case.
 */
export function withClosedParts(ports: LogPorts): LogPorts {
  const unpacked = new UnpackedParts(ports.files);
  const read: Files['read'] = async (path) =>
    (await unpacked.of(path))?.[extensionOf(path)] ?? ports.files.read(path);
  const exists: Files['exists'] = async (path) =>
    (await ports.files.exists(path)) || (await unpacked.fileOf(path)) !== undefined;
  const ranges: Ranges = {
    size: async (path) => (await unpacked.of(path))?.log.length ?? ports.ranges.size(path),
    async open(path) {
      const log = (await unpacked.of(path))?.log;
      if (log !== undefined) return readerOf(log);
      try {
        return await ports.ranges.open(path);
      } catch (error) {
        // The running bot closed the part between the two reads.
        const closed = (await unpacked.of(path))?.log;
        if (closed === undefined) throw error;
        return readerOf(closed);
      }
    },
  };
  return { files: { ...ports.files, read, exists }, ranges };
}

const extensionOf = (path: string): keyof UnpackedLog => (path.endsWith('.head') ? 'head' : 'log');

const readerOf = (bytes: Uint8Array): RangeReader => ({
  read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  close: () => Promise.resolve(),
});

/** The logs of closed parts, unpacked on demand; the last used ones stay in memory. */
class UnpackedParts {
  readonly #files: Files;
  readonly #cache = new Map<string, UnpackedLog>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** undefined when the path is not the log or head of a closed part. */
  async of(path: string): Promise<UnpackedLog | undefined> {
    const file = await this.fileOf(path);
    if (file === undefined) return undefined;
    const unpacked = this.#cache.get(file) ?? (await this.#unpack(file));
    this.#cache.delete(file);
    this.#cache.set(file, unpacked);
    for (const oldest of [...this.#cache.keys()].slice(0, -CACHE_SIZE)) this.#cache.delete(oldest);
    return unpacked;
  }

  /** The path of the compressed file; undefined when the part is not closed. */
  async fileOf(path: string): Promise<string | undefined> {
    const found = PART_NAME.exec(path)?.groups;
    if (found === undefined) return undefined;
    const { folder = '', stem } = found;
    const names = await this.#files.list(folder);
    const closed = names.find((name) => {
      const part = parsePartName(name);
      return part?.stem === stem && part?.closedAt !== undefined;
    });
    return closed === undefined ? undefined : `${folder}/${closed}`;
  }

  async #unpack(file: string): Promise<UnpackedLog> {
    const frames: Uint8Array[] = [];
    let end = GENESIS;
    for (const record of recordsIn((await this.#files.read(file)) ?? new Uint8Array(), file)) {
      const frame = encodeFrame(record, end);
      frames.push(frame.bytes);
      end = frame.end;
    }
    return { log: Buffer.concat(frames), head: slotOf({ generation: 0, position: end }).bytes };
  }
}
