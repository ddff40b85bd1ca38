import type { StrategyPort } from '../contract/strategy-port.js';

/** A timer of a hook that has come due. */
export interface DueTimer {
  readonly symbol: string;
  readonly key: string;
  /** Venue ms that it was set for. */
  readonly at: number;
}

const PREFIX = 'on:';
const TIMER_PATTERN = /^on:([^:]*):(\d+):(.*)$/s;

/** Timers of hooks on venue time: one per symbol and key; a later one replaces an earlier one. */
export class HookTimers {
  readonly #port: Pick<StrategyPort, 'setTimer'>;
  readonly #at = new Map<string, number>();

  constructor(port: Pick<StrategyPort, 'setTimer'>) {
    this.#port = port;
  }

  set(symbol: string, at: number, key: string): void {
    this.#at.set(`${symbol}:${key}`, at);
    this.#port.setTimer(at, `${PREFIX}${symbol}:${at}:${key}`);
  }

  owns(timer: string): boolean {
    return timer.startsWith(PREFIX);
  }

  /** undefined for a timer that has been set anew and is due later. */
  takeDue(timer: string): DueTimer | undefined {
    const [, symbol = '', time = '', key = ''] = TIMER_PATTERN.exec(timer) ?? [];
    const at = Number(time);
    const name = `${symbol}:${key}`;
    if (this.#at.get(name) !== at) return undefined;
    this.#at.delete(name);
    return { symbol, key, at };
  }
}
