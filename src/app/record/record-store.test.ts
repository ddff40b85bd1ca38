import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryFiles, type Crash } from '../../../test/harness/memory-files.js';
import type { Log } from '../../core/ports.js';
import { openFramedLog } from '../../execution/log/framed-log.js';
import type { StateNote } from '../journal-store.js';
import { closePart, gzipAtOnce } from './closed-part.js';
import { partOf, partsOf, sessionNames } from './part-names.js';
import { RecordStore, type RecordOptions } from './record-store.js';
import { readSessionRecords } from './session-records.js';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 22, 12);
const PART_BYTES = 300;

class World {
  files = new MemoryFiles();
  now = NOON;
  readonly notes: StateNote[] = [];

  store(options: Partial<RecordOptions> = {}): RecordStore {
    return new RecordStore('/state', {
      files: this.files,
      clock: { utcMs: () => this.now, monotonicMs: () => this.now },
      recordPartBytes: PART_BYTES,
      note: (note) => this.notes.push(note),
      ...options,
    });
  }

  /** A session that records so many events, each synced, and then ends. */
  async session(events: number, options: Partial<RecordOptions> = {}): Promise<void> {
    const store = this.store(options);
    const log = await store.begin();
    store.tidy();
    await write(log, events);
    await log.close();
    await store.settled();
  }

  async texts(session = '000001', files = this.files): Promise<readonly string[]> {
    const records = await readSessionRecords(files, '/state', session);
    return records.map((bytes) => new TextDecoder().decode(bytes));
  }

  names(): readonly string[] {
    return this.files.paths().map((path) => path.replace('/state/record/', ''));
  }
}

const eventOf = (index: number): string => JSON.stringify({ kind: 'timer', key: `event ${index}` });
const eventsUpTo = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => eventOf(index));

async function write(log: Log, events: number): Promise<void> {
  for (const text of eventsUpTo(events)) {
    log.append(new TextEncoder().encode(text));
    await log.sync();
  }
}

describe('the record of a session', () => {
  it('goes on in another file when one is full, and reads as one', async () => {
    const world = new World();
    await world.session(20);
    expect(await world.texts()).toEqual(eventsUpTo(20));
    const parts = await partsOf('/state', world.files);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ number }) => number)).toEqual(parts.map((_, index) => index + 1));
    const closed = parts.filter(({ closedAt }) => closedAt !== undefined);
    expect(closed.length).toBeGreaterThan(2);
    expect(closed.map(({ closedAt }) => closedAt)).toEqual(closed.map(() => NOON));
    expect(world.names()).toContain('000001.20261122T120000Z.jsonl.gz');
    expect(world.notes).toEqual([]);
  });

  it('keeps of a closed part one file, which other programs can read', async () => {
    const world = new World();
    await world.session(20);
    expect(world.names().filter((name) => name.startsWith('000001.'))).toEqual([
      '000001.20261122T120000Z.jsonl.gz',
    ]);
    const packed = world.files.peek('/state/record/000001.20261122T120000Z.jsonl.gz');
    const lines = gunzipSync(packed ?? '').toString();
    expect(lines.startsWith(`${eventOf(0)}\n${eventOf(1)}\n`)).toBe(true);
  });

  it('syncs nothing of a later file before all of the earlier ones', async () => {
    const world = new World();
    const log = await world.store().begin();
    for (let index = 0; index < 40; index += 1) {
      log.append(new TextEncoder().encode(eventOf(index)));
      if (index % 7 !== 6) continue;
      const synced = log.sync();
      log.append(new TextEncoder().encode(eventOf((index += 1))));
      const found = await world.texts('000001', world.files.crash());
      expect(found).toEqual(eventsUpTo(found.length));
      await synced;
      const durable = await world.texts('000001', world.files.crash());
      expect(durable.length).toBeGreaterThanOrEqual(index);
      expect(durable).toEqual(eventsUpTo(durable.length));
    }
  });

  it('goes on in the same file, with a warning, while no other can be made', async () => {
    const world = new World();
    const log = await world.store().begin();
    world.files.failWith(({ kind, path }) =>
      kind === 'replace' && path.includes('-0002') ? { code: 'ENOSPC' } : undefined,
    );
    await write(log, 10);
    world.files.failWith(() => undefined);
    expect(await world.texts()).toEqual(eventsUpTo(10));
    expect(world.notes[0]).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('goes on in the same file') as unknown,
    });
    await log.close();
  });

  it('stays a log, with a warning, where it cannot be compressed, and is compressed later', async () => {
    const world = new World();
    await world.session(12, { gzip: () => Promise.reject(new Error('no memory')) });
    expect(world.notes[0]?.text).toBe('000001.log is not compressed yet: no memory');
    expect(await world.texts()).toEqual(eventsUpTo(12));
    await world.session(1);
    const parts = await partsOf('/state', world.files);
    const first = parts.filter(({ session }) => session === '000001');
    expect(first.every(({ closedAt }) => closedAt !== undefined)).toBe(true);
    expect(await world.texts()).toEqual(eventsUpTo(12));
  });

  it('fails a sync for ever once a file could not be written', async () => {
    const world = new World();
    const log = await world.store().begin();
    await write(log, 4);
    world.files.failWith(({ kind }) => (kind === 'append' ? { code: 'EIO' } : undefined));
    await expect(write(log, 20)).rejects.toMatchObject({ code: 'EIO' });
    world.files.failWith(() => undefined);
    await expect(log.sync()).rejects.toMatchObject({ code: 'EIO' });
  });
});

describe('what earlier sessions left', () => {
  it('is compressed by the next start, also the log of a version that did not rotate', async () => {
    const world = new World();
    const old = await openFramedLog(world.files, '/state/record', '000007');
    await write(old, 50);
    await old.close();
    await world.session(1);
    expect(await world.texts('000007')).toEqual(eventsUpTo(50));
    expect(world.names().filter((name) => name.startsWith('000007'))).toHaveLength(1);
    expect(await sessionNames('/state', world.files)).toEqual(['000007', '000008']);
  });

  it('is deleted as a whole when all of it is older than is kept', async () => {
    const world = new World();
    await world.session(20);
    world.now += 10 * DAY_MS;
    // Its start closes what the first one left open: that has an age from now on.
    await world.session(20);
    world.now += 5 * DAY_MS;
    await world.session(1, { keepDays: 6 });
    expect(await sessionNames('/state', world.files)).toEqual(['000001', '000002', '000003']);
    world.now += 2 * DAY_MS;
    await world.session(1, { keepDays: 6 });
    expect(await sessionNames('/state', world.files)).toEqual(['000002', '000003', '000004']);
    expect(world.names().filter((name) => name.startsWith('000001'))).toEqual([]);
    expect(await world.texts('000002')).toEqual(eventsUpTo(20));
  });

  it('is kept while a part of it is young enough, since a replay begins with its first', async () => {
    const world = new World();
    const store = world.store({ keepDays: 14 });
    const log = await store.begin();
    await write(log, 10);
    world.now += 20 * DAY_MS;
    await write(log, 10);
    await log.close();
    await world.session(1, { keepDays: 14 });
    expect(await sessionNames('/state', world.files)).toEqual(['000001', '000002']);
    expect(await world.texts()).toHaveLength(20);
  });

  it('is left as it is, with a warning, where it is damaged', async () => {
    const world = new World();
    await world.session(3);
    world.files.flipBit('/state/record/000001.log', 600);
    const damaged = world.files.peek('/state/record/000001.log');
    await world.session(1);
    expect(world.notes[0]?.text).toMatch(/^000001\.log stays as it is: .* is damaged/);
    expect(world.files.peek('/state/record/000001.log')).toEqual(damaged);
  });

  it('tells of damage of a closed part instead of reading less', async () => {
    const world = new World();
    await world.session(20);
    const path = '/state/record/000001.20261122T120000Z.jsonl.gz';
    const bytes = world.files.peek(path) ?? new Uint8Array();
    for (let size = 0; size < bytes.length; size += 1) {
      world.files.put(path, bytes.slice(0, size));
      await expect(world.texts(), `cut at ${size}`).rejects.toThrow('is damaged');
    }
  });
});

describe('a record that is cut off', () => {
  const cuts: readonly Crash[] = [
    {},
    { forgetNames: true },
    { keep: (_path, unsynced) => unsynced },
    { keep: (_path, unsynced) => Math.floor(unsynced / 2), forgetNames: true },
  ];

  it('at any step of a rotation or compression keeps all that was durable, and is tidied later', async () => {
    for (let at = 0; ; at += 1) {
      const world = new World();
      const log = await world.store().begin();
      const from = world.files.operations;
      world.files.failWith(({ index }) =>
        index < from + at ? undefined : { code: 'CUT', bytesKept: index === from + at ? 5 : 0 },
      );
      let synced = 0;
      try {
        for (const text of eventsUpTo(14)) {
          log.append(new TextEncoder().encode(text));
          await log.sync();
          synced += 1;
        }
      } catch {
        // The process is dead from here on.
      }
      for (const cut of cuts) {
        const after = new World();
        after.files = world.files.crash(cut);
        const found = await after.texts();
        expect(found, `step ${at}`).toEqual(eventsUpTo(found.length));
        expect(found.length, `step ${at}`).toBeGreaterThanOrEqual(synced);
        await after.session(1);
        expect(await after.texts(), `step ${at}`).toEqual(found);
        const left = after.names().filter((name) => /^000001.*\.(log|head)$/.test(name));
        expect(left, `step ${at}`).toEqual([]);
      }
      if (synced === 14) return;
    }
  });

  it('between the two files of a part that was compressed is read once', async () => {
    const world = new World();
    const log = await openFramedLog(world.files, '/state/record', '000001');
    await write(log, 5);
    await log.close();
    const removing = new Proxy(world.files, {
      get: (target, name) =>
        name === 'remove'
          ? () => Promise.reject(new Error('killed'))
          : (Reflect.get(target, name, target) as (...args: unknown[]) => unknown).bind(target),
    });
    const ports = { files: removing, gzip: gzipAtOnce, utcMs: () => NOON };
    const closing = closePart(ports, '/state/record', { stem: '000001' });
    await expect(closing).rejects.toThrow('killed');
    expect(world.names()).toHaveLength(3);
    expect(await world.texts()).toEqual(eventsUpTo(5));
    await world.session(1);
    expect(world.names().filter((name) => name.startsWith('000001'))).toHaveLength(1);
  });
});

describe('the name of a part', () => {
  it.each([
    ['000001.log', { session: '000001', number: 1, stem: '000001' }],
    ['000001-0012.log', { session: '000001', number: 12, stem: '000001-0012' }],
    [
      '1000000-10000.20261122T120000Z.jsonl.gz',
      { session: '1000000', number: 10_000, stem: '1000000-10000', closedAt: NOON },
    ],
  ])('%s tells its session and number', (file, expected) => {
    expect(partOf(file)).toEqual({ ...expected, file });
  });

  it.each(['000001.head', '1.log', '000001-2.log', '000001.jsonl.gz', '000001.log.tmp', 'x'])(
    '%s is none',
    (file) => {
      expect(partOf(file)).toBeUndefined();
    },
  );
});
