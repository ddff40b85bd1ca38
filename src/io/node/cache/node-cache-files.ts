import { open, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CachedFile, CacheFiles, FileStamp } from '../../../core/ports.js';
import { nodeFiles } from '../node-files.js';
import { temporaryPath } from '../temporary-path.js';

/** Only the owner may read it: the files name the markets of the user. */
const FILE_MODE = 0o600;
const NS_PER_MS = 1_000_000n;
/** Linux moves at most 2 GiB in one call. */
const MAX_READ = 1_073_741_824;

/** `CacheFiles` on the local disk. Without a sync: after a crash of the machine a file may be empty or cut off. */
export const nodeCacheFiles: CacheFiles = {
  stampOf,
  read,
  write,
  touch: (path, utcMs) => utimes(path, utcMs / 1_000, utcMs / 1_000),
  list,
  remove: (path) => rm(path, { force: true }),
};

async function stampOf(path: string): Promise<FileStamp | undefined> {
  const found = await orUndefinedWhenMissing(stat(path, { bigint: true }));
  if (!found?.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  const changedNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  return {
    bytes: Number(size),
    identity: [dev, ino, size, mtimeNs, ctimeNs].join('-'),
    changedMs: Number(changedNs / NS_PER_MS),
  };
}

async function read(path: string): Promise<ArrayBuffer | undefined> {
  const file = await orUndefinedWhenMissing(open(path, 'r'));
  if (file === undefined) return undefined;
  try {
    const memory = new ArrayBuffer((await file.stat()).size);
    const bytes = new Uint8Array(memory);
    let done = 0;
    while (done < bytes.length) {
      const length = Math.min(bytes.length - done, MAX_READ);
      const { bytesRead } = await file.read(bytes, done, length, done);
      // Cut off since: the rest stays 0, and the checksum of the reader differs.
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return memory;
  } finally {
    await file.close();
  }
}

async function write(path: string, parts: readonly Uint8Array[]): Promise<void> {
  await nodeFiles.makeDirectory(dirname(path));
  const temporary = temporaryPath(path);
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      for (const part of parts) await writeWhole(file, part);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** One call for a column: `FileHandle.writeFile` would write it in parts of 512 KiB. */
async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0;
  while (done < bytes.length)
    done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
}

async function list(directory: string): Promise<readonly CachedFile[]> {
  const names = (await orUndefinedWhenMissing(readdir(directory))) ?? [];
  const found: CachedFile[] = [];
  for (const name of names) {
    const entry = await orUndefinedWhenMissing(stat(join(directory, name)));
    if (entry?.isFile()) found.push({ name, bytes: entry.size, usedMs: entry.mtimeMs });
  }
  return found;
}

async function orUndefinedWhenMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
