import { fixedFromText, textFromFixed, type Quantity } from '../core/fixed.js';
import type { KeptState, MovedBy, StrategyWorld } from './world.js';

/** What the strategy said, in its own unit. */
export interface Wanted {
  readonly unit: 'conviction' | 'quantity';
  readonly value: number;
}

/** A target as it is kept over a restart. */
export interface Target extends Wanted {
  /** Signed quantity that it came to; undefined: it is to be sized again. */
  readonly desired: Quantity | undefined;
  /** Why nothing is traded toward it until the strategy wants something else. */
  readonly held?: string;
  /** What moved the position away from it; absent where `held` is. */
  readonly by?: MovedBy;
}

const VERSION = 1;

export const targetKeyOf = (symbol: string): string => `target:${symbol}`;

/** undefined: none was kept. */
export function readTarget(kept: KeptState | undefined): Target | undefined {
  if (kept === undefined || kept.version !== VERSION) return undefined;
  const { desired, ...rest } = JSON.parse(kept.value) as Omit<Target, 'desired'> & {
    readonly desired?: string;
  };
  return { ...rest, desired: desired === undefined ? undefined : fixedFromText(desired) };
}

/** The last target of one symbol, among the durable state of its strategy. */
export class KeptTarget {
  readonly #world: StrategyWorld;
  readonly #key: string;

  constructor(world: StrategyWorld, symbol: string) {
    this.#world = world;
    this.#key = targetKeyOf(symbol);
  }

  read(): Target | undefined {
    return readTarget(this.#world.kept(this.#key));
  }

  /** Durable with whatever else the step makes durable; nothing where nobody would read it. */
  write({ unit, value, desired, held, by }: Target): void {
    if (!this.#world.isDurable) return;
    const text = JSON.stringify({
      unit,
      value,
      ...(desired !== undefined && { desired: textFromFixed(desired) }),
      ...(held !== undefined && { held }),
      ...(by !== undefined && { by }),
    });
    if (this.#world.kept(this.#key)?.value === text) return;
    this.#world.keep(this.#key, { version: VERSION, value: text });
  }
}
