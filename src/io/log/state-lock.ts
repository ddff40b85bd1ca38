import type { FileLock, Files, ProcessFacts } from '../../core/ports.js';
import {
  encodeOwner,
  isAlive,
  sharesPidNamespace,
  currentOwner,
  decodeOwner,
  type LockOwner,
} from './lock-owner.js';
import { StateHeldError } from './state-held-error.js';

/** This process owns the state folder until `release`. */
export interface StateLock {
  /** Process id of a dead owner, if any: the previous run did not end cleanly. */
  readonly takenOverFrom: number | undefined;
  /** false: the file that names the owner was removed or replaced. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Names the owner of the folder, for people. */
export const OWNER_NAME = 'lock';
/** The file that is locked. It is always empty and is never removed. */
const LOCKED_NAME = 'owner.lock';
/** Attempts while other processes create and remove the owner file. */
const MAX_CLAIM_ATTEMPTS = 10;

/**
 * Makes this process the only owner of a state folder (hazard J12). It takes the system's lock on
 * `owner.lock`, which ends with the process and excludes every container that shares the folder. Then
 * it names itself in `lock` and replaces the entry of a previous owner. Old versions did not lock: for
 * their entries the process id decides whether the owner is alive.
 *
 * @throws StateHeldError when another process owns it, or may own it
 * @throws FileLockError when the lock cannot be taken
 */
export async function acquireStateLock(
  files: Files,
  directory: string,
  processes: ProcessFacts,
): Promise<StateLock> {
  await files.makeDirectory(directory);
  const paths = { owner: `${directory}/${OWNER_NAME}`, locked: `${directory}/${LOCKED_NAME}` };
  // Created under another name and linked: an existing file must only be opened to lock it.
  if (!(await files.exists(paths.locked))) {
    await files.createExclusive(paths.locked, new Uint8Array());
  }
  const locked = await processes.locks.exclusive(paths.locked);
  if (locked === undefined) throw await lockedElsewhereError({ files, processes }, paths);
  try {
    const self = await currentOwner(processes, locked.fileId);
    const previous = await claimOwnerFile({ files, processes }, paths.owner, self);
    return stateLock(files, { path: paths.owner, self, previous, locked });
  } catch (error) {
    await locked.release();
    throw error;
  }
}

interface AcquiredLock {
  readonly path: string;
  readonly self: LockOwner;
  readonly previous: LockOwner | undefined;
  readonly locked: FileLock;
}

function stateLock(files: Files, { path, self, previous, locked }: AcquiredLock): StateLock {
  const isHeld = async (): Promise<boolean> => {
    const bytes = await files.read(path);
    return bytes !== undefined && Buffer.compare(bytes, encodeOwner(self)) === 0;
  };
  return {
    takenOverFrom: previous?.pid,
    isHeld,
    async release() {
      try {
        if (await isHeld()) await files.remove(path);
      } finally {
        await locked.release();
      }
    },
  };
}

interface LockContext {
  readonly files: Files;
  readonly processes: ProcessFacts;
}

/** @returns the dead owner whose entry was replaced; undefined if there was none */
async function claimOwnerFile(
  { files, processes }: LockContext,
  path: string,
  self: LockOwner,
): Promise<LockOwner | undefined> {
  for (let attempt = 0; attempt < MAX_CLAIM_ATTEMPTS; attempt += 1) {
    if (await files.createExclusive(path, encodeOwner(self))) return undefined;
    const bytes = await files.read(path);
    // Released between the two calls, by an old version that uses this file only.
    if (bytes === undefined) continue;
    const found = parseOwnerFile(bytes, path);
    // We hold the lock that this owner held, so its process is gone.
    const isProvedDead = found.lockedFile !== undefined && found.lockedFile === self.lockedFile;
    if (!isProvedDead && (await isAlive(processes, found))) {
      // We hold the lock of this folder, and that process holds another one.
      if (found.lockedFile !== undefined) throw copiedError(found, path);
      throw await ownedByError(found, path, processes);
    }
    await files.replace(path, encodeOwner(self));
    return found;
  }
  const text = `${path} changes its owner all the time: too many starts at once, start only one`;
  throw new StateHeldError(text, undefined);
}

/** The refusal that names the owner of the system's lock, if the owner file does. */
async function lockedElsewhereError(
  { files, processes }: LockContext,
  paths: { readonly owner: string; readonly locked: string },
): Promise<StateHeldError> {
  const bytes = await files.read(paths.owner);
  const found = bytes === undefined ? undefined : parseOwnerFile(bytes, paths.owner);
  const isStale =
    found === undefined ||
    ((await sharesPidNamespace(processes, found)) && !(await isAlive(processes, found)));
  if (!isStale) return ownedByError(found, paths.owner, processes);
  const text =
    `another process is taking this state now (it has locked ${paths.locked}). ` +
    `${paths.owner} names it in a moment: stop it first, or ${OWN_FOLDER}`;
  return new StateHeldError(text, undefined);
}

const OWN_FOLDER = 'give this bot a state_dir of its own.';

function copiedError({ pid }: LockOwner, path: string): StateHeldError {
  const text =
    `${path} names process ${pid}, which owns another folder: this one is a copy of it, or its ${LOCKED_NAME} was replaced. ` +
    `Two bots must not trade from one state, so ${OWN_FOLDER} To move a bot, stop it first; sluice backup copies the state of a running one`;
  return new StateHeldError(text, undefined);
}

async function ownedByError(
  live: LockOwner,
  path: string,
  processes: ProcessFacts,
): Promise<StateHeldError> {
  if (await sharesPidNamespace(processes, live)) {
    const text = `Process ${live.pid} owns this state (${path}). Stop it first (kill ${live.pid}), or ${OWN_FOLDER}`;
    return new StateHeldError(text, live.pid);
  }
  const host = live.host === undefined || live.host === '' ? '' : ` on ${live.host}`;
  const text = `Process ${live.pid}${host}, in another container or on another machine, owns this state (${path}). Stop it there first, or ${OWN_FOLDER}`;
  return new StateHeldError(text, undefined);
}

function parseOwnerFile(bytes: Uint8Array, path: string): LockOwner {
  try {
    return decodeOwner(bytes);
  } catch (cause) {
    const text = `${path} cannot be read. If no Sluice runs on this folder, remove the file.`;
    const error = new StateHeldError(text, undefined);
    error.cause = cause;
    throw error;
  }
}
