import { fixed, type Price, type Quantity } from '../../core/fixed/fixed.js';
import { oppositeSide, type Side } from '../../core/order.js';
import type { ExchangeState } from '../exchange-state.js';
import { OrderRecord } from './order-record.js';
import type { ExchangeOrderState } from '../price/symbol-state.js';

/** The pending entry or open position that a stop or target protects. */
export interface ProtectedExposure {
  readonly terms: Pick<ExchangeOrderState, 'symbolState' | 'currency' | 'leverage' | 'positionId'>;
  /** The opening side. */
  readonly side: Side;
  readonly quantity: Quantity;
}

export interface ProtectiveOrderInit {
  readonly role: 'stop-loss' | 'take-profit';
  readonly price: Price;
  readonly clientOrderId?: string | undefined;
}

/** Creates a stop or target: an order row of its own, quantity 0, accepted at once. */
export function createProtectiveOrder(
  state: ExchangeState,
  { terms, side, quantity }: ProtectedExposure,
  { role, price, clientOrderId }: ProtectiveOrderInit,
): ExchangeOrderState {
  const order = new OrderRecord({
    orderId: state.options.nextId(),
    clientOrderId,
    symbolState: terms.symbolState,
    currency: terms.currency,
    role,
    side: oppositeSide(side),
    type: 'market',
    quantity: fixed(0),
    price,
    reduceOnly: true,
    leverage: terms.leverage,
    hedgeRate: state.hedgeRate(terms.currency),
    positionId: terms.positionId,
    nowMs: state.nowMs,
    coveredQuantity: state.assumptions.stopQuantity === 'static' ? quantity : undefined,
  });
  state.accept(order);
  return order;
}
