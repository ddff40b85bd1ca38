import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FileLocks } from '../../core/ports.js';

/** The facts that the system tells of processes, and the lock that it grants to this one. */
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
  /** The machine's name, or the container's; absent: not told. */
  readonly host?: string;
  /** A process has one number in each: the same text, the same numbers. Absent or empty: not told. */
  pidNamespace?(): Promise<string>;
  readonly locks: FileLocks;
}

const owner = z.strictObject({
  pid: z.int().min(1),
  startTime: z.string(),
  bootId: z.string(),
  token: z.string().regex(/^[0-9a-f]{16}$/),
  host: z
    .string()
    .regex(/^[\w.-]{0,255}$/)
    .optional(),
  pidNamespace: z.string().optional(),
  /** `FileLock.fileId` of the file that it has locked; an old version trusted numbers alone. */
  lockedFile: z.string().optional(),
});

/** The writer of the file `lock`, as the file says. */
export type LockOwner = z.infer<typeof owner>;

/** This process, as `lock` shall name it. @param lockedFile of the file that it has locked */
export async function ownerOf(processes: ProcessFacts, lockedFile: string): Promise<LockOwner> {
  const { pid } = processes;
  const startTime = (await processes.startTimeOf(pid)) ?? '';
  const bootId = await processes.bootId();
  const identity = JSON.stringify([bootId, pid, startTime]);
  const token = createHash('sha256').update(identity, 'utf8').digest('hex').slice(0, 16);
  const host = (processes.host ?? '').replaceAll(/[^\w.-]/g, '-').slice(0, 255);
  const pidNamespace = (await processes.pidNamespace?.()) ?? '';
  return { pid, startTime, bootId, token, host, pidNamespace, lockedFile };
}

export const bytesOf = (of: LockOwner): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(of)}\n`);

/** Written whole or not at all: one that cannot be read is not ours to judge. @throws ZodError, SyntaxError */
export const readOwner = (bytes: Uint8Array): LockOwner =>
  owner.parse(JSON.parse(new TextDecoder().decode(bytes)));

/** Where the system tells too little to be sure it counts as alive: better refuse than trade twice. */
export async function isAlive(processes: ProcessFacts, found: LockOwner): Promise<boolean> {
  const bootId = await processes.bootId();
  if (found.bootId !== '' && bootId !== '' && found.bootId !== bootId) return false;
  const startTime = await processes.startTimeOf(found.pid);
  if (startTime === undefined) return false;
  return startTime === '' || found.startTime === '' || startTime === found.startTime;
}

/** false: its number means another process here, or none. */
export async function isOfOurNumbers(processes: ProcessFacts, found: LockOwner): Promise<boolean> {
  const { host = '', pidNamespace = '', bootId } = found;
  const own = await ownerOf(processes, '');
  const differ = (theirs: string, ours = ''): boolean =>
    theirs !== '' && ours !== '' && theirs !== ours;
  if (differ(bootId, own.bootId) || differ(pidNamespace, own.pidNamespace)) return false;
  const toldByNamespace = pidNamespace !== '' && own.pidNamespace !== '';
  return toldByNamespace || !differ(host, own.host);
}
