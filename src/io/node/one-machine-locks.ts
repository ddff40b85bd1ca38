/** Mount options under which the locks of a network volume are local to the mounting machine. */
const ONE_MACHINE: Readonly<Record<string, readonly string[]>> = {
  nfs: ['nolock', 'local_lock=all', 'local_lock=posix'],
  nfs4: ['nolock', 'local_lock=all', 'local_lock=posix'],
  cifs: ['nobrl', 'nolock', 'forcemandatorylock'],
  smb3: ['nobrl', 'nolock', 'forcemandatorylock'],
};

export interface OneMachineLocks {
  /** Type of the file system. */
  readonly type: string;
  readonly option: string;
}

/**
 * Detects a volume on which two machines could both lock the same file.
 * @param mountinfo content of `/proc/self/mountinfo`, see proc(5)
 * @param path absolute, without symbolic links
 * @returns undefined if no mount option says so
 */
export function oneMachineLocks(mountinfo: string, path: string): OneMachineLocks | undefined {
  const mounts = mountinfo.split('\n').flatMap(mountOf);
  // Of several mounts on the same path the last one covers the others.
  const holding = mounts.filter(({ at }) => isBelow(path, at));
  const longest = Math.max(...holding.map(({ at }) => at.length));
  const mount = holding.findLast(({ at }) => at.length === longest);
  if (mount === undefined) return undefined;
  const option = mount.options.find((each) => ONE_MACHINE[mount.type]?.includes(each));
  return option === undefined ? undefined : { type: mount.type, option };
}

interface Mount {
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** `36 35 98:0 /root /mnt rw,noatime master:1 - nfs4 server:/vol rw,local_lock=none` */
function mountOf(line: string): readonly Mount[] {
  const [place = '', system = ''] = line.split(' - ');
  const [, , , , at, own = ''] = place.split(' ');
  const [type, , options = ''] = system.split(' ');
  if (at === undefined || type === undefined || type === '') return [];
  return [{ at: unescaped(at), type, options: [...own.split(','), ...options.split(',')] }];
}

/** proc(5) escapes blanks as `\040`. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));

const isBelow = (path: string, at: string): boolean =>
  at === '/' || path === at || path.startsWith(`${at}/`);
