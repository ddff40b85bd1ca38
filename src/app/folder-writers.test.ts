import { expect, it } from 'vitest';
import { MemoryFiles } from '../../test/harness/memory-files.js';
import { SafetyRefusal } from './failure.js';
import { refuseSharedFolder } from './folder-writers.js';

const filesOf = (writers: 'owner' | 'group' | 'everyone') =>
  Object.assign(new MemoryFiles(), { writersOf: () => Promise.resolve(writers) });

it('says nothing of a folder that is its owner’s alone, or on a disk without users', async () => {
  expect(await refuseSharedFolder('/state', filesOf('owner'))).toBeUndefined();
  expect(await refuseSharedFolder('/state', new MemoryFiles())).toBeUndefined();
});

it('warns of the group, with a command that a shell takes as it stands', async () => {
  const warning = await refuseSharedFolder("/my bot's/state", filesOf('group'));
  expect(warning).toMatchObject({ level: 'warn' });
  expect(warning?.text).toMatch(/: chmod go-w '\/my bot'\\''s\/state'$/);
});

it('refuses where everyone may write', async () => {
  const refused = refuseSharedFolder('/state', filesOf('everyone'));
  await expect(refused).rejects.toThrow(SafetyRefusal);
  await expect(refused).rejects.toThrow(
    /may write in the state folder \/state.*: chmod go-w \/state$/,
  );
});
