import { isReduction } from './size/target.js';
import { fixedFromText, sign, textFromFixed, type Quantity } from '../core/fixed.js';
import type { KeptState, MovedBy, StrategyWorld } from './world.js';

/** A target in the unit in which the strategy said it. */
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
  /** The mover of the position away from it; absent where `held` is. */
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

function textOf({ unit, value, desired, held, by }: Target): string {
  return JSON.stringify({
    unit,
    value,
    ...(desired !== undefined && { desired: textFromFixed(desired) }),
    ...(held !== undefined && { held }),
    ...(by !== undefined && { by }),
  });
}

/**
 * The target of a strategy that does not run, given up because a hand took something off its position.
 * undefined: it stays as it is.
 * @param before signed; undefined: as the target wanted it
 */
export function heldTarget(
  kept: KeptState | undefined,
  { now, before }: { readonly now: Quantity; readonly before: Quantity | undefined },
): KeptState | undefined {
  const target = readTarget(kept);
  const stood = before ?? target?.desired;
  if (target === undefined || target.held !== undefined || stood === undefined) return undefined;
  if (!isReduction(now, stood) || target.value * sign(stood) <= 0) return undefined;
  const held = 'its position was closed or reduced by hand';
  return { version: VERSION, value: textOf({ ...target, held, by: 'hand' }) };
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
  write(target: Target): void {
    if (!this.#world.isDurable) return;
    const text = textOf(target);
    if (this.#world.kept(this.#key)?.value === text) return;
    this.#world.keep(this.#key, { version: VERSION, value: text });
  }
}
