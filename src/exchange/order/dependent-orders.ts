import type { MatchedTrade } from '../account/bookkeeper.js';
import type { ExchangeState } from '../exchange-state.js';
import type { ExchangeOrderState, ExchangePositionState } from '../price/symbol-state.js';
import type { ExchangeOrderCanceler } from './order-canceler.js';
import { opposes } from './order-record.js';

/** The orders that depend on a position: its stop and target, reduce-only orders, pending entries. */
export class DependentOrders {
  readonly #state: ExchangeState;
  readonly #canceler: ExchangeOrderCanceler;

  constructor(state: ExchangeState, canceler: ExchangeOrderCanceler) {
    this.#state = state;
    this.#canceler = canceler;
  }

  /** The entry's stop and target now protect the position. A second one replaces the first (assumption). */
  attach(entry: ExchangeOrderState, position: ExchangePositionState): void {
    for (const order of entry.protectiveOrders) {
      const key = order.role === 'stop-loss' ? 'stopLoss' : 'takeProfit';
      const current = position[key];
      const keepsCurrent = current !== undefined && this.#state.assumptions.secondLeg === 'keep';
      if (!order.open || current === order || keepsCurrent) continue;
      position[key] = order;
      order.joinPosition(position.id);
      if (current !== undefined) this.#canceler.cancel(current, 'system-canceled');
    }
  }

  /** Cancels stop and target of a position. */
  cancelProtective(position: ExchangePositionState | undefined): void {
    for (const order of [position?.stopLoss, position?.takeProfit]) {
      if (order?.open === true) this.#canceler.cancel(order, 'system-canceled');
    }
  }

  /** Cancels the protective and reduce-only orders of a closed position; entries move to the next. */
  onPositionClosed(
    position: ExchangePositionState,
    end: { readonly by: MatchedTrade; readonly successor: ExchangePositionState | undefined },
  ): void {
    const { by, successor } = end;
    if (!this.#keepsProtective(by, successor)) this.cancelProtective(position);
    const pending = position.symbolState.pending(position.currency);
    for (const order of pending) if (order !== by.order) this.cancelOrphanedReduceOnly(order);
    const entries = pending.filter((order) => order.open && !order.reduceOnly && !order.reverses);
    if (entries.length > 0) {
      this.#joinPosition(entries, successor?.id ?? this.#state.options.nextId());
    }
  }

  /** Pending entries belong to the successor position, or initiate the next one. */
  #joinPosition(entries: readonly ExchangeOrderState[], positionId: string): void {
    for (const entry of entries) {
      for (const order of [entry, ...entry.protectiveOrders]) {
        order.joinPosition(positionId);
        if (!order.open) this.#state.orders.rewrite(order);
      }
    }
  }

  /** A reduce-only order must not wait for the next position once its own has closed (assumption). */
  cancelOrphanedReduceOnly(order: ExchangeOrderState): void {
    if (!order.open || !order.reduceOnly) return;
    if (this.#state.assumptions.reduceOnlyAtClose === 'keep') return;
    if (opposes(order.symbolState.positions.get(order.currency), order.side)) return;
    this.#canceler.cancel(order, 'system-canceled', 'its position is closed');
  }

  /** Whether stops and targets stay listed after their position has closed (assumption). */
  #keepsProtective(
    { order, liquidation }: MatchedTrade,
    successor: ExchangePositionState | undefined,
  ): boolean {
    if (this.#state.assumptions.legsAtClose === 'cancel') return false;
    const plain = order.role === 'trade' && !order.reverses && !liquidation;
    return plain && successor === undefined;
  }
}
