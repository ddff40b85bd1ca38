import { describe, expect, it } from 'vitest';
import { MemoryFiles, type Crash } from '../../../test/support/fakes/memory-files.js';
import { LogWriteError } from './log-write-error.js';
import { LogCorruptError, openFramedLog, type FramedLog } from './framed-log.js';
import { archiveName, compactFramedLog } from './log-compaction.js';

const LOG = 'state/journal.log';
const HEAD = 'state/journal.head';
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const textsOf = (log: FramedLog): readonly string[] =>
  log.read().map((bytes) => new TextDecoder().decode(bytes));
const open = (files: MemoryFiles, name = 'journal'): Promise<FramedLog> =>
  openFramedLog(files, 'state', name);

const OLD = ['header', 'one', 'two', 'three', 'four'];
const SNAPSHOT = ['header', 'one and two', 'three and four'];
const snapshot = { payloads: SNAPSHOT.map(encode), recordsBefore: OLD.length };
const compact = (files: MemoryFiles): Promise<number> =>
  compactFramedLog(files, 'state', 'journal', snapshot);

async function diskWith(records: readonly string[]): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  await append(files, records);
  return files;
}

async function append(files: MemoryFiles, records: readonly string[]): Promise<void> {
  const log = await open(files);
  for (const text of records) {
    log.append(encode(text));
    await log.sync();
  }
  await log.close();
}

describe('a compacted log', () => {
  it('a compacted log reads as its snapshot, continues after it and retains an archive', async () => {
    const files = await diskWith(OLD);
    expect(await compact(files)).toBe(1);
    await append(files, ['five']);
    const log = await open(files);
    expect(textsOf(log)).toEqual([...SNAPSHOT, 'five']);
    expect(log.count).toBe(4);
    expect(log.base).toMatchObject({
      number: 1,
      recordsBefore: 5,
      replaces: { count: 5 },
      snapshot: { count: 4 },
    });
    expect(textsOf(await open(files, archiveName('journal', 1)))).toEqual(OLD);
  });

  it('a second compaction writes the next archive', async () => {
    const files = await diskWith(OLD);
    await compact(files);
    await append(files, ['five']);
    const again = { payloads: [encode('all')], recordsBefore: 6 };
    expect(await compactFramedLog(files, 'state', 'journal', again)).toBe(2);
    expect(textsOf(await open(files))).toEqual(['all']);
    expect(textsOf(await open(files, archiveName('journal', 2)))).toEqual([...SNAPSHOT, 'five']);
  });

  it('a compacted log is refused when it is cut at any byte or any bit flips', async () => {
    const files = await diskWith(OLD);
    await compact(files);
    const bytes = files.peek(LOG) ?? new Uint8Array();
    for (let size = 0; size < bytes.length; size += 1) {
      const cut = files.copy();
      cut.put(LOG, bytes.slice(0, size));
      await expect(open(cut), `cut at ${size}`).rejects.toThrow(LogCorruptError);
    }
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = files.copy();
      flipped.flipBit(LOG, bit);
      await expect(open(flipped), `bit ${bit}`).rejects.toThrow(LogCorruptError);
    }
  });

  it('a compacted log with an old head is refused in the same way', async () => {
    const files = await diskWith(OLD);
    const head = files.peek(HEAD) ?? new Uint8Array();
    await compact(files);
    files.put(HEAD, head);
    expect(textsOf(await open(files.copy()))).toEqual(SNAPSHOT);
    const bytes = files.peek(LOG) ?? new Uint8Array();
    for (let size = 0; size < bytes.length; size += 1) {
      const cut = files.copy();
      cut.put(LOG, bytes.slice(0, size));
      await expect(open(cut), `cut at ${size}`).rejects.toThrow(LogCorruptError);
    }
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = files.copy();
      flipped.flipBit(LOG, bit);
      await expect(open(flipped), `bit ${bit}`).rejects.toThrow(LogCorruptError);
    }
  });

  it('a compacted log that has grown is refused with a head from before its compaction', async () => {
    const files = await diskWith(OLD);
    const head = files.peek(HEAD) ?? new Uint8Array();
    await compact(files);
    await append(files, ['five']);
    files.put(HEAD, head);
    await expect(open(files)).rejects.toThrow(/not the log that state\/journal\.head belongs to/);
  });
});

describe('an interrupted compaction', () => {
  const cuts: readonly Crash[] = [
    {},
    { loseDirectoryEntries: true },
    { survivingBytes: (_path, unsynced) => unsynced },
    { survivingBytes: (_path, unsynced) => Math.floor(unsynced / 2), loseDirectoryEntries: true },
  ];

  it('a crash at any step leaves the whole old or new log, and compaction can be repeated', async () => {
    const seen = new Set<string>();
    for (let at = 0; ; at += 1) {
      for (const bytesKept of [0, 1, 33, 67]) {
        const files = await diskWith(OLD);
        const from = files.operations;
        files.failWith(({ index }) =>
          index < from + at
            ? undefined
            : { code: 'CUT', bytesKept: index === from + at ? bytesKept : 0 },
        );
        const failure = await compact(files).then(
          () => undefined,
          (error: unknown) => error,
        );
        const done = failure === undefined;
        if (!done) expect(failure).toBeInstanceOf(LogWriteError);
        files.failWith(() => undefined);
        for (const cut of cuts) {
          const after = files.crash(cut);
          const log = await open(after);
          await log.close();
          const found = textsOf(log);
          expect([OLD, SNAPSHOT], `step ${at}`).toContainEqual(found);
          seen.add(found.join());
          if (found.length === SNAPSHOT.length) {
            expect(textsOf(await open(after, archiveName('journal', 1)))).toEqual(OLD);
          } else {
            await compact(after);
            expect(textsOf(await open(after))).toEqual(SNAPSHOT);
          }
          await append(after, ['five']);
          expect(textsOf(await open(after.crash())).at(-1)).toBe('five');
        }
        if (done) {
          expect(at, 'archive head, archive, log, head').toBe(4);
          expect([...seen].sort()).toEqual([OLD.join(), SNAPSHOT.join()].sort());
          return;
        }
      }
    }
  });
});

describe('the name of an archive', () => {
  it('the name of an archive contains its number', () => {
    expect(archiveName('journal', 12)).toBe('journal-000012');
  });
});
