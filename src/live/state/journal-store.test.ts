import { describe, expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { diskWithStored } from '../../../test/support/builders/stored-journal.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { recoveredHash } from '../../execution/journal/journal-compaction.js';
import { encodeJournalRecord, type JournalRecord } from '../../execution/journal/journal-record.js';
import { readJournalHistory, segmentAt } from './journal-history.js';
import { COMPACT_AFTER, JournalStore } from './journal-store.js';

const ACCOUNT = 'demo';
const storeOf = (files: MemoryFiles, compactAfter?: number): JournalStore =>
  new JournalStore({
    files,
    directory: '/state',
    account: ACCOUNT,
    ...(compactAfter !== undefined && { compactAfter }),
  });
const note = (text: string): JournalRecord => ({ type: 'note', venueTime: 1, level: 'info', text });

/** Adds notes as a run would. @returns records ever journaled */
async function run(files: MemoryFiles, notes: number): Promise<number> {
  const { log } = await storeOf(files).open();
  for (let at = 0; at < notes; at += 1) log.append(encodeJournalRecord(note(`${at}`)));
  await log.close();
  const { totalRecords } = await storeOf(files).open();
  return totalRecords;
}

describe('the journal of a state folder', () => {
  it('a short journal stays unchanged', async () => {
    const files = diskWithStored('v1', 'demo');
    const { log } = await storeOf(files).openCompacted();
    expect(log.base).toBeUndefined();
    expect(files.paths()).toEqual(['/state/journal.head', '/state/journal.log']);
  });

  it('a journal is compacted after a number of records since the last time, and starts the same', async () => {
    const files = diskWithStored('v1', 'demo');
    const before = await storeOf(files.copy()).open();
    const store = storeOf(files, before.records.length);
    const after = await store.openCompacted();
    expect(after.log.base).toMatchObject({ number: 1, recordsBefore: before.records.length });
    expect(after.totalRecords).toBe(before.totalRecords);
    expect(after.records.length).toBeLessThan(before.records.length);
    expect(recoveredHash(after.records, ACCOUNT)).toBe(recoveredHash(before.records, ACCOUNT));
    expect(store.notes).toMatchObject([{ level: 'info', text: 'the journal was compacted' }]);
    await after.log.close();
    const again = await storeOf(files, before.records.length).openCompacted();
    expect(again.log.base?.number, 'nothing was added since').toBe(1);
  });

  it('a start leaves a compaction to the stop after it', async () => {
    const files = diskWithStored('v1', 'demo');
    await run(files, COMPACT_AFTER);
    const started = await storeOf(files).openCompacted();
    expect(started.log.base, 'the previous run was killed').toBeUndefined();
    await started.log.close();
    const store = storeOf(files);
    await store.compactIfDue(started.log);
    expect(store.notes).toMatchObject([{ level: 'info', text: 'the journal was compacted' }]);
    const { log } = await storeOf(files).open();
    expect(log.base).toMatchObject({ number: 1, recordsBefore: started.totalRecords });
  });

  it('a journal without disk space for a compaction stays uncompacted, with a warning', async () => {
    const files = diskWithStored('v1', 'demo');
    const whole = files.peek('/state/journal.log');
    files.failWith(({ kind }) => (kind === 'replace' ? { code: 'ENOSPC' } : undefined));
    const store = storeOf(files, 10);
    const { records } = await store.openCompacted();
    expect(records.length).toBeGreaterThan(10);
    expect(files.peek('/state/journal.log')).toEqual(whole);
    expect(store.notes).toMatchObject([{ level: 'warn', text: /was not compacted: .*ENOSPC/ }]);
  });

  it('the records are validated before anything is changed', async () => {
    const files = diskWithStored('v1', 'demo');
    const whole = files.peek('/state/journal.log');
    const opening = storeOf(files, 10).openCompacted(() => {
      throw new Error('not ours');
    });
    await expect(opening).rejects.toThrow('not ours');
    expect(files.peek('/state/journal.log')).toEqual(whole);
  });

  it('a journal is complete after a power cut at any operation of its compaction', async () => {
    const hashAt = async (files: MemoryFiles) => {
      const { records, totalRecords, log } = await storeOf(files).open();
      await log.close();
      return [totalRecords, recoveredHash(records, ACCOUNT)];
    };
    const expected = await hashAt(diskWithStored('v1', 'demo'));
    for (let at = 0; ; at += 1) {
      const files = diskWithStored('v1', 'demo');
      files.failWith(({ index }) => (index >= at ? { code: 'CUT', bytesKept: 20 } : undefined));
      await storeOf(files, 10)
        .openCompacted()
        .catch(() => undefined);
      const after = files.crash({ loseDirectoryEntries: true });
      expect(await hashAt(after), `operation ${at}`).toEqual(expected);
      const again = await storeOf(after, 10).openCompacted();
      expect([again.totalRecords, recoveredHash(again.records, ACCOUNT)]).toEqual(expected);
      if (files.operations <= at) return;
    }
  });

  it('an unreadable record is named with its file, and the file is closed', async () => {
    const files = new MemoryFiles();
    const log = await openFramedLog(files, '/state', 'journal');
    log.append(encodeJournalRecord(note('one')));
    log.append(new TextEncoder().encode('{"v":9,"type":"note"}'));
    await log.close();
    await expect(storeOf(files).open()).rejects.toThrow(
      '/state/journal.log, record 2: Journal record of version 9; this version reads 1 to 2',
    );
  });

  it('the notes name the records dropped and recovered after the last sync marker', async () => {
    const files = diskWithStored('v1', 'demo');
    const whole = files.peek('/state/journal.log') ?? new Uint8Array();
    const head = files.peek('/state/journal.head') ?? new Uint8Array();
    await run(files, 2);
    const longer = files.peek('/state/journal.log') ?? new Uint8Array();
    files.put('/state/journal.head', head);
    files.put('/state/journal.log', longer.slice(0, -1));
    const store = storeOf(files);
    await store.open();
    expect(longer.length).toBeGreaterThan(whole.length);
    expect(store.notes).toMatchObject([
      { level: 'warn', text: /never acknowledged are dropped/ },
      { level: 'info', text: 'recovered 1 complete record written after the last sync marker' },
    ]);
  });
});

describe('the history of a journal', () => {
  it('the history has every record ever journaled, by its number', async () => {
    const files = diskWithStored('v1', 'demo');
    const { records } = await storeOf(files.copy()).open();
    for (let time = 0; time < 3; time += 1) {
      await run(files, 5);
      await (await storeOf(files, 5).openCompacted()).log.close();
    }
    const total = await run(files, 2);
    const segments = await readJournalHistory(files, '/state');
    expect(segments.map(({ name }) => name)).toEqual([
      'journal-000001',
      'journal-000002',
      'journal-000003',
      'journal',
    ]);
    const recordsAtStart = records.length;
    expect(segments.map(({ first, end }) => [first, end])).toEqual([
      [0, recordsAtStart + 5],
      [recordsAtStart + 5, recordsAtStart + 10],
      [recordsAtStart + 10, recordsAtStart + 15],
      [recordsAtStart + 15, total],
    ]);
    for (const { first, end, own } of segments) expect(own).toHaveLength(end - first);
    expect(segmentAt(segments, recordsAtStart + 5)?.name).toBe('journal-000002');
    expect(segmentAt(segments, recordsAtStart + 4)?.name).toBe('journal-000001');
  });

  it('every archive is kept, and removed ones are detected', async () => {
    const files = diskWithStored('v1', 'demo');
    const times = 13;
    for (let time = 0; time < times; time += 1) {
      await run(files, 5);
      await (await storeOf(files, 5).openCompacted()).log.close();
    }
    const names = files.paths().filter((path) => /journal-\d+\.log$/.test(path));
    expect(names).toHaveLength(times);
    expect(await readJournalHistory(files, '/state')).toHaveLength(times + 1);
    for (const name of names.slice(0, 3)) {
      for (const path of [name, name.replace('.log', '.head')]) await files.remove(path);
    }
    const segments = await readJournalHistory(files, '/state');
    expect(segments).toHaveLength(times - 2);
    expect(segmentAt(segments, 3)).toBeUndefined();
  });

  it('an archive that does not match the next one is refused', async () => {
    const files = diskWithStored('v1', 'demo');
    await (await storeOf(files, 5).openCompacted()).log.close();
    const short = await openFramedLog(new MemoryFiles(), '/state', 'x');
    await short.close();
    diskWithStored('v1', 'every-record', '/other', files);
    for (const ending of ['log', 'head']) {
      files.put(
        `/state/journal-000001.${ending}`,
        files.peek(`/other/journal.${ending}`) ?? new Uint8Array(),
      );
    }
    await expect(readJournalHistory(files, '/state')).rejects.toThrow(
      /journal-000001\.log is damaged/,
    );
  });
});
