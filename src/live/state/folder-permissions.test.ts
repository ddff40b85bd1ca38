import { expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { SafetyRefusal } from '../../core/command-errors.js';
import { checkFolderPermissions } from './folder-permissions.js';

const filesOf = (writers: 'owner' | 'group' | 'everyone') =>
  Object.assign(new MemoryFiles(), { writersOf: () => Promise.resolve(writers) });

it('a folder of its owner alone, or on a disk without users, gives no warning', async () => {
  expect(await checkFolderPermissions('/state', filesOf('owner'))).toBeUndefined();
  expect(await checkFolderPermissions('/state', new MemoryFiles())).toBeUndefined();
});

it('a group-writable folder gives a warning with a shell command', async () => {
  const warning = await checkFolderPermissions("/my bot's/state", filesOf('group'));
  expect(warning).toMatchObject({ level: 'warn' });
  expect(warning?.text).toMatch(/: chmod go-w '\/my bot'\\''s\/state'$/);
});

it('a world-writable folder is refused', async () => {
  const refused = checkFolderPermissions('/state', filesOf('everyone'));
  await expect(refused).rejects.toThrow(SafetyRefusal);
  await expect(refused).rejects.toThrow(
    /may write in the state folder \/state.*: chmod go-w \/state$/,
  );
});
