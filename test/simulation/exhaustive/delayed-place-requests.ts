import { scaledOf } from '../../support/builders/scaled.js';
import type { OrderTerms } from '../../../src/core/order.js';
import type { Choices } from './choices.js';
import type { SingleOrderExchange } from './single-order-exchange.js';

/** Requests in flight that were not served: each may land at any later step, or never. */
export class DelayedPlaceRequests {
  readonly #original: OrderTerms;
  #hasOriginal = false;
  #fence: OrderTerms | undefined;

  constructor(original: OrderTerms) {
    this.#original = original;
  }

  /** The most that one of them may trade once it landed. */
  get potentialQuantity(): number {
    const original = this.#hasOriginal ? scaledOf(this.#original.quantity) : 0;
    return Math.max(original, scaledOf(this.#fence?.quantity ?? 0));
  }

  add(terms: OrderTerms): void {
    if (isFence(this.#original, terms)) this.#fence = terms;
    else this.#hasOriginal = true;
  }

  /** One of them lands now, makes an order or consumes the id, or all stay in flight. */
  maybeLand(choices: Choices, venue: SingleOrderExchange, now: number, label: string): void {
    if (venue.isTaken) this.#clear();
    const outcomes: (() => unknown)[] = [];
    if (this.#hasOriginal) outcomes.push(() => venue.accept(now, this.#original));
    const fence = this.#fence;
    if (fence !== undefined) outcomes.push(() => venue.accept(now, fence));
    if (outcomes.length === 0) return;
    outcomes.push(() => venue.burn());
    const apply = outcomes[choices.choose(outcomes.length + 1, label) - 1];
    if (apply === undefined) return;
    apply();
    this.#clear();
  }

  #clear(): void {
    this.#hasOriginal = false;
    this.#fence = undefined;
  }
}

/** Whether terms under the id of an order are those of its fence. */
export const isFence = (original: OrderTerms, terms: OrderTerms): boolean =>
  original.quantity !== terms.quantity || original.price !== terms.price;
