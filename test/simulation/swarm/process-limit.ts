import { readFileSync } from 'node:fs';

const SAMPLE_MS = 1_000;
/** Linux counts processor time in hundredths of a second for every program. */
const MS_PER_TICK = 10;

/**
 * Calls `onLimit` once a process has computed or slept for `limitMs`. Time in which it waits for a core does
 * not count: on a busy machine a run that ends must not look like one that goes round and round.
 */
export class ProcessLimit {
  readonly #pid: number;
  readonly #limitMs: number;
  readonly #timer: NodeJS.Timeout;
  #computedMs: number;
  #countedMs = 0;

  constructor(pid: number, limitMs: number, onLimit: () => void) {
    this.#pid = pid;
    this.#limitMs = limitMs;
    this.#computedMs = readProcess(pid)?.computedMs ?? 0;
    this.#timer = setInterval(() => {
      this.#countedMs += this.#sample();
      if (this.#countedMs < this.#limitMs) return;
      this.close();
      onLimit();
    }, SAMPLE_MS);
  }

  /** The process has shown progress. */
  reset(): void {
    this.#countedMs = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Without `/proc` every second counts. Ms. */
  #sample(): number {
    const process = readProcess(this.#pid);
    if (process === undefined) return SAMPLE_MS;
    const computedMs = process.computedMs - this.#computedMs;
    this.#computedMs = process.computedMs;
    return process.isAsleep ? SAMPLE_MS : computedMs;
  }
}

/** Processor time of all threads, and whether the main thread waits for an event; `undefined` without `/proc`. */
function readProcess(pid: number): { computedMs: number; isAsleep: boolean } | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // proc_pid_stat(5): the name in parentheses may hold spaces; after it the state is field 3, utime 14, stime 15.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const computedMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  return { computedMs, isAsleep: fields[0] === 'S' };
}
