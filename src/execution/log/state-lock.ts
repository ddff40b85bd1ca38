import type { FileLock, Files } from '../../core/ports.js';
import {
  bytesOf,
  isAlive,
  isOfOurNumbers,
  ownerOf,
  readOwner,
  type LockOwner,
  type ProcessFacts,
} from './lock-owner.js';

export type { ProcessFacts };

/** Another process owns the state folder, or may. */
export class StateHeldError extends Error {
  override readonly name = 'StateHeldError';
  /** undefined where the lock does not say, or where the number means nothing here. */
  readonly pid: number | undefined;
  constructor(message: string, pid: number | undefined) {
    super(message);
    this.pid = pid;
  }
}

/** This process owns the state folder until `release`. */
export interface StateLock {
  /** The process that was found dead in possession, if any: the last run did not end cleanly. */
  readonly takenOverFrom: number | undefined;
  /** false: somebody removed or replaced the text that names the owner. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Text for people: who owns the folder. */
const OWNER_NAME = 'lock';
/** Empty, for ever: the system's lock on it is what counts. It is never removed. */
const LOCKED_NAME = 'owner.lock';
/** Times that the text may change hands while we look. */
const MAX_LOOKS = 10;

/**
 * Makes this process the one owner of a state folder (hazard J12): it takes the system's lock on
 * `owner.lock`, which ends with the process and holds in every container that shares the folder, and
 * then names itself in `lock`. The text of an earlier owner is taken over. A text of a version
 * that had no such lock is judged by the number of its process.
 *
 * @throws StateHeldError when another process owns it, or may; FileLockError where no lock can be had
 */
export async function acquireStateLock(
  files: Files,
  directory: string,
  processes: ProcessFacts,
): Promise<StateLock> {
  await files.makeDirectory(directory);
  const paths = { owner: `${directory}/${OWNER_NAME}`, locked: `${directory}/${LOCKED_NAME}` };
  // Made under another name: what exists is opened by nobody but the one who locks it.
  if (!(await files.exists(paths.locked))) {
    await files.createExclusive(paths.locked, new Uint8Array());
  }
  const locked = await processes.locks.exclusive(paths.locked);
  if (locked === undefined) throw await heldElsewhere({ files, processes }, paths);
  try {
    const self = await ownerOf(processes, locked.fileId);
    const previous = await takeText({ files, processes }, paths.owner, self);
    return stateLock(files, { path: paths.owner, self, previous, locked });
  } catch (error) {
    await locked.release();
    throw error;
  }
}

interface Taken {
  readonly path: string;
  readonly self: LockOwner;
  readonly previous: LockOwner | undefined;
  readonly locked: FileLock;
}

function stateLock(files: Files, { path, self, previous, locked }: Taken): StateLock {
  const isHeld = async (): Promise<boolean> => {
    const bytes = await files.read(path);
    return bytes !== undefined && Buffer.compare(bytes, bytesOf(self)) === 0;
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

interface Taker {
  readonly files: Files;
  readonly processes: ProcessFacts;
}

/** @returns the dead owner whose text it was, or undefined where there was none */
async function takeText(
  { files, processes }: Taker,
  path: string,
  self: LockOwner,
): Promise<LockOwner | undefined> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await files.createExclusive(path, bytesOf(self))) return undefined;
    const bytes = await files.read(path);
    // Released between the two calls, by a version that knows this file alone.
    if (bytes === undefined) continue;
    const found = readText(bytes, path);
    // The process that locked the very file that we hold now is gone.
    const isProvedDead = found.lockedFile !== undefined && found.lockedFile === self.lockedFile;
    if (!isProvedDead && (await isAlive(processes, found))) {
      throw await heldBy(found, path, processes);
    }
    await files.replace(path, bytesOf(self));
    return found;
  }
  const text = `${path} changes hands all the time: too many starts at once`;
  throw new StateHeldError(text, undefined);
}

/** The refusal that names the holder of the system's lock, as far as the text tells. */
async function heldElsewhere(
  { files, processes }: Taker,
  paths: { readonly owner: string; readonly locked: string },
): Promise<StateHeldError> {
  const bytes = await files.read(paths.owner);
  const found = bytes === undefined ? undefined : readText(bytes, paths.owner);
  const isStale =
    found === undefined ||
    ((await isOfOurNumbers(processes, found)) && !(await isAlive(processes, found)));
  if (!isStale) return heldBy(found, paths.owner, processes);
  const text =
    `another process is taking this state now (it has locked ${paths.locked}). ` +
    `${paths.owner} names it in a moment: stop it first, or ${OWN_FOLDER}`;
  return new StateHeldError(text, undefined);
}

const OWN_FOLDER = 'give this bot a state_dir of its own.';

async function heldBy(
  live: LockOwner,
  path: string,
  processes: ProcessFacts,
): Promise<StateHeldError> {
  if (await isOfOurNumbers(processes, live)) {
    const text = `Process ${live.pid} owns this state (${path}). Stop it first (kill ${live.pid}), or ${OWN_FOLDER}`;
    return new StateHeldError(text, live.pid);
  }
  const host = live.host === undefined || live.host === '' ? '' : ` on ${live.host}`;
  const text = `Process ${live.pid}${host}, in another container or on another machine, owns this state (${path}). Stop it there first, or ${OWN_FOLDER}`;
  return new StateHeldError(text, undefined);
}

function readText(bytes: Uint8Array, path: string): LockOwner {
  try {
    return readOwner(bytes);
  } catch (cause) {
    const text = `${path} cannot be read. If no Sluice runs on this folder, remove the file.`;
    const error = new StateHeldError(text, undefined);
    error.cause = cause;
    throw error;
  }
}
