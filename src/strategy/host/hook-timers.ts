import type { StrategyWorld } from '../world.js';

/** A timer of a hook that has come due. */
export interface DueTimer {
  readonly symbol: string;
  readonly key: string;
  /** Venue ms that it was set for. */
  readonly at: number;
}

const PREFIX = 'on:';
const SET = /^on:([^:]*):(\d+):(.*)$/s;

/** Timers that hooks set on venue time: one a symbol and key, a later one in place of an earlier. */
export class HookTimers {
  readonly #world: Pick<StrategyWorld, 'timer'>;
  readonly #at = new Map<string, number>();

  constructor(world: Pick<StrategyWorld, 'timer'>) {
    this.#world = world;
  }

  set(symbol: string, at: number, key: string): void {
    this.#at.set(`${symbol}:${key}`, at);
    this.#world.timer(at, `${PREFIX}${symbol}:${at}:${key}`);
  }

  owns(timer: string): boolean {
    return timer.startsWith(PREFIX);
  }

  /** undefined for one that was set anew meanwhile: that comes later. */
  take(timer: string): DueTimer | undefined {
    const [, symbol = '', time = '', key = ''] = SET.exec(timer) ?? [];
    const at = Number(time);
    const name = `${symbol}:${key}`;
    if (this.#at.get(name) !== at) return undefined;
    this.#at.delete(name);
    return { symbol, key, at };
  }
}
