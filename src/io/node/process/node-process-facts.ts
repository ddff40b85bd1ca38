import { readFile, readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import type { ProcessFacts } from '../../../core/ports.js';
import { nodeFileLocks } from '../node-file-locks.js';

/** From procfs. Other systems provide the process id only. */
export const nodeProcessFacts: ProcessFacts = {
  pid: process.pid,
  ageMs: () => process.uptime() * 1_000,
  async startTimeOf(pid) {
    const stat = await optional(readFile(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) return isProcessAlive(pid) ? '' : undefined;
    const { state, startTime } = fieldsOf(stat);
    // A zombie (Z) or dead process (X) has ended; its parent has not reaped it yet.
    return state === 'Z' || state === 'X' ? undefined : startTime;
  },
  bootId: async () =>
    (await optional(readFile('/proc/sys/kernel/random/boot_id', 'utf8')))?.trim() ?? '',
  sinceBootMs: () => uptime() * 1_000,
  host: hostname(),
  pidNamespace: async () => (await optional(readlink('/proc/self/ns/pid'))) ?? '',
  locks: nodeFileLocks,
};

/** Fields 3 and 22 of proc(5) stat. Field 2, the command, may contain blanks and brackets. */
function fieldsOf(stat: string): { readonly state: string; readonly startTime: string } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[22 - 3] ?? '' };
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process runs and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function optional(reading: Promise<string>): Promise<string | undefined> {
  try {
    return await reading;
  } catch {
    // Without procfs, or after the process has ended, the fact is unknown.
    return undefined;
  }
}
