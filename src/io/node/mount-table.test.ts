import { describe, expect, it } from 'vitest';
import { fileSystemOf } from './mount-table.js';

const TABLE = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1g
31 22 0:27 / /mnt/two\\040words rw - nfs4 server:/x rw
32 30 0:28 / /tmp rw - overlay overlay rw
`;

describe('the file system under a path', () => {
  it.each([
    ['/var/lib/sluice', 'ext4'],
    ['/', 'ext4'],
    ['/tmp', 'overlay'],
    ['/tmp/state', 'overlay'],
    ['/tmporary', 'ext4'],
    ['/mnt/two words/state', 'nfs4'],
  ])('the file system of %s is %s', (path, expected) => {
    expect(fileSystemOf(TABLE, path)).toBe(expected);
  });

  it('a table without a root has no answer for other paths', () => {
    expect(fileSystemOf(TABLE.split('\n').slice(1).join('\n'), '/var')).toBeUndefined();
    expect(fileSystemOf('', '/var')).toBeUndefined();
  });
});
