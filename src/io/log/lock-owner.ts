import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ProcessFacts } from '../../core/ports.js';

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
  /** `FileLock.fileId` of the file that the owner locked. Old versions trusted process ids alone. */
  lockedFile: z.string().optional(),
});

/** The owner of a state folder, as written in its file `lock`. */
export type LockOwner = z.infer<typeof owner>;

/** This process as an owner. @param lockedFile `FileLock.fileId` of the file that it locked */
export async function currentOwner(
  processes: ProcessFacts,
  lockedFile: string,
): Promise<LockOwner> {
  const { pid } = processes;
  const startTime = (await processes.startTimeOf(pid)) ?? '';
  const bootId = await processes.bootId();
  const identity = JSON.stringify([bootId, pid, startTime]);
  const token = createHash('sha256').update(identity, 'utf8').digest('hex').slice(0, 16);
  const host = (processes.host ?? '').replaceAll(/[^\w.-]/g, '-').slice(0, 255);
  const pidNamespace = (await processes.pidNamespace?.()) ?? '';
  return { pid, startTime, bootId, token, host, pidNamespace, lockedFile };
}

export const encodeOwner = (of: LockOwner): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(of)}\n`);

/** The file is written atomically, so an unreadable one is not ours. @throws ZodError, SyntaxError */
export const decodeOwner = (bytes: Uint8Array): LockOwner =>
  owner.parse(JSON.parse(new TextDecoder().decode(bytes)));

/** Without enough facts the owner counts as alive: a refused start is safer than two traders. */
export async function isAlive(processes: ProcessFacts, found: LockOwner): Promise<boolean> {
  const bootId = await processes.bootId();
  if (found.bootId !== '' && bootId !== '' && found.bootId !== bootId) return false;
  const startTime = await processes.startTimeOf(found.pid);
  if (startTime === undefined) return false;
  return startTime === '' || found.startTime === '' || startTime === found.startTime;
}

/** false: the owner's process id means another process here, or none. */
export async function sharesPidNamespace(
  processes: ProcessFacts,
  found: LockOwner,
): Promise<boolean> {
  const { host = '', pidNamespace = '', bootId } = found;
  const own = await currentOwner(processes, '');
  const differ = (theirs: string, ours = ''): boolean =>
    theirs !== '' && ours !== '' && theirs !== ours;
  if (differ(bootId, own.bootId) || differ(pidNamespace, own.pidNamespace)) return false;
  const namespaceKnown = pidNamespace !== '' && own.pidNamespace !== '';
  return namespaceKnown || !differ(host, own.host);
}
