import type { AssumptionOf } from './assumption-entry.js';

/** Checks, amendment and history of orders. */
export interface OrderAssumptions {
  readonly reduceOnlyNotional: 'checked' | 'exempt';
  readonly partialCloseNotional: 'exempt' | 'checked';
  readonly v1MarketPrice: 'any' | 'in-range';
  readonly partialCancelStatus: 'canceled' | 'partially-filled';
  readonly orderHistory: 'final' | 'all';
  readonly idBurn: 'never' | 'on-hard-reject';
  readonly amendFilled: 'refused' | 'accepted';
  readonly amendQuantity: 'total' | 'remaining';
}

export const ORDER_ASSUMPTIONS: readonly AssumptionOf<OrderAssumptions>[] = [
  {
    id: 'exchange-reduce-only-notional',
    field: 'reduceOnlyNotional',
    default: 'checked',
    other: 'exempt',
    reason: 'The error table of the interface exempts nothing from the minimum order value.',
  },
  {
    id: 'exchange-partial-close-notional',
    field: 'partialCloseNotional',
    default: 'exempt',
    other: 'checked',
    reason: 'The venue accepted a partial close of 0.011 USDT, far below the minimum order value.',
  },
  {
    id: 'exchange-v1-market-price',
    field: 'v1MarketPrice',
    default: 'any',
    other: 'in-range',
    reason:
      'The interface bounds order_price in a v1 order, but its own example sends 12445627 with a market order, which uses the live price.',
  },
  {
    id: 'exchange-partial-cancel-status',
    field: 'partialCancelStatus',
    default: 'canceled',
    other: 'partially-filled',
    reason: 'The known issue says that the status can remain PARTIAL_FILLED, not that it does.',
  },
  {
    id: 'exchange-order-history',
    field: 'orderHistory',
    default: 'final',
    other: 'all',
    reason: 'Open orders have a list of their own; history holds ended orders.',
  },
  {
    id: 'exchange-id-burn',
    field: 'idBurn',
    default: 'never',
    other: 'on-hard-reject',
    reason:
      'Rule 4 of client order ids names the edge case, but not which rejects use an id up. Hard rejects are those of the checks after asset, lock and leverage.',
  },
  {
    id: 'exchange-amend-filled',
    field: 'amendFilled',
    default: 'refused',
    other: 'accepted',
    reason:
      'The interface amends an open unfilled order, without defining whether a partially filled one counts.',
  },
  {
    id: 'exchange-amend-quantity',
    field: 'amendQuantity',
    default: 'total',
    other: 'remaining',
    reason:
      'The interface does not define the quantity of an amend once part is filled. It matters only where that amend is accepted.',
  },
];
