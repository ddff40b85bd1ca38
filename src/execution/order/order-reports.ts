import {
  add,
  averagePrice,
  multiplyExact,
  subtract,
  type Price,
  type Quantity,
} from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';
import type { ProtocolParts } from '../protocol-parts.js';
import { manuallyAmendedTerms, contradictionOf, isOfFence } from './order-comparison.js';
import { isUnproved } from './order-state.js';
import type { OwnOrder } from './own-order.js';

/** Applies reports of the venue to our orders: whose a report is, and what is new in it. */
export class OrderReports {
  readonly #parts: ProtocolParts;
  readonly #onFound: (order: OwnOrder) => void;

  /** @param onFound called once when a report proves that the venue has an order */
  constructor(parts: ProtocolParts, onFound: (order: OwnOrder) => void) {
    this.#parts = parts;
    this.#onFound = onFound;
  }

  /** @returns whether the report is of this order and may be applied */
  acceptReport(order: OwnOrder, report: OrderReport): boolean {
    if (order.ended || order.state === 'sent' || order.state === 'waiting') return false;
    if (isOfFence(order, report)) {
      this.#parts.journal.fenceFound(order, report.orderId);
      order.landAsFence();
    }
    const difference = contradictionOf(order, report);
    if (difference !== undefined && this.#acceptExternalAmendment(order, report)) return true;
    if (difference !== undefined) {
      this.#onDifferentOrder(order, difference);
      return false;
    }
    const found = order.state !== 'accepted';
    order.orderId = report.orderId;
    order.positionId ??= report.positionId;
    if (found) {
      order.apply('found');
      this.#parts.journal.update(order, report);
      this.#onFound(order);
    }
    return true;
  }

  /**
   * Halts until the operator adopts the other order. Then ours is burned: the venue takes an id
   * once.
   */
  #onDifferentOrder(order: OwnOrder, difference: string): void {
    const { engine, end } = this.#parts;
    if (!engine.isAdopted(order.clientOrderId)) {
      engine.halt(differentOrderText(order.clientOrderId, difference));
    } else if (isUnproved(order.state)) {
      const evidence = `the venue has another order under its id: ${difference}`;
      end(order, 'proved-burned', evidence);
    }
  }

  /** An acknowledged order stays ours when it is amended in the exchange's app. */
  #acceptExternalAmendment(order: OwnOrder, report: OrderReport): boolean {
    if (order.state !== 'accepted' || report.orderId !== order.orderId) return false;
    const amended = manuallyAmendedTerms(order.terms, report);
    if (amended === undefined) return false;
    this.#parts.journal.note(
      order,
      'amended outside this bot: the terms at the venue count from now on',
    );
    order.applyAmendment(amended);
    return true;
  }

  /** @returns whether the report has a new fill */
  recordFill(order: OwnOrder, report: OrderReport): boolean {
    const before = order.filledQuantity;
    const delta = subtract(report.filledQuantity, before);
    if (delta <= 0) return false;
    const average = report.averagePrice ?? report.price ?? order.intent.referencePrice;
    const price = before === 0 ? average : priceOfNewest(order, average, delta);
    order.filledQuantity = report.filledQuantity;
    order.averagePrice = average;
    order.lastFilledAt = this.#parts.engine.stamp.venueTime;
    this.#parts.journal.update(order, report);
    this.#parts.engine.onFilled(order, delta, price);
    return true;
  }
}

const differentOrderText = (id: string, difference: string): string =>
  `order ${id} at the venue is not the one we sent: ${difference}. Either another bot runs with this ` +
  'account name (each state folder on a venue account needs its own `account`), or this folder is an ' +
  'older copy or a backup, or the order was amended outside this bot before we had its answer. Stop the other ' +
  `bot or give it another \`account\`; then adopt that order with --adopt ${id}`;

/** Price of the last `delta`, from the average price before and after it. */
function priceOfNewest(order: OwnOrder, average: Price, delta: Quantity): Price {
  const filled: Quantity = order.filledQuantity;
  const before = multiplyExact(order.averagePrice ?? average, filled);
  const after = multiplyExact(average, add(filled, delta));
  const price = averagePrice(after - before, delta);
  // Averages that contradict each other must not yield a price of 0 or below.
  return price > 0 ? price : average;
}
