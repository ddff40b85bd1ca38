import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../../test/support/fakes/memory-files.js';
import { openFramedLog } from '../../../io/log/framed-log.js';
import { LogCorruptError } from '../../../io/log/log-contents.js';
import { GENESIS, type LogPosition } from '../../../io/log/log-frame.js';
import { rangesOf } from '../../../../test/support/fakes/memory-ranges.js';
import { follow, logPaths, LogReplacedError, readRecordAt } from './log-follower.js';

const PATHS = logPaths('/state', 'journal');
const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function written(texts: readonly string[], files = new MemoryFiles()): Promise<MemoryFiles> {
  const log = await openFramedLog(files, '/state', 'journal');
  for (const text of texts) log.append(encoder.encode(text));
  await log.close();
  return files;
}

async function read(files: MemoryFiles, from: LogPosition = GENESIS, chunkBytes?: number) {
  const texts: string[] = [];
  const offsets: number[] = [];
  let end = from;
  for await (const batch of follow({ files, ranges: rangesOf(files) }, PATHS, from, chunkBytes)) {
    texts.push(...batch.records.map(({ payload }) => decoder.decode(payload)));
    offsets.push(...batch.records.map(({ offset }) => offset));
    end = batch.end;
  }
  return { texts, offsets, end };
}

const many = Array.from({ length: 300 }, (_, index) => `record ${index} ${'x'.repeat(index)}`);

describe('follow', () => {
  it.each([undefined, 100, 1_000, 7_777])(
    'follow reads every durable record in order, in chunks of %s bytes',
    async (chunkBytes) => {
      const files = await written(many);
      const { texts, offsets } = await read(files, GENESIS, chunkBytes);
      expect(texts).toEqual(many);
      const reader = await rangesOf(files).open(PATHS.log);
      for (const index of [0, 1, 150, 299]) {
        const payload = await readRecordAt(reader, PATHS.log, offsets[index] ?? -1);
        expect(decoder.decode(payload)).toBe(many[index]);
      }
    },
  );

  it('follow continues after the given position', async () => {
    const files = await written(many.slice(0, 100));
    const first = await read(files);
    expect((await read(files, first.end)).texts).toEqual([]);
    await written(many.slice(100), files);
    expect((await read(files, first.end)).texts).toEqual(many.slice(100));
  });

  it('follow stops at the sync marker', async () => {
    const files = await written(many.slice(0, 10));
    const bytes = (await files.read(PATHS.log)) ?? new Uint8Array();
    await files.writeAt(PATHS.log, bytes.length, encoder.encode('half a frame'));
    expect((await read(files)).texts).toEqual(many.slice(0, 10));
  });

  it('follow yields nothing without a log', async () => {
    expect((await read(new MemoryFiles())).texts).toEqual([]);
  });

  it('follow refuses a log without its head, and missing bytes before the sync marker', async () => {
    const headless = await written(many);
    await headless.remove(PATHS.head);
    await expect(read(headless)).rejects.toThrow(LogCorruptError);
    const short = await written(many);
    await short.truncate(PATHS.log, 5_000);
    await expect(read(short)).rejects.toThrow(LogCorruptError);
  });

  it('follow refuses every altered byte before the sync marker', async () => {
    const files = await written(['one', 'two', 'three']);
    const bytes = (await files.read(PATHS.log)) ?? new Uint8Array();
    for (let offset = 0; offset < bytes.length; offset += 1) {
      const damaged = files.copy();
      await damaged.writeAt(PATHS.log, offset, Uint8Array.of((bytes[offset] ?? 0) ^ 16));
      await expect(read(damaged), `byte ${offset}`).rejects.toThrow(LogCorruptError);
    }
  });

  it('follow reports a replaced log', async () => {
    const before = await read(await written(many.slice(0, 50)));
    const shorter = await written(['another']);
    await expect(read(shorter, before.end)).rejects.toThrow(LogReplacedError);
    const longer = await written(many.map((text) => text.toUpperCase()));
    await expect(read(longer, before.end)).rejects.toThrow(LogReplacedError);
    const asLong = await written(many.slice(0, 50).map((text) => text.replace('r', 'R')));
    await expect(read(asLong, before.end)).rejects.toThrow(LogReplacedError);
  });
});
