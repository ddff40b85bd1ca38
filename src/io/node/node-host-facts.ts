import { lookup } from 'node:dns/promises';
import { lstat, readFile, realpath, statfs } from 'node:fs/promises';
import { url as inspectorUrl } from 'node:inspector';
import { dirname, resolve } from 'node:path';
import type { DiskFacts, FileAccess, HostFacts, ResolveHost } from '../../core/host-facts.js';
import { codeOf } from '../../core/system-error.js';
import { fileSystemOf } from './mount-table.js';

const PERMISSIONS = 0o777;

/** From Node and procfs. Without procfs, limits and disks are unknown. */
export const nodeHostFacts: HostFacts = {
  nodeArguments: process.execArgv,
  programArguments: process.argv.slice(2),
  userId: process.getuid?.(),
  isInspected: () => inspectorUrl() !== undefined,
  async coreDumpLimit() {
    const limits = await procFile('limits');
    return /^Max core file size +(\S+)/m.exec(limits ?? '')?.[1];
  },
  async diskOf(path): Promise<DiskFacts | undefined> {
    const mountInfo = await procFile('mountinfo');
    if (mountInfo === undefined) return undefined;
    const existing = await nearestExisting(resolve(path));
    const fileSystem = fileSystemOf(mountInfo, existing);
    if (fileSystem === undefined) return undefined;
    const { bavail, bsize } = await statfs(existing);
    return { fileSystem, freeBytes: bavail * bsize };
  },
  async fileAccess(path): Promise<FileAccess | undefined> {
    try {
      const stat = await lstat(path);
      const kind = stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : 'other';
      return { kind, owner: stat.uid, permissions: stat.mode & PERMISSIONS };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
};

/** By the system's resolver: hosts file, then DNS. */
export const nodeResolveHost: ResolveHost = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

async function procFile(name: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/self/${name}`, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function nearestExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || path === '/') throw error;
    return nearestExisting(dirname(path));
  }
}

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
