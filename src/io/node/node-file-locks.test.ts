import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/rigs/cli-runner.js';
import { FileLockError } from '../../core/ports.js';
import { nodeFileLocks } from './node-file-locks.js';

const folder = temporaryFolder();
afterAll(() => {
  folder.remove();
});

let made = 0;
function emptyFile(): string {
  const directory = join(folder.path, String((made += 1)));
  mkdirSync(directory);
  const path = join(directory, 'owner.lock');
  writeFileSync(path, '');
  return path;
}

describe('a system lock', () => {
  it('the lock is granted once, also within one process, until its release', async () => {
    const path = emptyFile();
    const first = await nodeFileLocks.exclusive(path);
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    // The refused attempt closed a descriptor of the file: the lock is still held.
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    await first?.release();
    await first?.release();
    const again = await nodeFileLocks.exclusive(path);
    expect(again?.fileId).toBe(first?.fileId);
    await first?.release();
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    await again?.release();
  });

  it('a granted or refused lock leaves no other file behind', async () => {
    const path = emptyFile();
    const lock = await nodeFileLocks.exclusive(path);
    await nodeFileLocks.exclusive(path);
    expect(readdirSync(join(path, '..'))).toEqual(['owner.lock']);
    await lock?.release();
    expect(readdirSync(join(path, '..'))).toEqual(['owner.lock']);
  });

  it('the lock is refused as held beside the leftovers of another process with the same id', async () => {
    const path = emptyFile();
    const lock = await nodeFileLocks.exclusive(path);
    for (let probe = 1; probe <= 50; probe += 1)
      writeFileSync(`${path}.${process.pid}-${probe}.tmp`, '');
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    expect(readdirSync(join(path, '..'))).toHaveLength(51);
    await lock?.release();
  });

  it('a file with content is refused with a remedy', async () => {
    const path = emptyFile();
    writeFileSync(path, 'unexpected content');
    const attempt = nodeFileLocks.exclusive(path);
    await expect(attempt).rejects.toThrow(FileLockError);
    await expect(attempt).rejects.toThrow(/is not empty.*If no Sluice runs.*remove that file/);
  });

  it('a file that cannot be opened is refused with a remedy', async () => {
    const path = `${emptyFile()}.d`;
    mkdirSync(path);
    const attempt = nodeFileLocks.exclusive(path);
    await expect(attempt).rejects.toThrow(FileLockError);
    await expect(attempt).rejects.toThrow(/cannot be opened.*chown.*chmod 600/);
  });
});
