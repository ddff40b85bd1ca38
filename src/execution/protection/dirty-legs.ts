import type { Price } from '../../core/fixed.js';

/**
 * Orders that an edit without a clear answer may still reach, and the prices that it would bring. Such
 * an order may be edited to that price again, which changes nothing if both land, and to no other: the
 * late one would undo it (as hazard C2). It is canceled instead, for a canceled one meets no edit.
 */
export class DirtyLegs {
  readonly #prices = new Map<string, Set<Price>>();

  add(orderId: string, price: Price): void {
    const prices = this.#prices.get(orderId);
    if (prices === undefined) this.#prices.set(orderId, new Set([price]));
    else prices.add(price);
  }

  /** The only edit that was under way has been seen: none can land any more. */
  clear(orderId: string): void {
    this.#prices.delete(orderId);
  }

  forbids(orderId: string, price: Price): boolean {
    return [...(this.#prices.get(orderId) ?? [])].some((late) => late !== price);
  }
}
