import {
  add,
  isGreater,
  larger,
  proportion,
  smaller,
  subtract,
  ZERO,
  type Amount,
  type Fixed,
  type Quantity,
} from '../../core/fixed/fixed.js';
import { EXTERNAL, UNATTRIBUTED, type Owner } from './owner.js';

/** A part of a position. Above 0; the side is the position's. */
export interface OwnerShare {
  readonly owner: Owner;
  readonly quantity: Quantity;
}

const NONE = ZERO as Quantity;

/**
 * Shares of one position. The venue nets all orders of a symbol and currency into one position with one entry
 * price, so all shares have its side. An order closes the share of its own owner first, then that of other
 * actors, then the rest: the engine's rule for external shares (src/execution/external-share.ts).
 */
export class PositionShares {
  readonly #shares = new Map<Owner, Quantity>();

  get shares(): readonly OwnerShare[] {
    return [...this.#shares].map(([owner, quantity]) => ({ owner, quantity }));
  }

  open(owner: Owner, quantity: Quantity): void {
    if (quantity === 0) return;
    this.#shares.set(owner, add(this.#shares.get(owner) ?? NONE, quantity));
  }

  /**
   * @param closer owner of the closing order; undefined: a stop, a target or a liquidation
   * @param fallback owner of a part whose opening is not known
   * @returns the closed shares; their sum is `quantity`
   */
  close(quantity: Quantity, closer: Owner | undefined, fallback: Owner): readonly OwnerShare[] {
    const closed: OwnerShare[] = [];
    let left = quantity;
    const first = [closer ?? EXTERNAL, EXTERNAL, UNATTRIBUTED];
    for (const owner of new Set([...first, ...this.#shares.keys()])) {
      const held = this.#shares.get(owner) ?? NONE;
      const part = smaller(held, left);
      if (part === 0) continue;
      left = subtract(left, part);
      if (part === held) this.#shares.delete(owner);
      else this.#shares.set(owner, subtract(held, part));
      closed.push({ owner, quantity: part });
    }
    return left === 0 ? closed : withShare(closed, { owner: fallback, quantity: left });
  }

  /** The share of one owner belongs to another one from now on. */
  handOver(from: Owner, to: Owner): void {
    const held = this.#shares.get(from);
    if (held === undefined) return;
    this.#shares.delete(from);
    this.open(to, held);
  }

  /** The position is flat. */
  clear(): void {
    this.#shares.clear();
  }
}

/** One share an owner. */
export function withShare(shares: readonly OwnerShare[], part: OwnerShare): OwnerShare[] {
  const same = shares.find(({ owner }) => owner === part.owner);
  if (same === undefined) return [...shares, part];
  const joined = { ...same, quantity: add(same.quantity, part.quantity) };
  return shares.map((share) => (share === same ? joined : share));
}

/** An amount of an owner. */
export interface OwnerAmount<F extends Fixed = Amount> {
  readonly owner: Owner;
  readonly amount: F;
}

/**
 * Splits an amount by the quantities of shares, each rounded half-even to 8 places. The largest share takes the
 * rest, so that the parts add up to the amount. @param shares at least one
 */
export function splitAmount<F extends Fixed>(
  amount: F,
  shares: readonly OwnerShare[],
): readonly OwnerAmount<F>[] {
  const [first, ...others] = [...shares].sort((a, b) =>
    isGreater(b.quantity, a.quantity) ? 1 : isGreater(a.quantity, b.quantity) ? -1 : 0,
  );
  if (first === undefined) return [];
  const whole = shares.reduce((sum, { quantity }) => add(sum, quantity), NONE);
  const parts = others.map(({ owner, quantity }) => ({
    owner,
    amount: proportion(amount, quantity, larger(whole, quantity)),
  }));
  const rest = parts.reduce((left, part) => subtract(left, part.amount), amount);
  return [{ owner: first.owner, amount: rest }, ...parts];
}
