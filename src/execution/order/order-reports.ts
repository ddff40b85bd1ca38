import {
  add,
  averagePrice,
  multiplyExact,
  subtract,
  type Price,
  type Quantity,
} from '../../core/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { amendedByHand, contradictionOf, isOfFence } from './order-comparison.js';
import { isUnproved } from './order-state.js';
import type { OwnOrder } from './own-order.js';

/** Takes what the venue tells into our orders: whose it is, and what of it is new. */
export class OrderReports {
  readonly #parts: ProtocolParts;
  readonly #adopt: (order: OwnOrder) => void;

  /** @param adopt told of an order that a report has found */
  constructor(parts: ProtocolParts, adopt: (order: OwnOrder) => void) {
    this.#parts = parts;
    this.#adopt = adopt;
  }

  /** Takes a report in. @returns whether it is of this order and may be built on */
  meet(order: OwnOrder, report: OrderReport): boolean {
    if (order.ended || order.state === 'sent' || order.state === 'waiting') return false;
    if (isOfFence(order, report)) {
      this.#parts.journal.fenceFound(order, report.orderId);
      order.landAsFence();
    }
    const difference = contradictionOf(order, report);
    if (difference !== undefined && this.#isAmended(order, report)) return true;
    if (difference !== undefined) {
      this.#meetAnother(order, difference);
      return false;
    }
    const found = order.state !== 'accepted';
    order.orderId = report.orderId;
    order.positionId ??= report.positionId;
    if (found) {
      order.move('found');
      this.#parts.journal.update(order, report);
      this.#adopt(order);
    }
    return true;
  }

  /** Once a person knows of it: the venue takes an id once, so that ours never landed and never can. */
  #meetAnother(order: OwnOrder, difference: string): void {
    const { world, end } = this.#parts;
    if (!world.isAdopted(order.clientOrderId)) {
      world.halt(anotherText(order.clientOrderId, difference));
    } else if (isUnproved(order.state)) {
      const evidence = `the venue has another order under its id: ${difference}`;
      end(order, 'proved-burned', evidence);
    }
  }

  /** What the venue acknowledged to us is ours, whatever somebody made of it in its app (N10). */
  #isAmended(order: OwnOrder, report: OrderReport): boolean {
    if (order.state !== 'accepted' || report.orderId !== order.orderId) return false;
    const amended = amendedByHand(order.terms, report);
    if (amended === undefined) return false;
    this.#parts.journal.note(order, 'somebody amended it: it goes on with the terms at the venue');
    order.amendedTo(amended);
    return true;
  }

  /** @returns whether there was anything new */
  book(order: OwnOrder, report: OrderReport): boolean {
    const before = order.filledQuantity;
    const delta = subtract(report.filledQuantity, before);
    if (delta <= 0) return false;
    const average = report.averagePrice ?? report.price ?? order.intent.referencePrice;
    const price = before === 0 ? average : priceOfNewest(order, average, delta);
    order.filledQuantity = report.filledQuantity;
    order.averagePrice = average;
    this.#parts.journal.update(order, report);
    this.#parts.world.filled(order, delta, price);
    return true;
  }
}

const anotherText = (id: string, difference: string): string =>
  `order ${id} at the venue is not the one we sent: ${difference}. Either another bot runs with this ` +
  'account name (each state folder on a venue account needs its own `account`), or this folder is an ' +
  'older copy or a backup, or somebody has amended the order before we had its answer. Stop the other ' +
  `bot or give it another \`account\`; then adopt that order with --adopt ${id}`;

/** Price of the newest `delta`, from the order's average before and after it. */
function priceOfNewest(order: OwnOrder, average: Price, delta: Quantity): Price {
  const filled: Quantity = order.filledQuantity;
  const before = multiplyExact(order.averagePrice ?? average, filled);
  const after = multiplyExact(average, add(filled, delta));
  const price = averagePrice(after - before, delta);
  // Averages that contradict each other must not make a price that nobody can have paid.
  return price > 0 ? price : average;
}
