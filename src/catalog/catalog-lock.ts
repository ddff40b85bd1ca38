import { join } from 'node:path';
import type { Clock, FileLock, FileLocks, Files, Scheduler } from '../core/ports.js';
import { assert } from '../core/assert.js';
import { CatalogError } from './catalog-error.js';

/** An empty file that is locked. It is never removed. */
const LOCK_NAME = 'catalog.lock';
/** A write takes less than a second for a year of minutes. */
const WAIT_MS = 60_000;
const POLL_MS = 50;

interface LockPorts {
  readonly files: Files;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly locks?: FileLocks;
}

/**
 * Runs `write` while no other process writes the catalogue. The system ends the lock with its process.
 * @throws CatalogError when another process holds it for a minute
 */
export async function withCatalogLock<T>(
  folder: string,
  ports: LockPorts,
  write: () => Promise<T>,
): Promise<T> {
  const lock = await acquired(folder, ports);
  try {
    return await write();
  } finally {
    await lock.release();
  }
}

async function acquired(
  folder: string,
  { files, clock, scheduler, locks }: LockPorts,
): Promise<FileLock> {
  assert(locks !== undefined, 'A catalogue that is written has locks');
  const path = join(folder, LOCK_NAME);
  await files.makeDirectory(folder);
  // Created under another name and linked: an existing file must only be opened to lock it.
  if (!(await files.exists(path))) await files.createExclusive(path, new Uint8Array());
  const until = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const lock = await locks.exclusive(path);
    if (lock !== undefined) return lock;
    if (clock.monotonicMs() >= until)
      throw new CatalogError(
        `${folder}: another process has written this catalogue for a minute; wait until it ends, or choose another folder with --catalog`,
      );
    await new Promise<void>((resolve) => scheduler.after(POLL_MS, resolve));
  }
}
