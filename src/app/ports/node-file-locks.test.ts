import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/harness/command-line.js';
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

describe('a lock of the system', () => {
  it('is given once, also to one process, until it is let go of', async () => {
    const path = emptyFile();
    const first = await nodeFileLocks.exclusive(path);
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    // The refused try has closed a descriptor of the file: the lock stands all the same.
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    await first?.release();
    await first?.release();
    const again = await nodeFileLocks.exclusive(path);
    expect(again?.fileId).toBe(first?.fileId);
    await first?.release();
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    await again?.release();
  });

  it('leaves nothing beside its file, whether it was given or not', async () => {
    const path = emptyFile();
    const lock = await nodeFileLocks.exclusive(path);
    await nodeFileLocks.exclusive(path);
    expect(readdirSync(join(path, '..'))).toEqual(['owner.lock']);
    await lock?.release();
    expect(readdirSync(join(path, '..'))).toEqual(['owner.lock']);
  });

  it('is refused as held beside what another process of the same number left', async () => {
    const path = emptyFile();
    const lock = await nodeFileLocks.exclusive(path);
    for (let probe = 1; probe <= 50; probe += 1)
      writeFileSync(`${path}.${process.pid}-${probe}.tmp`, '');
    expect(await nodeFileLocks.exclusive(path)).toBeUndefined();
    expect(readdirSync(join(path, '..'))).toHaveLength(51);
    await lock?.release();
  });

  it('is not judged on a file that holds something, and names the remedy', async () => {
    const path = emptyFile();
    writeFileSync(path, 'somebody wrote here');
    const asked = nodeFileLocks.exclusive(path);
    await expect(asked).rejects.toThrow(FileLockError);
    await expect(asked).rejects.toThrow(/is not empty.*If no Sluice runs.*remove that file/);
  });

  it('is refused with a remedy where the file cannot be opened', async () => {
    const path = `${emptyFile()}.d`;
    mkdirSync(path);
    const asked = nodeFileLocks.exclusive(path);
    await expect(asked).rejects.toThrow(FileLockError);
    await expect(asked).rejects.toThrow(/cannot be opened.*chown.*chmod 600/);
  });
});
