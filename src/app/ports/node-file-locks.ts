import { readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileLockError, type FileLock, type FileLocks } from '../../core/ports.js';
import { loadLibsql, type Connection } from '../libsql.js';
import { oneMachineLocks } from './one-machine-locks.js';
import { temporaryPath } from './temporary-path.js';

/**
 * POSIX locks (elsewhere the system's own), which Node does not give: SQLite takes one for a
 * transaction that excludes all others, of which nothing is ever written.
 */
export const nodeFileLocks: FileLocks = { exclusive };

/** A connection that is collected as garbage would let go of its lock. */
const held = new Set<Connection>();

async function exclusive(path: string): Promise<FileLock | undefined> {
  await refuseOneMachineLocks(path);
  const lock = await take(path);
  if (lock !== undefined) return lock;
  // SQLite says "busy" also where the system has no locks to give (ENOLCK).
  if (await isLockable(temporaryPath(path))) return undefined;
  throw new FileLockError(
    `the file system of ${dirname(path)} gives no locks (on NFS: is its lock service running?), so ` +
      `that nobody can tell whether another process trades from it. ${ELSEWHERE}`,
  );
}

const ELSEWHERE = 'Name a state_dir on a local disk.';

/** @returns undefined where it is locked already, or seems so */
async function take(path: string): Promise<FileLock | undefined> {
  const { ino } = await stat(path, { bigint: true });
  const connection = await connect(path);
  try {
    connection.exec('pragma journal_mode = memory');
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    const code = codeOf(error);
    if (code.startsWith('SQLITE_BUSY')) return undefined;
    throw new FileLockError(unlocked(path, code), { cause: error });
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

async function connect(path: string): Promise<Connection> {
  const Libsql = await loadLibsql('the lock of the state folder is taken with it');
  try {
    return new Libsql(path, { timeout: 0 });
  } catch (cause) {
    const text = `${path} cannot be opened, so that nobody can tell whether the folder is in use. It must be a file that this user may write: change its owner (chown) or mode (chmod 600)`;
    throw new FileLockError(text, { cause });
  }
}

const unlocked = (path: string, code: string): string =>
  MEANING[code]?.(path) ??
  `${path} cannot be locked (${code}): the file system of ${dirname(path)} does not give the locks that keep a second process from trading. ${ELSEWHERE}`;

const MEANING: Readonly<Record<string, (path: string) => string>> = {
  SQLITE_NOTADB: (path) =>
    `${path} is not empty, so it is not the file that Sluice locks, and nobody can tell whether the folder is in use. If no Sluice runs on this folder, remove that file`,
  SQLITE_READONLY: (path) =>
    `${path} cannot be locked: this user may not write it. Change its owner (chown) or mode (chmod 600), or name another state_dir`,
};

async function isLockable(fresh: string): Promise<boolean> {
  try {
    await writeFile(fresh, '', { flag: 'wx', mode: 0o600 });
    const lock = await take(fresh);
    await lock?.release();
    return lock !== undefined;
  } finally {
    await rm(fresh, { force: true });
  }
}

async function refuseOneMachineLocks(path: string): Promise<void> {
  const found = oneMachineLocks(await mountinfo(), await realpath(dirname(path)));
  if (found === undefined) return;
  throw new FileLockError(
    `${dirname(path)} lies on a network volume (${found.type}) that is mounted with ${found.option}: ` +
      `its locks hold on this machine alone, so that another one could trade from the same state. ` +
      `Mount it without that option, or name a state_dir on a local disk.`,
  );
}

/** Empty where there is no procfs, which alone lists the mounts. */
async function mountinfo(): Promise<string> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
