import { statSync, type Stats } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Folders } from '../../core/ports.js';

/** `Folders` on the local disk. */
export const nodeFolders: Folders = {
  rename: renameFolder,
  remove: (path) => rm(path, { recursive: true, force: true }),
  stampsOf,
  changedAt: async (path) => statOf(path)?.mtimeMs,
};

/** A directory does not replace one that holds something, or a file. */
const IN_THE_WAY: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM']);

async function renameFolder(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
  } catch (error) {
    if (IN_THE_WAY.has(codeOf(error)) && statSync(to, { throwIfNoEntry: false }) !== undefined)
      return false;
    throw error;
  }
  await syncDirectory(dirname(to));
  return true;
}

/** A new name is durable only after its directory is synced (hazard K7). */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function stampsOf(directory: string, file: string): Promise<ReadonlyMap<string, string>> {
  const stamps = new Map<string, string>();
  for (const name of await namesIn(directory)) {
    // In one thread and at once: ten thousand promises take five times as long.
    const found = statOf(`${directory}/${name}/${file}`);
    if (found?.isFile() === true) stamps.set(name, `${found.size}-${found.mtimeMs}`);
  }
  return stamps;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file beside the folders.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
