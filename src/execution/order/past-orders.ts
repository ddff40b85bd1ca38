import { IdTable } from '../id-table.js';
import type { EndState } from './order-state.js';
import type { OwnOrder } from './own-order.js';

/** The part of an order that memory keeps long after its end. The journal has the rest. */
export interface PastOrder {
  readonly clientOrderId: string;
  readonly ended: true;
  readonly state: EndState;
  readonly wasSent: boolean;
  readonly wasResolved: boolean;
}

/** An order of ours, whole or past. */
export type KnownOrder = OwnOrder | PastOrder;

const STATES: readonly EndState[] = ['filled', 'canceled', 'rejected', 'dropped', 'burned'];
const SENT = 8;
const RESOLVED = 16;
/** Marks a code, so that none is 0. */
const PRESENT = 32;

/**
 * The ids and the ends of orders that ended long ago: a client order id is used once for ever (control ONCE),
 * and a late row of a list or of history must be known as ours. 39 to 78 bytes an order with both ids.
 */
export class PastOrders {
  readonly #clientOrderIds = new IdTable();
  readonly #orderIds = new IdTable();

  add({ clientOrderId, orderId, state, wasSent, wasResolved }: OwnOrder): void {
    const index = STATES.indexOf(state as EndState);
    const code = index | (wasSent ? SENT : 0) | (wasResolved ? RESOLVED : 0) | PRESENT;
    this.#clientOrderIds.add(clientOrderId, code);
    if (orderId !== undefined) this.#orderIds.add(orderId);
  }

  find(clientOrderId: string): PastOrder | undefined {
    const code = this.#clientOrderIds.get(clientOrderId);
    if (code === 0) return undefined;
    return {
      clientOrderId,
      ended: true,
      state: STATES[code & 7] as EndState,
      wasSent: (code & SENT) !== 0,
      wasResolved: (code & RESOLVED) !== 0,
    };
  }

  /** @param orderId the venue's */
  hasOrderId(orderId: string): boolean {
    return this.#orderIds.has(orderId);
  }
}
