import { encodeFrame, GENESIS } from '../../execution/log/log-frame.js';
import { slotOf } from '../../execution/log/log-head.js';
import type { Files } from '../../core/ports.js';
import { recordsIn } from '../record/closed-part.js';
import { partOf, RECORD_DIRECTORY } from '../record/part-names.js';
import type { RangeReader, Ranges } from '../ports/node-ranges.js';
import type { LogPorts } from './log-follower.js';

/** A log as it was before it was compressed: the same records make the same bytes. */
interface Unpacked {
  readonly log: Uint8Array;
  readonly head: Uint8Array;
}

const NAME = new RegExp(`^(?<folder>.*/${RECORD_DIRECTORY})/(?<stem>[^/]+)\\.(?<end>log|head)$`);
/** Unpacked parts that are held: some megabytes each. */
const HELD = 3;

/**
 * The disk as if no part of a record were compressed: a part that was closed reads as the log that it
 * was, at the same offsets, so that whoever follows and indexes logs needs to know nothing of it.
 */
export function withClosedParts(ports: LogPorts): LogPorts {
  const unpacked = new UnpackedParts(ports.files);
  const read: Files['read'] = async (path) =>
    (await unpacked.of(path))?.[endOf(path)] ?? ports.files.read(path);
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
        // It was closed between the two looks.
        const closed = (await unpacked.of(path))?.log;
        if (closed === undefined) throw error;
        return readerOf(closed);
      }
    },
  };
  return { files: { ...ports.files, read, exists }, ranges };
}

const endOf = (path: string): keyof Unpacked => (path.endsWith('.head') ? 'head' : 'log');

const readerOf = (bytes: Uint8Array): RangeReader => ({
  read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  close: () => Promise.resolve(),
});

class UnpackedParts {
  readonly #files: Files;
  readonly #held = new Map<string, Unpacked>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** undefined where the path is no log or head of a part that was closed. */
  async of(path: string): Promise<Unpacked | undefined> {
    const file = await this.fileOf(path);
    if (file === undefined) return undefined;
    const held = this.#held.get(file) ?? (await this.#unpack(file));
    this.#held.delete(file);
    this.#held.set(file, held);
    for (const oldest of [...this.#held.keys()].slice(0, -HELD)) this.#held.delete(oldest);
    return held;
  }

  /** The path of the compressed file. */
  async fileOf(path: string): Promise<string | undefined> {
    const found = NAME.exec(path)?.groups;
    if (found === undefined) return undefined;
    const { folder = '', stem } = found;
    const names = await this.#files.list(folder);
    const closed = names.find((name) => {
      const part = partOf(name);
      return part?.stem === stem && part?.closedAt !== undefined;
    });
    return closed === undefined ? undefined : `${folder}/${closed}`;
  }

  async #unpack(file: string): Promise<Unpacked> {
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
