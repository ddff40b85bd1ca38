import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemoryFiles, type Crash } from '../../../test/support/fakes/memory-files.js';
import type { AppendLog } from '../../core/ports.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import type { StateNote } from '../state/journal-store.js';
import { compressPart, gzipInline } from './compressed-part.js';
import { parsePartName, listParts, sessionNames } from './part-names.js';
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

  /** A session that records a number of events, each synced, and then ends. */
  async session(events: number, options: Partial<RecordOptions> = {}): Promise<void> {
    const store = this.store(options);
    const log = await store.start();
    store.startMaintenance();
    await write(log, events);
    await log.close();
    await store.maintenanceDone();
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

async function write(log: AppendLog, events: number): Promise<void> {
  for (const text of eventsUpTo(events)) {
    log.append(new TextEncoder().encode(text));
    await log.sync();
  }
}

describe('the record of a session', () => {
  it('a record continues in another file when one is full, and reads as one', async () => {
    const world = new World();
    await world.session(20);
    expect(await world.texts()).toEqual(eventsUpTo(20));
    const parts = await listParts('/state', world.files);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ number }) => number)).toEqual(parts.map((_, index) => index + 1));
    const closed = parts.filter(({ closedAt }) => closedAt !== undefined);
    expect(closed.length).toBeGreaterThan(2);
    expect(closed.map(({ closedAt }) => closedAt)).toEqual(closed.map(() => NOON));
    expect(world.names()).toContain('000001.20261122T120000Z.jsonl.gz');
    expect(world.notes).toEqual([]);
  });

  it('a closed part is one file that other programs can read', async () => {
    const world = new World();
    await world.session(20);
    expect(world.names().filter((name) => name.startsWith('000001.'))).toEqual([
      '000001.20261122T120000Z.jsonl.gz',
    ]);
    const packed = world.files.peek('/state/record/000001.20261122T120000Z.jsonl.gz');
    const lines = gunzipSync(packed ?? '').toString();
    expect(lines.startsWith(`${eventOf(0)}\n${eventOf(1)}\n`)).toBe(true);
  });

  it('no later file is synced before all earlier ones', async () => {
    const world = new World();
    const log = await world.store().start();
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

  it('a record continues in the same file, with a warning, while no other can be created', async () => {
    const world = new World();
    const log = await world.store().start();
    world.files.failWith(({ kind, path }) =>
      kind === 'replace' && path.includes('-0002') ? { code: 'ENOSPC' } : undefined,
    );
    await write(log, 10);
    world.files.failWith(() => undefined);
    expect(await world.texts()).toEqual(eventsUpTo(10));
    expect(world.notes[0]).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('continues in the same file') as unknown,
    });
    await log.close();
  });

  it('a part that cannot be compressed stays a log, with a warning, and is compressed later', async () => {
    const world = new World();
    await world.session(12, { gzip: () => Promise.reject(new Error('no memory')) });
    expect(world.notes[0]?.text).toBe('000001.log is not compressed yet: no memory');
    expect(await world.texts()).toEqual(eventsUpTo(12));
    await world.session(1);
    const parts = await listParts('/state', world.files);
    const first = parts.filter(({ session }) => session === '000001');
    expect(first.every(({ closedAt }) => closedAt !== undefined)).toBe(true);
    expect(await world.texts()).toEqual(eventsUpTo(12));
  });

  it('every sync fails once a file could not be written', async () => {
    const world = new World();
    const log = await world.store().start();
    await write(log, 4);
    world.files.failWith(({ kind }) => (kind === 'append' ? { code: 'EIO' } : undefined));
    await expect(write(log, 20)).rejects.toMatchObject({ code: 'EIO' });
    world.files.failWith(() => undefined);
    await expect(log.sync()).rejects.toMatchObject({ code: 'EIO' });
  });
});

describe('the record of previous sessions', () => {
  it('the next start compresses it, also the log of a version without rotation', async () => {
    const world = new World();
    const old = await openFramedLog(world.files, '/state/record', '000007');
    await write(old, 50);
    await old.close();
    await world.session(1);
    expect(await world.texts('000007')).toEqual(eventsUpTo(50));
    expect(world.names().filter((name) => name.startsWith('000007'))).toHaveLength(1);
    expect(await sessionNames('/state', world.files)).toEqual(['000007', '000008']);
  });

  it('a session is deleted as a whole when all of it has expired', async () => {
    const world = new World();
    await world.session(20);
    world.now += 10 * DAY_MS;
    // The next start closes the part that the first one left open: from now on it has an age.
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

  it('a session is kept while one part has not expired, because a replay starts with its first part', async () => {
    const world = new World();
    const store = world.store({ keepDays: 14 });
    const log = await store.start();
    await write(log, 10);
    world.now += 20 * DAY_MS;
    await write(log, 10);
    await log.close();
    await world.session(1, { keepDays: 14 });
    expect(await sessionNames('/state', world.files)).toEqual(['000001', '000002']);
    expect(await world.texts()).toHaveLength(20);
  });

  it('a damaged part is left unchanged, with a warning', async () => {
    const world = new World();
    await world.session(3);
    world.files.flipBit('/state/record/000001.log', 600);
    const damaged = world.files.peek('/state/record/000001.log');
    await world.session(1);
    expect(world.notes[0]?.text).toMatch(/^000001\.log stays as it is: .* is damaged/);
    expect(world.files.peek('/state/record/000001.log')).toEqual(damaged);
  });

  it('a damaged closed part is an error, not a shorter read', async () => {
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

describe('an interrupted record', () => {
  const cuts: readonly Crash[] = [
    {},
    { loseDirectoryEntries: true },
    { survivingBytes: (_path, unsynced) => unsynced },
    { survivingBytes: (_path, unsynced) => Math.floor(unsynced / 2), loseDirectoryEntries: true },
  ];

  it('a crash at any step of a rotation or compression loses nothing durable, and is repaired later', async () => {
    for (let at = 0; ; at += 1) {
      const world = new World();
      const log = await world.store().start();
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

  it('a part whose log and compressed file both exist is read once', async () => {
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
    const ports = { files: removing, gzip: gzipInline, utcMs: () => NOON };
    const closing = compressPart(ports, '/state/record', { stem: '000001' });
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
  ])('%s names its session and number', (file, expected) => {
    expect(parsePartName(file)).toEqual({ ...expected, file });
  });

  it.each(['000001.head', '1.log', '000001-2.log', '000001.jsonl.gz', '000001.log.tmp', 'x'])(
    '%s is none',
    (file) => {
      expect(parsePartName(file)).toBeUndefined();
    },
  );
});
