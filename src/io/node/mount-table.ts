interface Mount {
  readonly point: string;
  readonly fileSystem: string;
}

/**
 * Type of the file system under an absolute path.
 * @param mountInfo text of `/proc/self/mountinfo` (proc(5)): the mount point is field 5, and the type is the
 *   first field after ` - `
 * @returns undefined when no mount contains the path
 */
export function fileSystemOf(mountInfo: string, path: string): string | undefined {
  let found: Mount | undefined;
  for (const line of mountInfo.split('\n')) {
    const mount = mountOf(line);
    if (mount === undefined || !contains(mount.point, path)) continue;
    // A later mount on the same point hides the earlier one.
    if (found === undefined || mount.point.length >= found.point.length) found = mount;
  }
  return found?.fileSystem;
}

function mountOf(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ', 2);
  const point = before.split(' ')[4];
  const fileSystem = after.split(' ')[0];
  if (point === undefined || fileSystem === undefined || fileSystem === '') return undefined;
  return { point: unescaped(point), fileSystem };
}

/** The table writes blanks and backslashes as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\(\d{3})/g, (_all, octal: string) => String.fromCharCode(parseInt(octal, 8)));

const contains = (point: string, path: string): boolean =>
  point === '/' || path === point || path.startsWith(`${point}/`);
