import { constants } from 'node:fs';
import {
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  type FileHandle,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AppendFile, Files } from '../../core/ports.js';
import { temporaryPath } from './temporary-path.js';

/** Only the owner may read the state, under any umask: it holds positions and orders. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** `Files` on the local disk. Errors are Node's own, with their `code`. */
export const nodeFiles: Files = {
  read: (path) => orUndefinedWhenMissing(readFile(path)),
  replace,
  createExclusive,
  writeAt,
  openAppend,
  truncate,
  async list(directory) {
    const names = (await orUndefinedWhenMissing(readdir(directory))) ?? [];
    return names.sort();
  },
  makeDirectory,
  exists: async (path) => (await orUndefinedWhenMissing(stat(path))) !== undefined,
  remove: (path) => rm(path, { force: true }),
  // On Windows the mode does not show the access rights.
  ...(process.platform !== 'win32' && { writersOf }),
};

const WRITE_BITS = { group: 0o020, everyone: 0o002 } as const;

async function writersOf(directory: string): Promise<'owner' | 'group' | 'everyone'> {
  const mode = (await orUndefinedWhenMissing(stat(directory)))?.mode ?? 0;
  if ((mode & WRITE_BITS.everyone) !== 0) return 'everyone';
  return (mode & WRITE_BITS.group) === 0 ? 'owner' : 'group';
}

/** Creates a directory and its parents. Node's recursive mkdir hangs on file systems such as /proc. */
async function makeDirectory(path: string): Promise<void> {
  if ((await mkdirOrCode(path)) !== 'ENOENT') return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent);
  await mkdir(path, { mode: DIRECTORY_MODE });
}

/** @returns ENOENT when the parent is missing; undefined when the directory exists */
async function mkdirOrCode(path: string): Promise<'ENOENT' | undefined> {
  try {
    await mkdir(path, { mode: DIRECTORY_MODE });
    return undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'ENOENT';
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return undefined;
    throw error;
  }
}

/** With this flag each write is durable when it returns, as after fdatasync. 0 on systems without it. */
const WRITE_THROUGH = (constants as Readonly<Record<string, number | undefined>>)['O_DSYNC'] ?? 0;

/** Runs `use` with a synced temporary file beside `path`, then removes that file. */
async function withContent<T>(
  path: string,
  bytes: Uint8Array,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = temporaryPath(path);
  try {
    await withFile(temporary, 'wx', async (file) => {
      await writeAll(file, bytes, 0);
      await file.sync();
    });
    return await use(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  await withContent(path, bytes, (temporary) => rename(temporary, path));
  await syncDirectory(dirname(path));
}

async function createExclusive(path: string, bytes: Uint8Array): Promise<boolean> {
  const created = await withContent(path, bytes, async (temporary) => {
    try {
      await link(temporary, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
  await syncDirectory(dirname(path));
  return created;
}

async function writeAt(path: string, offset: number, bytes: Uint8Array): Promise<void> {
  const { file, created } = await openOrCreate(path, constants.O_RDWR | WRITE_THROUGH);
  try {
    await writeAll(file, bytes, offset);
    if (WRITE_THROUGH === 0) await file.datasync();
  } finally {
    await file.close();
  }
  if (created) await syncDirectory(dirname(path));
}

async function truncate(path: string, size: number): Promise<void> {
  await withFile(path, 'r+', async (file) => {
    await file.truncate(size);
    await file.sync();
  });
}

async function openAppend(path: string): Promise<AppendFile> {
  const flags = constants.O_WRONLY | constants.O_APPEND | WRITE_THROUGH;
  const { file, created } = await openOrCreate(path, flags);
  try {
    if (created) await syncDirectory(dirname(path));
    return appendFileOn(file, (await file.stat()).size);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Appended bytes are written on `sync`: with O_DSYNC, write and sync are one system call. */
function appendFileOn(file: FileHandle, initialSize: number): AppendFile {
  // After a failed fsync the kernel may mark lost pages as clean: a second fsync would succeed (hazard K3).
  let failure: { readonly error: unknown } | undefined;
  let appended: Uint8Array[] = [];
  const write = async (): Promise<void> => {
    const bytes = appended;
    appended = [];
    await writeAll(file, Buffer.concat(bytes), null);
    if (WRITE_THROUGH === 0) await file.datasync();
  };
  return {
    initialSize,
    append(bytes) {
      appended.push(bytes);
      return Promise.resolve();
    },
    async sync() {
      if (failure !== undefined) throw failure.error;
      try {
        await write();
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    close: () => file.close(),
  };
}

/** Repeats short writes. @param position `null` appends */
async function writeAll(
  file: FileHandle,
  bytes: Uint8Array,
  position: number | null,
): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at);
    done += bytesWritten;
  }
}

async function openOrCreate(
  path: string,
  flags: number,
): Promise<{ readonly file: FileHandle; readonly created: boolean }> {
  const existing = await orUndefinedWhenMissing(open(path, flags));
  if (existing !== undefined) return { file: existing, created: false };
  const file = await open(path, flags | constants.O_CREAT, FILE_MODE);
  return { file, created: true };
}

async function withFile(
  path: string,
  flags: string,
  use: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, FILE_MODE);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

/** A new name is durable only after its directory is synced (hazard K7). */
const syncDirectory = (path: string): Promise<void> =>
  withFile(path, 'r', async (directory) => {
    await directory.sync();
  });

async function orUndefinedWhenMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
