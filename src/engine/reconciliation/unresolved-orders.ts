import type { OwnOrder } from '../../execution/order/own-order.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';

/** Orders of a time without reads, until the venue has reported each of them. */
export class UnresolvedOrders {
  readonly #unreadable: UnreadableSymbols;
  #orders: readonly OwnOrder[] = [];
  #since = Number.NEGATIVE_INFINITY;

  constructor(unreadable: UnreadableSymbols) {
    this.#unreadable = unreadable;
  }

  /** Monotonic ms; reads that began before it do not count. */
  get since(): number {
    return this.#since;
  }

  get all(): readonly OwnOrder[] {
    return this.#orders;
  }

  track(orders: readonly OwnOrder[], since = this.#since): void {
    this.#orders = orders;
    this.#since = since;
  }

  /** Whether an order still waits for its report; one on an unreadable symbol does not count. */
  hasPending(): boolean {
    if (this.#orders.length > 0) {
      this.#orders = this.#orders.filter((order) => awaitsQuery(order, this.#since));
    }
    return this.#orders.some(({ terms }) => this.#unreadable.reason(terms.symbol) === undefined);
  }
}

const awaitsQuery = ({ state, lastReadAt }: OwnOrder, since: number): boolean =>
  state === 'sent' || ((state === 'verifying' || state === 'accepted') && lastReadAt <= since);
