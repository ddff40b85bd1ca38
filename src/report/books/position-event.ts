import type { CloseReport, FeeReport } from '../../core/account.js';
import { add, isGreater, smaller, subtract, ZERO, type Quantity } from '../../core/fixed/fixed.js';
import type { AccountLists, FilledOrder } from './account-lists.js';

const NONE = ZERO as Quantity;

/** A change of a position, or a charge on it, at a whole second of the venue. */
export type PositionEvent = { readonly at: number; readonly symbol: string } & (
  | { readonly kind: 'open'; readonly order: FilledOrder; readonly quantity: Quantity }
  | { readonly kind: 'close'; readonly close: CloseReport }
  | { readonly kind: 'funding'; readonly charge: FeeReport }
);

/** The events of an account, oldest first; those of one second together, in the order of the lists. */
export function* eventsBySecond(lists: AccountLists): Iterable<readonly PositionEvent[]> {
  const events = [...openings(lists), ...closings(lists), ...fundings(lists)];
  let second: PositionEvent[] = [];
  for (const event of events.sort((a, b) => a.at - b.at)) {
    if (second[0] !== undefined && second[0].at !== event.at) {
      yield second;
      second = [];
    }
    second.push(event);
  }
  if (second.length > 0) yield second;
}

/** The part of each order that no close has: what it opened. */
function* openings({ orders, closes }: AccountLists): Iterable<PositionEvent> {
  const closed = new Map<string, Quantity>();
  for (const { orderId, quantity } of closes)
    if (orderId !== undefined) closed.set(orderId, add(closed.get(orderId) ?? NONE, quantity));
  for (const order of orders) {
    let left = subtract(order.filledQuantity, closed.get(order.orderId) ?? NONE);
    const { symbol, executions = [] } = order;
    // Of an order that turns a position, the last fills open.
    for (const execution of [...executions].reverse()) {
      const quantity = smaller(execution.quantity, left);
      if (!isGreater(quantity, NONE)) break;
      left = subtract(left, quantity);
      const filled = { ...order, averagePrice: execution.price };
      const at = wholeSecond(execution.filledAt);
      yield { kind: 'open', at, symbol, order: filled, quantity };
    }
    const at = order.updatedAt ?? order.createdAt ?? 0;
    if (isGreater(left, NONE)) yield { kind: 'open', at, symbol, order, quantity: left };
  }
}

function* closings({ closes }: AccountLists): Iterable<PositionEvent> {
  for (const close of closes)
    yield { kind: 'close', at: close.closedAt, symbol: close.symbol, close };
}

function* fundings({ charges }: AccountLists): Iterable<PositionEvent> {
  for (const charge of charges)
    if (charge.kind === 'funding')
      yield { kind: 'funding', at: charge.createdAt, symbol: charge.symbol, charge };
}

const wholeSecond = (ms: number): number => ms - (ms % 1_000);
