import { readFile, readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import type { ProcessFacts } from '../../execution/log/state-lock.js';
import { nodeFileLocks } from './node-file-locks.js';

/** From procfs; elsewhere the number alone, and "the system does not tell". */
export const nodeProcessFacts: ProcessFacts = {
  pid: process.pid,
  ageMs: () => process.uptime() * 1_000,
  async startTimeOf(pid) {
    const stat = await optional(readFile(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) return answersSignals(pid) ? '' : undefined;
    const { state, startTime } = fieldsOf(stat);
    // A zombie does nothing any more; its parent has not looked yet.
    return state === 'Z' || state === 'X' ? undefined : startTime;
  },
  bootId: async () =>
    (await optional(readFile('/proc/sys/kernel/random/boot_id', 'utf8')))?.trim() ?? '',
  sinceBootMs: () => uptime() * 1_000,
  host: hostname(),
  pidNamespace: async () => (await optional(readlink('/proc/self/ns/pid'))) ?? '',
  locks: nodeFileLocks,
};

/** Fields 3 and 22 of proc(5) stat. The second, the command, may itself hold blanks and brackets. */
function fieldsOf(stat: string): { readonly state: string; readonly startTime: string } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[22 - 3] ?? '' };
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function optional(reading: Promise<string>): Promise<string | undefined> {
  try {
    return await reading;
  } catch {
    // No procfs here, or the process is gone: both mean "not told".
    return undefined;
  }
}
