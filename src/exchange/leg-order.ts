import { fixed, type Price, type Quantity } from '../core/fixed.js';
import { opposite, type Side } from '../core/order.js';
import type { ExchangeState } from './exchange-state.js';
import { OrderRecord } from './order-record.js';
import type { BookOrder } from './symbol-book.js';

/** What a stop or target guards: an entry that waits, or an open position. */
export interface Guarded {
  readonly terms: Pick<BookOrder, 'book' | 'currency' | 'leverage' | 'positionId'>;
  /** That opened it, or will. */
  readonly side: Side;
  readonly quantity: Quantity;
}

export interface LegSeed {
  readonly role: 'stop-loss' | 'take-profit';
  readonly price: Price;
  readonly clientOrderId?: string | undefined;
}

/** A stop or target: its own order row, quantity 0, accepted at once. */
export function createLeg(
  state: ExchangeState,
  { terms, side, quantity }: Guarded,
  { role, price, clientOrderId }: LegSeed,
): BookOrder {
  const leg = new OrderRecord({
    orderId: state.options.nextId(),
    clientOrderId,
    book: terms.book,
    currency: terms.currency,
    role,
    side: opposite(side),
    type: 'market',
    quantity: fixed(0),
    price,
    reduceOnly: true,
    leverage: terms.leverage,
    hedgeRate: state.hedgeRate(terms.currency),
    positionId: terms.positionId,
    nowMs: state.nowMs,
    covers: state.assumptions.stopQuantity === 'static' ? quantity : undefined,
  });
  state.accept(leg);
  return leg;
}
