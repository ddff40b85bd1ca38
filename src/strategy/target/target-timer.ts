import type { StrategyPort } from '../contract/strategy-port.js';

/** Prefix of the keys. The timer events of recorded sessions have it, so it cannot change. */
const TIMER_KEY = 'lane:';

/** Symbol of a timer that a target tracker has set; undefined for any other timer. */
export const symbolOfTargetTimer = (key: string): string | undefined =>
  key.startsWith(TIMER_KEY) ? key.slice(TIMER_KEY.length) : undefined;

/**
 * The timer after which a symbol's target is tried again: to repeat a refused order, or to check an exit.
 * At most one is pending. A pending timer is not replaced, because every check covers both causes.
 */
export class TargetTimer {
  readonly #port: StrategyPort;
  readonly #symbol: string;
  #isSet = false;

  constructor(port: StrategyPort, symbol: string) {
    this.#port = port;
    this.#symbol = symbol;
  }

  /** @param delayMs monotonic ms */
  set(delayMs: number): void {
    if (this.#isSet) return;
    this.#isSet = true;
    this.#port.setTimerAfter(delayMs, `${TIMER_KEY}${this.#symbol}`);
  }

  /** Call it when the timer fires, so that the next one can be set. */
  onFired(): void {
    this.#isSet = false;
  }
}
