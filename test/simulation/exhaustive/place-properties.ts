import { isClientOrderId } from '../../../src/core/ids.js';
import type { RequestOf } from '../../../src/core/request.js';
import type { JournalRecord } from '../../../src/execution/journal/journal-record.js';
import type { OwnOrder } from '../../../src/execution/order/own-order.js';
import type { SymbolExposure } from '../../../src/risk/exposure.js';
import type { PlaceVenue } from './place-venue.js';

/** Everything at one moment: what the bot believes, and what is. */
export interface Sight {
  /** undefined: the bot knows of none. */
  readonly order: OwnOrder | undefined;
  readonly venue: PlaceVenue;
  /** The most that what is on its way may trade, from this life or an earlier one; 0: nothing is. */
  readonly late: number;
  readonly exposure: SymbolExposure;
  /** The journal has durable records. */
  readonly isWritten: boolean;
  readonly isHalted: boolean;
}

/** Properties of reliability part 3, as far as one order can break them. @throws Error naming one */
export function checkStep(sight: Sight): void {
  const { order, venue, late, exposure } = sight;
  if (order === undefined) {
    must(!sight.isWritten, 'P2: an intent that was durable is known');
    must(!venue.hasOrder && late === 0, 'P2: every order has its intent');
    return;
  }
  const { state } = order;
  const worst = Math.max(venue.reach, venue.isTaken ? 0 : late);
  must(exposure.longest >= worst, `P4: what may land is reserved while the order is ${state}`);
  if (isNever(state)) must(worst === 0, `P8: an order that is ${state} cannot trade`);
  if (state === 'filled' || state === 'canceled') {
    const isOver = venue.status !== 'open' && venue.filled === order.filledQuantity;
    must(isOver, `P8: an order that is ${state} is over, with all that it traded`);
  }
  const isBookedOnce = exposure.position === order.filledQuantity;
  must(isBookedOnce, 'P3: the position is what was filled, once');
}

/** Long after the faults. */
export function checkEnd(sight: Sight): void {
  const { order, venue, isHalted } = sight;
  if (order === undefined) return;
  const { state } = order;
  must(isDecided(sight), `P17: decided at quiet; the order is ${state}`);
  if (venue.isForeign) {
    const isKept = isHalted && order.unproved;
    must(isKept, `P20: another's order under our id halts; ours is ${state}`);
  } else if (venue.hasOrder) {
    const isTrue = state === venue.status && order.filledQuantity === venue.filled;
    must(isTrue, `P8: the venue's order is ${venue.status}, ours ${state}`);
    must(order.isFence === venue.isFence, `P8: the venue's order is ${fenceText(venue)}`);
  } else must(isNever(state), `P8: the venue has no order, ours is ${state}`);
}

const fenceText = ({ isFence }: PlaceVenue): string => (isFence ? 'the fence' : 'the original');

/** Ended: what never landed and is not wanted is fenced, so that nothing stays quarantined. */
export const isDecided = ({ order, isHalted }: Sight): boolean =>
  order === undefined || order.ended || isHalted;

/** What leaves for the venue under the intent's id. */
export function checkRequest(
  { clientOrderId, terms }: RequestOf<'place'>,
  { id, payload }: { readonly id: string; readonly payload: string },
): void {
  must(isClientOrderId(clientOrderId), 'P29: a valid id');
  must(clientOrderId === id, 'P29: the same id');
  must(JSON.stringify(terms) === payload, 'P29: one payload for one id, and one for its fence');
}

/** That an instruction for the order is in the journal: the original must not leave again, in any life. */
export const isWithdrawn = (records: readonly JournalRecord[]): boolean =>
  records.some(({ type }) => type === 'instruction');

const isNever = (state: OwnOrder['state']): boolean =>
  state === 'rejected' || state === 'dropped' || state === 'burned';

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
