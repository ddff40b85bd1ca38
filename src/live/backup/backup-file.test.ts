import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { diskWithStored } from '../../../test/support/builders/stored-journal.js';
import type { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { SafetyRefusal, UsageError } from '../../core/command-errors.js';
import { openFramedLog } from '../../io/log/framed-log.js';
import { readJournal } from '../plan/read-journal.js';
import { gzipInline } from '../record/compressed-part.js';
import { restoreBackup, writeBackup } from './backup-file.js';
import { packTar, unpackTar } from './tar.js';

const utcMs = Date.UTC(2025, 4, 5);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const backUp = (files: MemoryFiles) =>
  writeBackup('/state', '/out.tar.gz', { files, gzip: gzipInline, utcMs });
const restore = (files: MemoryFiles, stateDir = '/new', account?: string) =>
  restoreBackup(
    '/out.tar.gz',
    { stateDir, ...(account !== undefined && { account }) },
    { files, utcMs },
  );

/** A folder as a daemon leaves it, with files of every kind. */
async function stateFolder(): Promise<MemoryFiles> {
  const files = diskWithStored('v1', 'demo');
  for (const name of ['lock', 'owner.lock', 'heartbeat.json', 'journal.reserve', 'a.tmp'])
    files.put(`/state/${name}`, text('x'));
  files.put('/state/KILL', text('pause\n'));
  files.put('/state/record/000001.20250505T000000Z.jsonl.gz', text('packed'));
  const log = await openFramedLog(files, '/state/record', '000002');
  log.append(text('event'));
  await log.close();
  return files;
}

describe('a backup', () => {
  it('holds the journal, its records and the settings, and nothing of the process that runs', async () => {
    const files = await stateFolder();
    const manifest = await backUp(files);
    expect(manifest).toMatchObject({ account: 'demo', v: 1 });
    expect(manifest.files.map(({ path }) => path)).toEqual([
      'journal.log',
      'journal.head',
      'KILL',
      'record/000002.log',
      'record/000002.head',
      'record/000001.20250505T000000Z.jsonl.gz',
    ]);
    await restore(files);
    expect(await readJournal(files, '/new')).toEqual(await readJournal(files, '/state'));
    expect(await files.read('/new/KILL')).toEqual(text('pause\n'));
    expect(await files.read('/new/restored.json')).toBeDefined();
  });

  it('ends at the last whole record of a log that is being written', async () => {
    const files = await stateFolder();
    const whole = await files.read('/state/journal.log');
    const torn = new Uint8Array([...(whole ?? []), 1, 2, 3, 4, 5]);
    files.put('/state/journal.log', torn);
    await backUp(files);
    await restore(files);
    expect(await files.read('/new/journal.log')).toEqual(whole);
  });

  it('is refused for a damaged journal, and never replaces a file', async () => {
    const files = await stateFolder();
    await backUp(files);
    await expect(backUp(files)).rejects.toThrow(UsageError);
    const log = (await files.read('/state/journal.log'))?.slice() ?? new Uint8Array();
    log[40] = (log[40] ?? 0) ^ 1;
    files.put('/state/journal.log', log);
    files.put('/out.tar.gz', text(''));
    await files.remove('/out.tar.gz');
    await expect(backUp(files)).rejects.toThrow('journal.log');
  });

  it('is read by tar', async () => {
    const files = await stateFolder();
    await backUp(files);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
    try {
      const file = join(folder, 'out.tar.gz');
      writeFileSync(file, (await files.read('/out.tar.gz')) ?? '');
      const names = execFileSync('tar', ['-tzf', file]).toString().trim().split('\n');
      expect(names).toContain('journal.log');
      expect(names[0]).toBe('manifest.json');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a restore', () => {
  it('refuses a folder with content, and leaves it as it is', async () => {
    const files = await stateFolder();
    await backUp(files);
    const before = files.paths();
    await expect(restore(files, '/state')).rejects.toThrow(SafetyRefusal);
    expect(files.paths()).toEqual(before);
  });

  it('refuses another account and a newer version', async () => {
    const files = await stateFolder();
    await backUp(files);
    await expect(restore(files, '/new', 'other')).rejects.toThrow('account demo, not other');
    await expect(restore(files, '/new', 'demo')).resolves.toMatchObject({ account: 'demo' });
    const [first, ...rest] = unpackTar(gunzipSync((await files.read('/out.tar.gz')) ?? ''));
    const manifest = JSON.parse(new TextDecoder().decode(first?.bytes)) as object;
    const newer = text(JSON.stringify({ ...manifest, journal_version: 99 }));
    const packed = gzipSync(packTar([{ path: 'manifest.json', bytes: newer }, ...rest], utcMs));
    files.put('/out.tar.gz', packed);
    await expect(restore(files, '/newer')).rejects.toThrow('newer version');
    expect(await files.exists('/newer/restored.json')).toBe(false);
  });

  it('refuses a file that was cut off, changed, or is no backup', async () => {
    const files = await stateFolder();
    await backUp(files);
    const packed = (await files.read('/out.tar.gz')) ?? new Uint8Array();
    const plain = new Uint8Array(gunzipSync(packed));
    const changed = plain.slice();
    // In the bytes of the last file.
    const at = Buffer.from(plain).lastIndexOf('packed');
    changed[at] = 0x50;
    const cases: readonly Uint8Array[] = [
      packed.slice(0, packed.length - 20),
      gzipSync(plain.slice(0, plain.length - 1_400)),
      gzipSync(changed),
      text('no archive'),
      gzipSync(packTar([{ path: 'notes.txt', bytes: text('x') }], utcMs)),
    ];
    for (const [index, bytes] of cases.entries()) {
      files.put('/out.tar.gz', bytes);
      await expect(restore(files, `/bad${index}`), `${index}`).rejects.toThrow(/no whole backup/);
      expect(await files.list(`/bad${index}`)).toEqual([]);
    }
  });

  it('refuses a name that leads out of the folder', async () => {
    const files = await stateFolder();
    await backUp(files);
    const [first, ...rest] = unpackTar(gunzipSync((await files.read('/out.tar.gz')) ?? ''));
    const manifest = JSON.parse(new TextDecoder().decode(first?.bytes)) as {
      files: { path: string }[];
    };
    const [row] = manifest.files;
    if (row !== undefined) row.path = '../escaped';
    const evil = rest.map((entry, index) =>
      index === 0 ? { ...entry, path: '../escaped' } : entry,
    );
    const own = { path: 'manifest.json', bytes: text(JSON.stringify(manifest)) };
    files.put('/out.tar.gz', gzipSync(packTar([own, ...evil], utcMs)));
    await expect(restore(files)).rejects.toThrow('no file of a state folder');
  });
});
