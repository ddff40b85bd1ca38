import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Files } from '../../core/ports.js';

/** What the system tells of processes. */
export interface ProcessFacts {
  /** Of this process. */
  readonly pid: number;
  /**
   * When the process with this number started, as text that no later process with the number repeats
   * before the next boot. undefined: none runs. Empty: it runs, and the system does not tell.
   */
  startTimeOf(pid: number): Promise<string | undefined>;
  /** How long this process lives, ms. */
  ageMs?(): number;
  /** Changes with each boot of the machine. Empty: not told. */
  bootId(): Promise<string>;
  /** Since that boot, ms. */
  sinceBootMs?(): number;
}

/** Another process owns the state folder, or may. */
export class StateHeldError extends Error {
  override readonly name = 'StateHeldError';
  /** undefined where the lock does not say. */
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
  /** false: somebody removed or replaced the lock, so that two may own the state. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const owner = z.strictObject({
  pid: z.int().min(1),
  startTime: z.string(),
  bootId: z.string(),
  token: z.string().regex(/^[0-9a-f]{16}$/),
});
type Owner = z.infer<typeof owner>;

const LOCK_NAME = 'lock';
/** Claims to a claim's claim: deeper is no crash any more, but somebody's loop. */
const MAX_DEPTH = 4;
/** Times that the lock may change hands while we look. */
const MAX_LOOKS = 10;

/**
 * Makes this process the one owner of a state folder (hazard J12). A lock whose process is gone, or
 * whose number another process has by now, is taken over: by one taker at a time, who first claims
 * that very lock by its token and then looks again.
 *
 * @throws StateHeldError when a live process owns it, or the lock cannot be read
 */
export async function acquireStateLock(
  files: Files,
  directory: string,
  processes: ProcessFacts,
): Promise<StateLock> {
  await files.makeDirectory(directory);
  const path = `${directory}/${LOCK_NAME}`;
  const self = await ownerOf(processes);
  const taker = { files, processes, self };
  const previous = await take(taker, path, 0);
  return {
    takenOverFrom: previous?.pid,
    isHeld: async () => holds(taker, path),
    async release() {
      if (await holds(taker, path)) await files.remove(path);
    },
  };
}

interface Taker {
  readonly files: Files;
  readonly processes: ProcessFacts;
  readonly self: Owner;
}

/** @returns the dead owner whose lock it was, or undefined where there was none */
async function take(taker: Taker, path: string, depth: number): Promise<Owner | undefined> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await taker.files.createExclusive(path, bytesOf(taker.self))) return undefined;
    const bytes = await taker.files.read(path);
    // Released between the two calls.
    if (bytes === undefined) continue;
    const found = readOwner(bytes, path);
    if (await isAlive(taker.processes, found)) throw heldBy(found, path);
    if (await takeOver(taker, path, found, depth)) return found;
  }
  throw new StateHeldError(
    `${path} changes hands all the time: too many starts at once`,
    undefined,
  );
}

/**
 * Two takers may both have read the dead owner's lock; without the claim the slower one would then
 * replace the lock of the faster, who is alive. false: it was no longer the dead owner's.
 */
async function takeOver(taker: Taker, path: string, dead: Owner, depth: number): Promise<boolean> {
  if (depth >= MAX_DEPTH) {
    throw new StateHeldError(`${path} was left by several crashed starts. ${REMOVE}`, dead.pid);
  }
  const claim = `${path}.${dead.token}`;
  await take(taker, claim, depth + 1);
  try {
    const bytes = await taker.files.read(path);
    if (bytes === undefined || readOwner(bytes, path).token !== dead.token) return false;
    await taker.files.replace(path, bytesOf(taker.self));
    return true;
  } finally {
    await taker.files.remove(claim);
  }
}

const REMOVE = 'If no Sluice runs on this folder, remove the file.';

function heldBy(live: Owner, path: string): StateHeldError {
  return new StateHeldError(
    `Process ${live.pid} owns this state (${path}). Stop it first (kill ${live.pid}), or give this ` +
      'bot a state_dir of its own.',
    live.pid,
  );
}

async function ownerOf(processes: ProcessFacts): Promise<Owner> {
  const { pid } = processes;
  const startTime = (await processes.startTimeOf(pid)) ?? '';
  const bootId = await processes.bootId();
  const identity = JSON.stringify([bootId, pid, startTime]);
  const token = createHash('sha256').update(identity, 'utf8').digest('hex').slice(0, 16);
  return { pid, startTime, bootId, token };
}

/** Where the system tells too little to be sure it counts as alive: better refuse than trade twice. */
async function isAlive(processes: ProcessFacts, found: Owner): Promise<boolean> {
  const bootId = await processes.bootId();
  if (found.bootId !== '' && bootId !== '' && found.bootId !== bootId) return false;
  const startTime = await processes.startTimeOf(found.pid);
  if (startTime === undefined) return false;
  return startTime === '' || found.startTime === '' || startTime === found.startTime;
}

async function holds({ files, self }: Taker, path: string): Promise<boolean> {
  const bytes = await files.read(path);
  return bytes !== undefined && Buffer.compare(bytes, bytesOf(self)) === 0;
}

const bytesOf = ({ pid, startTime, bootId, token }: Owner): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify({ pid, startTime, bootId, token })}\n`);

/** Written whole or not at all: one that cannot be read is not ours to judge. */
function readOwner(bytes: Uint8Array, path: string): Owner {
  try {
    return owner.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    const error = new StateHeldError(`${path} cannot be read. ${REMOVE}`, undefined);
    error.cause = cause;
    throw error;
  }
}
