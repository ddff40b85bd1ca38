import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileLockError, type FileLock, type FileLocks } from '../../core/ports.js';
import { loadLibsql, type SqliteConnection } from './libsql.js';
import { oneMachineLocks } from './one-machine-locks.js';
import { temporaryPath } from './temporary-path.js';

/**
 * POSIX locks, or the system's own on other platforms. Node has no API for them, so SQLite takes one: it
 * begins an exclusive transaction on the file and never writes.
 */
export const nodeFileLocks: FileLocks = { exclusive };

/** Held here, because a garbage-collected connection releases its lock. */
const held = new Set<SqliteConnection>();

async function exclusive(path: string): Promise<FileLock | undefined> {
  await refuseOneMachineLocks(path);
  const lock = await tryLock(path);
  if (lock !== undefined) return lock;
  // SQLite also reports "busy" when the file system has no locks (ENOLCK).
  if (await isLockable(temporaryPath(path))) return undefined;
  throw new FileLockError(
    `the file system of ${dirname(path)} gives no locks (on NFS: is its lock service running?), so ` +
      `another process could trade from the same state. ${LOCAL_DISK_REMEDY}`,
  );
}

const LOCAL_DISK_REMEDY = 'Name a state_dir on a local disk.';

/** @returns undefined when the file is locked already, or SQLite reports it as busy */
async function tryLock(path: string): Promise<FileLock | undefined> {
  const { ino } = await stat(path, { bigint: true });
  const connection = await connect(path);
  try {
    // No SQLite journal file may appear beside the locked one.
    connection.exec('pragma journal_mode = memory');
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    const code = codeOf(error);
    if (code.startsWith('SQLITE_BUSY')) return undefined;
    throw new FileLockError(lockErrorText(path, code), { cause: error });
  }
  held.add(connection);
  return {
    fileId: String(ino),
    release() {
      if (held.delete(connection)) connection.close();
      return Promise.resolve();
    },
  };
}

async function connect(path: string): Promise<SqliteConnection> {
  const Libsql = await loadLibsql('the lock of the state folder is taken with it');
  try {
    return new Libsql(path, { timeout: 0 });
  } catch (cause) {
    const text = `${path} cannot be opened, so another process could use the same folder. It must be a file that this user may write: change its owner (chown) or mode (chmod 600)`;
    throw new FileLockError(text, { cause });
  }
}

const lockErrorText = (path: string, code: string): string =>
  LOCK_ERROR_TEXTS[code]?.(path) ??
  `${path} cannot be locked (${code}): the file system of ${dirname(path)} does not give the locks that keep a second process from trading. ${LOCAL_DISK_REMEDY}`;

const LOCK_ERROR_TEXTS: Readonly<Record<string, (path: string) => string>> = {
  SQLITE_NOTADB: (path) =>
    `${path} is not empty, so it is not the file that Sluice locks, and another process could use the folder. If no Sluice runs on this folder, remove that file`,
  SQLITE_READONLY: (path) =>
    `${path} cannot be locked: this user may not write it. Change its owner (chown) or mode (chmod 600), or name another state_dir`,
};

/**
 * Whether the file system gives locks: tries one on a new file that no other process locks.
 * @param fresh path that does not exist; removed afterwards
 */
async function isLockable(fresh: string): Promise<boolean> {
  try {
    await writeFile(fresh, '', { flag: 'wx', mode: 0o600 });
    const lock = await tryLock(fresh);
    await lock?.release();
    return lock !== undefined;
  } finally {
    await rm(fresh, { force: true });
  }
}

/** @throws FileLockError when the folder's mount options keep locks on one machine */
async function refuseOneMachineLocks(path: string): Promise<void> {
  const found = oneMachineLocks(await mountinfo(), await realpath(dirname(path)));
  if (found === undefined) return;
  throw new FileLockError(
    `${dirname(path)} lies on a network volume (${found.type}) that is mounted with ${found.option}: ` +
      `its locks exclude processes of this machine only, so another machine could trade from the same state. ` +
      `Mount it without that option, or name a state_dir on a local disk.`,
  );
}

/** The mounts of this process, see proc(5). Empty where there is no procfs: then nothing is refused. */
async function mountinfo(): Promise<string> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
