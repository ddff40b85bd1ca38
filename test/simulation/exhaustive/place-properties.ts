import { isClientOrderId } from '../../../src/core/ids.js';
import type { RequestOf } from '../../../src/core/request.js';
import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import type { OwnOrder } from '../../../src/execution/order/own-order.js';
import type { SymbolExposure } from '../../../src/risk/exposure.js';
import type { SingleOrderExchange } from './single-order-exchange.js';

/** State of the bot and of the venue at one moment. */
export interface OrderSnapshot {
  /** undefined: the bot has no order. */
  readonly order: OwnOrder | undefined;
  readonly venue: SingleOrderExchange;
  /** The most that requests in flight may trade, of this run or a previous one; 0: none. */
  readonly late: number;
  readonly exposure: SymbolExposure;
  /** The journal has durable records. */
  readonly isWritten: boolean;
  readonly isHalted: boolean;
}

/** Safety properties of one order after each step. @throws Error naming the broken one */
export function checkStep(snapshot: OrderSnapshot): void {
  const { order, venue, late, exposure } = snapshot;
  if (order === undefined) {
    must(!snapshot.isWritten, 'P2: a durable intent is recovered');
    must(!venue.hasOrder && late === 0, 'P2: every order has its intent');
    return;
  }
  const { state } = order;
  const worst = Math.max(venue.potentialQuantity, venue.isTaken ? 0 : late);
  must(
    exposure.maxPosition >= worst,
    `P4: exposure that may land is reserved while the order is ${state}`,
  );
  if (neverLanded(state)) must(worst === 0, `P8: an order that is ${state} cannot trade`);
  if (state === 'filled' || state === 'canceled') {
    const isOver = venue.status !== 'open' && venue.filled === order.filledQuantity;
    must(isOver, `P8: an order that is ${state} has ended at the venue, with every fill`);
  }
  const isBookedOnce = exposure.position === order.filledQuantity;
  must(isBookedOnce, 'P3: the position is the filled quantity, counted once');
}

/** Properties long after the faults stopped. */
export function checkEnd(snapshot: OrderSnapshot): void {
  const { order, venue, isHalted } = snapshot;
  if (order === undefined) return;
  const { state } = order;
  must(isDecided(snapshot), `P17: decided at quiet; the order is ${state}`);
  if (venue.isExternal) {
    const isHeld = isHalted && order.unproved;
    must(isHeld, `P20: an external order under our id halts; ours is ${state}`);
  } else if (venue.hasOrder) {
    const isTrue = state === venue.status && order.filledQuantity === venue.filled;
    must(isTrue, `P8: the venue's order is ${venue.status}, ours ${state}`);
    must(order.isFence === venue.isFence, `P8: the venue's order is ${fenceText(venue)}`);
  } else must(neverLanded(state), `P8: the venue has no order, ours is ${state}`);
}

const fenceText = ({ isFence }: SingleOrderExchange): string =>
  isFence ? 'the fence' : 'the original';

/**
 * The order has ended or trading is halted: a withdrawn order that never landed is fenced, so that
 * nothing stays quarantined.
 */
export const isDecided = ({ order, isHalted }: OrderSnapshot): boolean =>
  order === undefined || order.ended || isHalted;

/** Checks a request that leaves under the id of the intent. */
export function checkRequest(
  { clientOrderId, terms }: RequestOf<'place'>,
  { id, payload }: { readonly id: string; readonly payload: string },
): void {
  must(isClientOrderId(clientOrderId), 'P29: a valid id');
  must(clientOrderId === id, 'P29: the same id');
  must(JSON.stringify(terms) === payload, 'P29: one payload for one id, and one for its fence');
}

/** Whether an instruction is in the journal, after which no run may send the original. */
export const isWithdrawn = (records: readonly JournalRecord[]): boolean =>
  records.some(({ type }) => type === 'instruction');

const neverLanded = (state: OwnOrder['state']): boolean =>
  state === 'rejected' || state === 'dropped' || state === 'burned';

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
