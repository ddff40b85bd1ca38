import { describe, expect, it } from 'vitest';
import { oneMachineLocks } from './one-machine-locks.js';

const mounts = (...lines: readonly string[]): string =>
  ['27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard', ...lines, ''].join('\n');
const NFS = '40 27 0:50 / /srv/state rw shared:9 - nfs4 host:/vol rw,vers=4.2';

describe('a volume with locks of one machine only', () => {
  it.each([
    {
      what: 'NFS with local_lock=all',
      line: `${NFS},local_lock=all`,
      found: { type: 'nfs4', option: 'local_lock=all' },
    },
    {
      what: 'NFS 3 with nolock',
      line: '40 27 0:50 / /srv/state rw - nfs host:/vol rw,vers=3,nolock,local_lock=all',
      found: { type: 'nfs', option: 'nolock' },
    },
    {
      what: 'SMB with nobrl',
      line: '40 27 0:50 / /srv/state rw - cifs //host/vol rw,nobrl',
      found: { type: 'cifs', option: 'nobrl' },
    },
    { what: 'NFS with locks at its server', line: `${NFS},local_lock=none`, found: undefined },
    {
      what: 'NFS with flock as its only local lock',
      line: `${NFS},local_lock=flock`,
      found: undefined,
    },
    {
      what: 'a local disk with an option of that name',
      line: '40 27 8:1 / /srv/state rw - ext4 /dev/b rw,nolock',
      found: undefined,
    },
  ])('judges $what by its line', ({ line, found }) => {
    expect(oneMachineLocks(mounts(line), '/srv/state/bot')).toEqual(found);
    expect(oneMachineLocks(mounts(line), '/srv/state')).toEqual(found);
  });

  it('the mount of a path is the longest match, and the last of several equal ones', () => {
    const lines = [`${NFS},local_lock=all`, '41 40 8:1 / /srv/state/a\\040b rw - ext4 /dev/b rw'];
    expect(oneMachineLocks(mounts(...lines), '/srv/state/a b/bot')).toBeUndefined();
    expect(oneMachineLocks(mounts(...lines), '/srv/stateful')).toBeUndefined();
    expect(oneMachineLocks(mounts(...lines), '/srv/state/c')).toBeDefined();
    const covered = [`${NFS},local_lock=all`, '42 40 8:1 / /srv/state rw - ext4 /dev/b rw'];
    expect(oneMachineLocks(mounts(...covered), '/srv/state/c')).toBeUndefined();
  });

  it('a system without a list of mounts has no such volume', () => {
    expect(oneMachineLocks('', '/srv/state')).toBeUndefined();
  });
});
