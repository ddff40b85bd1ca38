import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PrepareError } from './problem.mjs';

const POLL_MS = 50;
const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * Runs `work` while no other process holds the lock directory. It appears by a rename, with its
 * owner's number already inside, so that it is never seen without; one whose owner is dead is taken.
 */
export function withLock(path, say, work) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  acquire(path, say);
  try {
    return work();
  } finally {
    release(path);
  }
}

/** Moved aside first: emptied in place, another process could take it before it is gone. */
function release(path) {
  const aside = `${path}.released-${process.pid}`;
  renameSync(path, aside);
  rmSync(aside, { recursive: true, force: true });
}

function acquire(path, say) {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  let hasReported = false;
  while (!tryAcquire(path)) {
    const owner = ownerOf(path);
    if (owner !== undefined && !isAlive(owner)) {
      removeStale(path, owner);
      continue;
    }
    if (!hasReported)
      say(`another process (${owner ?? 'unknown'}) is preparing this checkout; waiting`);
    hasReported = true;
    if (performance.now() > deadline) {
      throw new PrepareError(
        `gave up waiting for process ${owner}; if it hangs, remove ${path}`,
        1,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

function tryAcquire(path) {
  const own = `${path}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  writeFileSync(join(own, 'pid'), String(process.pid));
  try {
    renameSync(own, path);
    return true;
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // A directory that holds something is not replaced.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return false;
    throw error;
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(join(path, 'pid'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moved aside first: of two that find it stale, one moves it, and a live lock goes back. */
function removeStale(path, owner) {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (ownerOf(aside) === owner) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, path);
}
