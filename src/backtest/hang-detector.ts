import { PHASE, HEARTBEAT_CELL, type Heartbeat } from './heartbeat.js';

/** A waiting strategy uses no CPU. It may take this many times its budget in real time. */
const WAIT_BUDGET_FACTOR = 10;

/** Real time and CPU time of the process, in ms since an arbitrary start. */
export interface ElapsedTime {
  readonly realMs: number;
  readonly cpuMs: number;
}

/**
 * Detects from samples of a heartbeat that a strategy does not return. A sample that comes late, because
 * the whole process was suspended, counts for at most two intervals.
 */
export class HangDetector {
  readonly #heartbeat: Heartbeat;
  readonly #budgetMs: number;
  readonly #intervalMs: number;
  #last: ElapsedTime | undefined;
  #candles = Number.NaN;
  #phase: number = PHASE.own;
  #computedMs = 0;
  #waitedMs = 0;

  /** @param intervalMs between two samples */
  constructor(heartbeat: Heartbeat, budgetMs: number, intervalMs: number) {
    this.#heartbeat = heartbeat;
    this.#budgetMs = budgetMs;
    this.#intervalMs = intervalMs;
  }

  /** @returns which budget is used up: CPU time, or real time spent waiting; undefined: none */
  check(now: ElapsedTime): 'computed' | 'waited' | undefined {
    const before = this.#last;
    this.#last = now;
    const [candles, phase] = [
      this.#heartbeat[HEARTBEAT_CELL.candles],
      this.#heartbeat[HEARTBEAT_CELL.phase],
    ];
    const hasProgressed = candles !== this.#candles || phase !== this.#phase;
    this.#candles = candles ?? Number.NaN;
    this.#phase = phase ?? PHASE.own;
    if (hasProgressed || before === undefined || phase === PHASE.own) {
      this.#computedMs = 0;
      this.#waitedMs = 0;
      return undefined;
    }
    const real = Math.min(now.realMs - before.realMs, 2 * this.#intervalMs);
    this.#waitedMs += real;
    // The strategy has one thread; CPU time above real time belongs to the garbage collector.
    this.#computedMs += Math.min(now.cpuMs - before.cpuMs, real);
    if (this.#computedMs >= this.#budgetMs) return 'computed';
    return this.#waitedMs >= WAIT_BUDGET_FACTOR * this.#budgetMs ? 'waited' : undefined;
  }
}
