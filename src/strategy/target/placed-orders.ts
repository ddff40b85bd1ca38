import { add, fixed, textFromFixed, type Quantity } from '../../core/fixed/fixed.js';
import { decisionKey, type DecisionCause } from '../../core/intent.js';
import { OrdinalMap } from '../../core/table/ordinal-map.js';
import type { EntryStyle } from '../contract/entry-style.js';
import type { FillEvent, OrderEnd } from '../contract/strategy-port.js';
import type { Decision } from '../host/decision-context.js';

export interface PlacedOrder {
  readonly decision: Decision;
  readonly leg: number;
  /** Submitted by a target, not as a resting order of the strategy. */
  readonly isTargetOrder: boolean;
}

/** A placed order with the quantity that its fills add up to. */
class CountedOrder implements PlacedOrder {
  readonly decision: Decision;
  readonly leg: number;
  readonly isTargetOrder: boolean;
  filled: Quantity = fixed(0);

  constructor({ decision, leg, isTargetOrder }: PlacedOrder) {
    this.decision = decision;
    this.leg = leg;
    this.isTargetOrder = isTargetOrder;
  }
}

/** The orders that this run has placed, by the engine's key, and the decisions behind them. */
export class PlacedOrders {
  readonly #entry: EntryStyle;
  readonly #orders = new OrdinalMap<CountedOrder>();
  /** Canceled in this run and not ended, also where the cancel failed. */
  readonly #withdrawn = new Set<number>();

  constructor(entry: EntryStyle) {
    this.#entry = entry;
  }

  add(key: number, order: PlacedOrder): void {
    this.#orders.add(key, new CountedOrder(order));
  }

  /** The strategy, or a newer target, has canceled the order. */
  withdraw(key: number): void {
    this.#withdrawn.add(key);
  }

  isWithdrawn(key: number): boolean {
    return this.#withdrawn.has(key);
  }

  /** False for an order of a previous run, too. */
  isTargetOrder(key: number): boolean {
    return this.#orders.get(key)?.isTargetOrder === true;
  }

  /**
   * Counts the fill. A limit order of a previous run was resting, or was an entry.
   * @returns whether a target had submitted the order
   */
  onFill({ key, type, quantity }: FillEvent): boolean {
    const order = this.#orders.get(key);
    if (order === undefined) return type === 'market' || this.#entry.kind !== 'market';
    order.filled = add(order.filled, quantity);
    return order.isTargetOrder;
  }

  /** @returns whether a target had submitted the order */
  onEnded({ key, intent }: OrderEnd): boolean {
    const order = this.#orders.get(key);
    this.#orders.delete(key);
    this.#withdrawn.delete(key);
    return order?.isTargetOrder ?? intent.terms.type === 'market';
  }

  /**
   * Cause of decisions on a fill that `onFill` has counted. It names the order by its decision and the
   * fill by the quantity filled so far, because both are the same after a restart.
   */
  causeOf({ key, time, quantity }: FillEvent): DecisionCause {
    const order = this.#orders.get(key);
    if (order === undefined)
      return {
        kind: 'fill',
        orderId: `order-${key}`,
        fillId: `${time}:${textFromFixed(quantity)}`,
      };
    const { decision, leg, filled } = order;
    return fillCause(decision, leg, textFromFixed(filled));
  }
}

/** Cause of decisions on the end of an order. */
export const causeOfEnd = ({ intent, end }: OrderEnd): DecisionCause =>
  fillCause(intent, intent.leg, end);

const fillCause = (
  { cause, ordinal }: Pick<Decision, 'cause' | 'ordinal'>,
  leg: number,
  fillId: string,
): DecisionCause => ({ kind: 'fill', orderId: `${decisionKey(cause, ordinal)}/${leg}`, fillId });
