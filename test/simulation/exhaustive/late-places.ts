import { scaledOf } from '../../harness/scaled.js';
import type { OrderTerms } from '../../../src/core/order.js';
import type { Choices } from './choices.js';
import type { PlaceVenue } from './place-venue.js';

/** Requests that left and were not served: each may land at any later step, or never. */
export class LatePlaces {
  readonly #original: OrderTerms;
  #hasOriginal = false;
  #fence: OrderTerms | undefined;

  constructor(original: OrderTerms) {
    this.#original = original;
  }

  /** The most that each of them may trade once it landed. */
  get reach(): number {
    const original = this.#hasOriginal ? scaledOf(this.#original.quantity) : 0;
    return Math.max(original, scaledOf(this.#fence?.quantity ?? 0));
  }

  add(terms: OrderTerms): void {
    if (isFence(this.#original, terms)) this.#fence = terms;
    else this.#hasOriginal = true;
  }

  /** One of them lands now, makes an order or consumes the id, or they stay on their way. */
  landOrNot(choices: Choices, venue: PlaceVenue, now: number, label: string): void {
    if (venue.isTaken) this.#clear();
    const ways: (() => unknown)[] = [];
    if (this.#hasOriginal) ways.push(() => venue.accept(now, this.#original));
    const fence = this.#fence;
    if (fence !== undefined) ways.push(() => venue.accept(now, fence));
    if (ways.length === 0) return;
    ways.push(() => venue.burn());
    const way = ways[choices.choose(ways.length + 1, label) - 1];
    if (way === undefined) return;
    way();
    this.#clear();
  }

  #clear(): void {
    this.#hasOriginal = false;
    this.#fence = undefined;
  }
}

/** Whether terms under the id of an order are another's than its own. */
export const isFence = (original: OrderTerms, terms: OrderTerms): boolean =>
  original.quantity !== terms.quantity || original.price !== terms.price;
