import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFiles, type Crash } from '../../../test/support/fakes/memory-files.js';
import type { Files } from '../../core/ports.js';
import { LogWriteError } from './log-write-error.js';
import { LogCorruptError, openFramedLog, type FramedLog } from './framed-log.js';

const LOG = 'state/journal.log';
const HEAD = 'state/journal.head';
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const open = (files: MemoryFiles): Promise<FramedLog> => openFramedLog(files, 'state', 'journal');
const textsOf = (log: FramedLog): readonly string[] => log.read().map(decode);

/** A disk with the `synced` records, synced one by one, and the `unsynced` ones beyond the marker. */
async function diskWith(synced: readonly string[], unsynced: readonly string[] = []) {
  const files = new MemoryFiles();
  const log = await open(files);
  for (const text of synced) {
    log.append(encode(text));
    await log.sync();
  }
  const head = files.peek(HEAD);
  for (const text of unsynced) log.append(encode(text));
  await log.sync();
  if (head !== undefined) files.put(HEAD, head);
  return files;
}

/** Opens; undefined when the log was refused. Any other error fails the test. */
async function openOrRefuse(files: MemoryFiles): Promise<FramedLog | undefined> {
  try {
    return await open(files);
  } catch (error) {
    if (error instanceof LogCorruptError) return undefined;
    throw error;
  }
}

const RECORDS = ['first', '', 'third record', 'x'.repeat(40), 'fifth'];

describe('a framed log', () => {
  it('a log returns synced records in order and continues after them', async () => {
    const files = await diskWith(RECORDS);
    const again = await open(files);
    expect(textsOf(again)).toEqual(RECORDS);
    expect(again.opening).toEqual({ records: 5, unsyncedKept: 0, dropped: undefined });
    again.append(encode('sixth'));
    expect(again.count).toBe(6);
    await again.close();
    expect(textsOf(await open(files))).toEqual([...RECORDS, 'sixth']);
  });

  it('a log without files opens empty', async () => {
    const log = await open(new MemoryFiles());
    expect(log.count).toBe(0);
    expect(log.read()).toEqual([]);
  });

  it('append copies the bytes at the call', async () => {
    const files = new MemoryFiles();
    const log = await open(files);
    const bytes = encode('before');
    log.append(bytes);
    bytes.fill(0);
    await log.sync();
    expect(textsOf(await open(files))).toEqual(['before']);
  });

  it('one sync serves many appends', async () => {
    const files = new MemoryFiles();
    const log = await open(files);
    let syncs = 0;
    files.failWith(({ kind }) => {
      if (kind === 'sync') syncs += 1;
      return undefined;
    });
    const waits: Promise<void>[] = [];
    for (let i = 0; i < 100; i += 1) {
      log.append(encode(`record ${i}`));
      waits.push(log.sync());
      if (i === 50) await Promise.resolve();
    }
    await Promise.all(waits);
    expect(syncs).toBeLessThanOrEqual(2);
    expect(files.crash().peek(LOG)).toEqual(files.peek(LOG));
    expect((await open(files)).count).toBe(100);
  });

  it('a sync resolves only when every record appended before it is durable', async () => {
    const files = new MemoryFiles();
    const log = await open(files);
    log.append(encode('one'));
    const first = log.sync();
    await Promise.resolve();
    await Promise.resolve();
    log.append(encode('two'));
    await log.sync();
    await first;
    expect(textsOf(await open(files.crash()))).toEqual(['one', 'two']);
  });
});

describe('the sync marker of a framed log', () => {
  /** A disk whose writes of the head wait until the test releases or fails them. */
  class HeldHead extends MemoryFiles {
    readonly held: ((error?: Error) => void)[] = [];
    override async writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void> {
      const error = await new Promise<Error | undefined>((resolve) => this.held.push(resolve));
      if (error !== undefined) throw error;
      await super.writeAt(path, offset, bytes);
    }
  }
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };

  it('a sync does not wait for its marker, but the next write does', async () => {
    const disk = new HeldHead();
    const log = await open(disk);
    log.append(encode('one'));
    await log.sync();
    expect(textsOf(await open(disk.crash()))).toEqual(['one']);
    log.append(encode('two'));
    const second = log.sync();
    await turns();
    expect(decode(disk.peek(LOG) ?? encode(''))).not.toContain('two');
    disk.held.shift()?.();
    await second;
    expect(decode(disk.peek(LOG) ?? encode(''))).toContain('two');
  });

  it('a close waits for the marker', async () => {
    const disk = new HeldHead();
    const log = await open(disk);
    log.append(encode('one'));
    let closed = false;
    const closing = log.close().then(() => (closed = true));
    await turns();
    expect(closed).toBe(false);
    disk.held.shift()?.();
    await closing;
    const again = await open(disk);
    expect(again.opening.unsyncedKept).toBe(0);
  });

  it('the marker and the next write wait until a deferral ends', async () => {
    const disk = new HeldHead();
    const log = await open(disk);
    const release = log.deferSyncMarker();
    log.append(encode('one'));
    await log.sync();
    log.append(encode('two'));
    const second = log.sync();
    await turns();
    expect(disk.held).toHaveLength(0);
    release();
    await turns();
    expect(disk.held).toHaveLength(1);
    disk.held.shift()?.();
    await second;
    await turns();
    expect(disk.held, 'a sync after the deferral does not wait').toHaveLength(1);
    expect(textsOf(await open(disk.crash()))).toEqual(['one', 'two']);
  });

  it('a deferral that begins while a sync runs holds neither its marker nor the next sync', async () => {
    const disk = new HeldHead();
    const log = await open(disk);
    log.append(encode('one'));
    const running = log.sync();
    await Promise.resolve();
    log.append(encode('two'));
    const release = log.deferSyncMarker();
    const deferred = log.sync();
    await running;
    await turns();
    expect(disk.held, 'the marker of the first sync').toHaveLength(1);
    disk.held.shift()?.();
    await deferred;
    await turns();
    expect(disk.held, 'the marker of the second sync waits').toHaveLength(0);
    release();
    await turns();
    disk.held.shift()?.();
    await log.close();
    expect(textsOf(await open(disk.crash()))).toEqual(['one', 'two']);
  });

  it('a marker that cannot be written is the last write', async () => {
    const disk = new HeldHead();
    const log = await open(disk);
    log.append(encode('one'));
    await log.sync();
    disk.held.shift()?.(new Error('no space'));
    await turns();
    expect(() => {
      log.append(encode('two'));
    }).toThrow(LogWriteError);
    await expect(log.sync()).rejects.toThrow(/journal\.log cannot be written: no space/);
    await log.close();
  });
});

describe('a framed log beyond its sync marker', () => {
  it('whole records are retained and made durable before they are returned', async () => {
    const files = await diskWith(RECORDS, ['sixth', 'seventh']);
    const log = await open(files);
    expect(textsOf(log)).toEqual([...RECORDS, 'sixth', 'seventh']);
    expect(log.opening.unsyncedKept).toBe(2);
    expect(textsOf(await open(files.crash()))).toEqual([...RECORDS, 'sixth', 'seventh']);
  });

  it('a torn tail is dropped and reported', async () => {
    const files = await diskWith(RECORDS, ['sixth', 'seventh']);
    const bytes = files.peek(LOG) ?? new Uint8Array();
    files.put(LOG, bytes.slice(0, -3));
    const log = await open(files);
    expect(textsOf(log)).toEqual([...RECORDS, 'sixth']);
    expect(log.opening.dropped).toEqual({
      offset: bytes.length - 52 - 7,
      bytes: 52 + 4,
      reason: 'it ends after 56 of 59 bytes',
    });
    log.append(encode('another seventh'));
    await log.sync();
    expect(textsOf(await open(files))).toEqual([...RECORDS, 'sixth', 'another seventh']);
  });

  it('a torn tail together with a torn slot of the head is refused', async () => {
    const files = await diskWith(RECORDS);
    // The newest marker is destroyed, and only a part of the record that it covered is left.
    files.flipBit(HEAD, (4096 + 20) * 8);
    files.put(LOG, (files.peek(LOG) ?? new Uint8Array()).slice(0, -1));
    await expect(open(files)).rejects.toThrow(/journal\.log is damaged at record 5, offset/);
  });
});

describe('a framed log with an unreadable newest marker', () => {
  it('records that the lost marker may have covered survive any failing operation of the opening', async () => {
    for (let at = 0; ; at += 1) {
      for (const bytesKept of [0, 1, 40, 67]) {
        const files = await diskWith(RECORDS);
        // The marker of the last record is destroyed; the record itself is whole.
        files.flipBit(HEAD, (4096 + 20) * 8);
        const from = files.operations;
        files.failWith(({ index }) =>
          index < from + at ? undefined : { code: 'ENOSPC', bytesKept },
        );
        await open(files).catch(() => undefined);
        const done = files.operations <= from + at;
        const after = files.crash();
        expect(textsOf(await open(after)), `operation ${at}`).toEqual(RECORDS);
        if (done) return;
      }
    }
  });
});

describe('a damaged framed log', () => {
  it('a damaged log is refused with file, record, offset and advice', async () => {
    const files = await diskWith(RECORDS);
    files.flipBit(LOG, (52 + 5 + 52 + 52 + 3) * 8);
    const error = await open(files).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(LogCorruptError);
    expect(error).toMatchObject({ path: LOG, record: 3, offset: 52 + 5 + 52 });
    expect(String(error)).toMatch(
      /checksum does not match.*Nothing was changed\. Durable were 5 records in 322 bytes, of which the first 2 can be read\. Restore the \.log and \.head files together from a backup \(state\/journal\.log, state\/journal\.head\)/s,
    );
  });

  it('a truncated log is refused with the number of missing records', async () => {
    const files = await diskWith(RECORDS);
    const three = await diskWith(RECORDS.slice(0, 3));
    files.put(LOG, three.peek(LOG) ?? new Uint8Array());
    const refused = open(files);
    await expect(refused).rejects.toThrow(/at record 4, .*5 records were durable, 3 are there/);
  });

  it.each<{ name: string; damage: (files: MemoryFiles) => Promise<void> }>([
    { name: 'its head is gone', damage: (files) => files.remove(HEAD) },
    {
      name: 'both slots of its head are unreadable',
      damage: (files) => {
        files.flipBit(HEAD, 100);
        files.flipBit(HEAD, 4096 * 8 + 100);
        return Promise.resolve();
      },
    },
    { name: 'its records are gone', damage: (files) => files.remove(LOG) },
    {
      name: 'another log of the same length is in its place',
      damage: async (files) => {
        const other = await diskWith(RECORDS.map((text) => text.toUpperCase()));
        files.put(LOG, other.peek(LOG) ?? new Uint8Array());
      },
    },
  ])('is refused when $name', async ({ damage }) => {
    const files = await diskWith(RECORDS);
    await damage(files);
    await expect(open(files)).rejects.toThrow(LogCorruptError);
  });

  it('an empty log with an unreadable head starts again', async () => {
    const files = await diskWith([]);
    files.flipBit(HEAD, 100);
    const log = await open(files);
    log.append(encode('first'));
    await log.sync();
    expect(textsOf(await open(files))).toEqual(['first']);
  });

  it('a log cut at any byte never loses a durable record silently', async () => {
    const files = await diskWith(RECORDS, ['sixth', 'seventh']);
    const bytes = files.peek(LOG) ?? new Uint8Array();
    const durable = (await diskWith(RECORDS)).peek(LOG)?.length ?? 0;
    for (let size = 0; size < bytes.length; size += 1) {
      const cut = files.copy();
      cut.put(LOG, bytes.slice(0, size));
      const log = await openOrRefuse(cut);
      expect(log === undefined, `cut at ${size}`).toBe(size < durable);
      if (log !== undefined) expect(textsOf(log).slice(0, 5)).toEqual(RECORDS);
    }
  });

  it('a flipped bit never alters a durable record silently', async () => {
    const records = Array.from(
      { length: 20 },
      (_, i) => `{"type":"intent","number":${i},"pad":"${'y'.repeat(14)}"}`,
    );
    const files = await diskWith(records);
    let refused = 0;
    for (const path of [LOG, HEAD]) {
      const bits = (files.peek(path)?.length ?? 0) * 8;
      for (let bit = 0; bit < bits; bit += 1) {
        // The bytes between the slots are unused.
        if (path === HEAD && bit > 68 * 8 && bit < 4096 * 8) continue;
        const flipped = files.copy();
        flipped.flipBit(path, bit);
        const log = await openOrRefuse(flipped);
        if (log === undefined) refused += 1;
        else expect(textsOf(log), `${path} bit ${bit}`).toEqual(records);
      }
    }
    expect(refused).toBe((files.peek(LOG)?.length ?? 0) * 8);
  });
});

describe('a framed log on a failing disk', () => {
  it('a log accepts no record after a failed sync and never syncs that file again', async () => {
    const files = new MemoryFiles();
    const log = await open(files);
    let syncs = 0;
    files.failWith(({ kind }) => {
      if (kind !== 'sync') return undefined;
      syncs += 1;
      return syncs === 1 ? { code: 'EIO' } : undefined;
    });
    log.append(encode('lost'));
    await expect(log.sync()).rejects.toMatchObject({ name: 'LogWriteError', code: 'EIO' });
    expect(() => {
      log.append(encode('later'));
    }).toThrow(LogWriteError);
    await expect(log.sync()).rejects.toThrow(LogWriteError);
    await log.close();
    expect(syncs).toBe(1);
  });

  it('every sync that waits behind a failed one is rejected', async () => {
    const files = new MemoryFiles();
    const log = await open(files);
    files.failWith(({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined));
    log.append(encode('one'));
    const first = log.sync();
    await Promise.resolve();
    await Promise.resolve();
    log.append(encode('two'));
    const results = await Promise.allSettled([first, log.sync(), log.sync()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('a log does not trust the page cache after a failed sync', async () => {
    const files = await diskWith(RECORDS);
    const log = await open(files);
    files.failWith(({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined));
    log.append(encode('in the cache only'));
    await expect(log.sync()).rejects.toThrow(LogWriteError);
    files.failWith(() => undefined);
    // The process starts again and still reads the record; then the power fails.
    const again = await open(files);
    expect(textsOf(again)).toEqual([...RECORDS, 'in the cache only']);
    expect(textsOf(await open(files.crash()))).toEqual([...RECORDS, 'in the cache only']);
  });

  it('every acknowledged record survives a disk that is full at any byte', async () => {
    for (let freeBytes = 0; freeBytes < 900; freeBytes += 1) {
      const files = await diskWith(['already there']);
      const log = await open(files);
      files.fillAfter(freeBytes);
      const acknowledged = ['already there'];
      let failure: unknown;
      for (const text of RECORDS) {
        try {
          log.append(encode(text));
          await log.sync();
          acknowledged.push(text);
        } catch (error) {
          failure ??= error;
          expect(error).toMatchObject({ name: 'LogWriteError', code: 'ENOSPC' });
        }
      }
      expect(failure === undefined).toBe(acknowledged.length === 1 + RECORDS.length);
      files.failWith(() => undefined);
      const found = textsOf(await open(files.crash()));
      expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
    }
  });

  it('every acknowledged record survives a power failure at any operation', async () => {
    const cuts: readonly Crash[] = [
      {},
      { loseDirectoryEntries: true },
      { survivingBytes: (_path, unsynced) => unsynced },
      { survivingBytes: (_path, unsynced) => Math.floor(unsynced / 2), loseDirectoryEntries: true },
    ];
    for (let at = 0; ; at += 1) {
      for (const bytesKept of [0, 1, 33, 67]) {
        const { files, acknowledged, appended } = await runUntilPowerCut(at, bytesKept);
        for (const cut of cuts) {
          const found = textsOf(await open(files.crash(cut)));
          expect(found.length, `operation ${at}`).toBeGreaterThanOrEqual(acknowledged);
          expect(found).toEqual(appended.slice(0, found.length));
        }
        if (files.operations <= at) return;
      }
    }
  });

  it('synced records survive any history of syncs, power failures and restarts', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), size: fc.nat(90) }),
      fc.constant({ kind: 'sync' as const }),
      fc.record({
        kind: fc.constant('cut' as const),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let files = new MemoryFiles();
        let log = await open(files);
        let expected: string[] = [];
        let durable = 0;
        for (const [number, action] of steps.entries()) {
          if (action.kind === 'append') {
            const text = `${number}:${'z'.repeat(action.size)}`;
            log.append(encode(text));
            expected.push(text);
          } else if (action.kind === 'sync') {
            await log.sync();
            durable = expected.length;
          } else {
            // An append that the system accepted and that was never synced.
            files.failWith(({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined));
            const file = await files.openAppend(LOG);
            await file.append(new Uint8Array(Math.floor(action.share * 60)));
            files.failWith(() => undefined);
            files = files.crash({ survivingBytes: (_path, n) => Math.floor(n * action.share) });
            log = await open(files);
            const found = textsOf(log);
            expect(found.length).toBeGreaterThanOrEqual(durable);
            expect(found).toEqual(expected.slice(0, found.length));
            expected = [...found];
            durable = found.length;
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

/** The same disk, which records every operation in `operations`. */
function recorded(files: MemoryFiles, operations: string[]): Files {
  return {
    read: (path) => files.read(path),
    replace: (path, bytes) => (operations.push(`replace ${path}`), files.replace(path, bytes)),
    createExclusive: (path, bytes) => files.createExclusive(path, bytes),
    writeAt: (path, offset, bytes) => {
      operations.push(`write ${path} at ${offset}`);
      return files.writeAt(path, offset, bytes);
    },
    truncate: (path, size) => (operations.push(`truncate ${path}`), files.truncate(path, size)),
    makeDirectory: (path) => (operations.push(`make ${path}`), files.makeDirectory()),
    list: (path) => files.list(path),
    exists: (path) => files.exists(path),
    remove: (path) => files.remove(path),
    openAppend: async (path) => {
      const file = await files.openAppend(path);
      operations.push(`open ${path}`);
      return {
        ...file,
        append: (bytes) => (operations.push('append'), file.append(bytes)),
        sync: () => (operations.push('sync'), file.sync()),
        close: () => (operations.push('close'), file.close()),
      };
    },
  };
}

describe('the disk operations of a framed log', () => {
  const openRecorded = async (files: MemoryFiles) => {
    const operations: string[] = [];
    const log = await openFramedLog(recorded(files, operations), 'state', 'journal');
    return { log, operations };
  };

  it('opening without files creates a directory and two files with durable names', async () => {
    const { operations } = await openRecorded(new MemoryFiles());
    expect(operations).toEqual(['make state', `replace ${LOG}`, `replace ${HEAD}`, `open ${LOG}`]);
  });

  it('opening a whole log changes no file', async () => {
    const { log, operations } = await openRecorded(await diskWith(RECORDS));
    await log.sync();
    expect(operations).toEqual([`open ${LOG}`]);
  });

  it('opening an empty log changes no file', async () => {
    const { operations } = await openRecorded(await diskWith([]));
    expect(operations).toEqual([`open ${LOG}`]);
  });

  it('opening rewrites whole records beyond the marker, then writes their marker', async () => {
    const files = await diskWith(RECORDS, ['sixth']);
    const { log, operations } = await openRecorded(files);
    expect(operations).toEqual([`write ${LOG} at 322`, `write ${HEAD} at 0`, `open ${LOG}`]);
    expect((await open(files)).opening.unsyncedKept, 'the next time').toBe(0);
    log.append(encode('seventh'));
    await log.sync();
    expect(operations.slice(3)).toEqual(['append', 'sync', `write ${HEAD} at 4096`]);
    expect((await open(files)).opening).toMatchObject({ records: 7, unsyncedKept: 0 });
  });

  it('opening truncates a torn tail', async () => {
    const files = await diskWith(RECORDS);
    files.put(LOG, Buffer.concat([files.peek(LOG) ?? new Uint8Array(), encode('torn')]));
    const { operations } = await openRecorded(files);
    expect(operations).toEqual([`truncate ${LOG}`, `open ${LOG}`]);
  });

  it('opening rewrites a torn slot only', async () => {
    const files = await diskWith(RECORDS.slice(0, 4));
    files.flipBit(HEAD, (4096 + 20) * 8);
    const { operations } = await openRecorded(files);
    expect(operations).toEqual([`write ${HEAD} at 4096`, `open ${LOG}`]);
  });

  it('closing twice syncs once and closes the file once', async () => {
    const { log, operations } = await openRecorded(await diskWith(RECORDS));
    log.append(encode('sixth'));
    await log.close();
    await log.close();
    expect(operations.slice(1)).toEqual(['append', 'sync', `write ${HEAD} at 0`, 'close']);
    expect(() => {
      log.append(encode('seventh'));
    }).toThrow('A closed log accepts no records');
  });

  it('closing after a failure closes the file without a sync', async () => {
    const files = await diskWith(RECORDS);
    const { log, operations } = await openRecorded(files);
    files.failWith(({ kind }) => (kind === 'append' ? { code: 'ENOSPC' } : undefined));
    log.append(encode('sixth'));
    await expect(log.sync()).rejects.toThrow(LogWriteError);
    await log.close();
    expect(operations.slice(1)).toEqual(['append', 'close']);
  });

  it('a sync without new records waits for the running one', async () => {
    const { log, operations } = await openRecorded(await diskWith(RECORDS));
    log.append(encode('sixth'));
    const first = log.sync();
    while (!operations.includes('append')) await Promise.resolve();
    await log.sync();
    expect(operations).toContain(`write ${HEAD} at 0`);
    await first;
    expect(operations.filter((each) => each === 'sync')).toHaveLength(1);
  });
});

describe('a framed log that cannot be opened', () => {
  it('a log that another process writes meanwhile is closed again and refused', async () => {
    const files = await diskWith(RECORDS);
    const operations: string[] = [];
    const disk = recorded(files, operations);
    const openAppend: Files['openAppend'] = async (path) => {
      files.put(LOG, Buffer.concat([files.peek(LOG) ?? new Uint8Array(), encode('another’s')]));
      return disk.openAppend(path);
    };
    const refused = openFramedLog({ ...disk, openAppend }, 'state', 'journal');
    await expect(refused).rejects.toMatchObject({ name: 'LogCorruptError', path: LOG });
    await expect(refused).rejects.toThrow(
      `${LOG} is damaged: it changed while it was opened, so another process writes it. Nothing was changed. ` +
        'Restore the .log and .head files together from a backup; or check positions and open orders at the venue, ' +
        'cancel the open orders, then move both files away to begin with an empty log.',
    );
    expect(operations).toEqual([`open ${LOG}`, 'close']);
  });

  it.each([
    {
      what: 'a system error',
      cause: Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
      text: 'no space left on device',
      code: 'ENOSPC',
    },
    { what: 'an error without a code', cause: new Error('odd'), text: 'odd', code: undefined },
    {
      what: 'an error with another kind of code',
      cause: Object.assign(new Error('odd'), { code: 28 }),
      text: 'odd',
      code: undefined,
    },
    { what: 'a plain object', cause: { code: 'EIO' }, text: '[object Object]', code: undefined },
    { what: 'a string', cause: 'EIO', text: 'EIO', code: undefined },
  ])('the error for $what names file, cause and code', async ({ cause, text, code }) => {
    const files = recorded(await diskWith(RECORDS), []);
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a port may
    const openAppend = (): Promise<never> => Promise.reject(cause);
    const error = await openFramedLog({ ...files, openAppend }, 'state', 'journal').catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(LogWriteError);
    expect(error).toMatchObject({ code, cause, message: `${LOG} cannot be written: ${text}` });
  });

  it.each<{ what: string; damage: (files: MemoryFiles) => Promise<void>; text: string }>([
    {
      what: 'its head is gone',
      damage: (files) => files.remove(HEAD),
      text: `${HEAD} is damaged: it is missing or unreadable, and ${LOG} has 322 bytes. Nothing was changed. `,
    },
    {
      what: 'its records are gone',
      damage: (files) => files.remove(LOG),
      text: `${LOG} is damaged at record 1, offset 0: 5 records were durable, 0 are there. Nothing was changed. Durable were 5 records in 322 bytes, of which the first 0 can be read. `,
    },
    {
      what: 'another log is in its place',
      damage: async (files) => {
        const other = await diskWith(RECORDS.map((text) => text.toUpperCase()));
        files.put(LOG, other.peek(LOG) ?? new Uint8Array());
      },
      text: `${LOG} is damaged at record 5, offset 265: the last durable record is not the one that the head names. Nothing was changed. Durable were 5 records in 322 bytes, of which the first 4 can be read. `,
    },
    {
      what: 'its end and a slot are torn',
      damage: async (files) => {
        files.flipBit(HEAD, (4096 + 20) * 8);
        files.put(LOG, (files.peek(LOG) ?? new Uint8Array()).slice(0, -1));
      },
      text: `${LOG} is damaged at record 5, offset 265: it ends after 56 of 57 bytes, and a slot of ${HEAD} is unreadable. Nothing was changed. Durable were 4 records in 265 bytes, of which the first 4 can be read. `,
    },
  ])('the error when $what states the durable records and the remedy', async ({ damage, text }) => {
    const files = await diskWith(RECORDS);
    await damage(files);
    await expect(open(files)).rejects.toThrow(
      `${text}Restore the .log and .head files together from a backup (${LOG}, ${HEAD}); or check positions and open ` +
        `orders at the venue, cancel the open orders, then move both (mv ${LOG} ${HEAD} ELSEWHERE) away to begin with an empty log.`,
    );
  });
});

/** Opens an empty disk, appends and syncs. Every operation from number `at` on fails. */
async function runUntilPowerCut(at: number, bytesKept: number) {
  const files = new MemoryFiles();
  const appended: string[] = [];
  let acknowledged = 0;
  files.failWith(({ index }) => {
    if (index < at) return undefined;
    return { code: 'CUT', bytesKept: index === at ? bytesKept : 0 };
  });
  try {
    const log = await open(files);
    for (const [number, text] of RECORDS.entries()) {
      log.append(encode(text));
      appended.push(text);
      if (number % 2 === 1) continue;
      await log.sync();
      acknowledged = appended.length;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(LogWriteError);
  }
  files.failWith(() => undefined);
  return { files, acknowledged, appended };
}
