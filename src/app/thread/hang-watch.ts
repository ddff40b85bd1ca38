import { PHASE, PULSE, type Pulse } from '../../backtest/pulse.js';

/** A strategy that waits uses no CPU: it may take so many times its budget of real time. */
const WAITING = 10;

/** Ms since some moment, of the process: real ones, and those that it has computed. */
export interface Elapsed {
  readonly realMs: number;
  readonly cpuMs: number;
}

/**
 * Judges from looks at a pulse whether a strategy still returns. A look that comes late, because the
 * whole process stood still, counts as one look and not as the time between.
 */
export class HangWatch {
  readonly #pulse: Pulse;
  readonly #budgetMs: number;
  readonly #lookMs: number;
  #last: Elapsed | undefined;
  #seen = Number.NaN;
  #phase: number = PHASE.own;
  #spentMs = 0;
  #waitedMs = 0;

  /** @param lookMs between two looks */
  constructor(pulse: Pulse, budgetMs: number, lookMs: number) {
    this.#pulse = pulse;
    this.#budgetMs = budgetMs;
    this.#lookMs = lookMs;
  }

  /** @returns what of the budget is used up, if it is: computing, or waiting for something */
  look(now: Elapsed): 'computed' | 'waited' | undefined {
    const before = this.#last;
    this.#last = now;
    const [candles, phase] = [this.#pulse[PULSE.candles], this.#pulse[PULSE.phase]];
    const moved = candles !== this.#seen || phase !== this.#phase;
    this.#seen = candles ?? Number.NaN;
    this.#phase = phase ?? PHASE.own;
    if (moved || before === undefined || phase === PHASE.own) {
      this.#spentMs = 0;
      this.#waitedMs = 0;
      return undefined;
    }
    const real = Math.min(now.realMs - before.realMs, 2 * this.#lookMs);
    this.#waitedMs += real;
    // One thread computes: what is more is the collector's.
    this.#spentMs += Math.min(now.cpuMs - before.cpuMs, real);
    if (this.#spentMs >= this.#budgetMs) return 'computed';
    return this.#waitedMs >= WAITING * this.#budgetMs ? 'waited' : undefined;
  }
}
