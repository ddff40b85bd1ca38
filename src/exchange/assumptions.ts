/**
 * What the simulated exchange had to decide because the interface is silent. Each has both answers;
 * the default follows the supplement's recommendation where it has one.
 */
export interface Assumptions {
  readonly stopTrigger: 'last' | 'mark';
  readonly liquidationTrigger: 'mark' | 'last';
  readonly liquidationFee: 'charged' | 'none';
  readonly liquidatedPrice: 'step' | 'exact';
  readonly oppositeExcess: 'flip' | 'drop';
  readonly flipPositionId: 'same' | 'new';
  readonly flipMargin: 'free' | 'with-released';
  readonly secondLeg: 'replace' | 'keep';
  readonly reduceOnlyAtClose: 'cancel' | 'keep';
  readonly reduceOnlyNotional: 'checked' | 'exempt';
  readonly partialCancelStatus: 'canceled' | 'partially-filled';
  readonly orderHistory: 'final' | 'all';
}

/** One row of docs/assumptions.md. */
export interface AssumptionEntry<Field extends keyof Assumptions = keyof Assumptions> {
  readonly id: string;
  readonly field: Field;
  readonly default: Assumptions[Field];
  readonly other: Assumptions[Field];
  readonly reason: string;
}

type AnyEntry = { [Field in keyof Assumptions]: AssumptionEntry<Field> }[keyof Assumptions];

export const ASSUMPTIONS: readonly AnyEntry[] = [
  {
    id: 'exchange-stop-trigger',
    field: 'stopTrigger',
    default: 'last',
    other: 'mark',
    reason:
      'Which price triggers a stop or target is told nowhere (supplement 14); the last trades.',
  },
  {
    id: 'exchange-liquidation-trigger',
    field: 'liquidationTrigger',
    default: 'mark',
    other: 'last',
    reason: 'Supplement 12 assumes the mark price.',
  },
  {
    id: 'exchange-liquidation-fee',
    field: 'liquidationFee',
    default: 'charged',
    other: 'none',
    reason:
      'Margin reserves a fee at the bankruptcy price (supplement 12): a liquidation spends it.',
  },
  {
    id: 'exchange-liquidated-price',
    field: 'liquidatedPrice',
    default: 'step',
    other: 'exact',
    reason:
      'The XRP sample prints 1.204929 as 1.2049; money follows the exact price in both answers.',
  },
  {
    id: 'exchange-opposite-excess',
    field: 'oppositeExcess',
    default: 'flip',
    other: 'drop',
    reason:
      'Supplement 9 assumes that an opposite order larger than the position closes and flips.',
  },
  {
    id: 'exchange-flip-position-id',
    field: 'flipPositionId',
    default: 'same',
    other: 'new',
    reason: 'The interface says so of a reverse: the position stays open on the other side.',
  },
  {
    id: 'exchange-flip-margin',
    field: 'flipMargin',
    default: 'free',
    other: 'with-released',
    reason:
      'The check at placing reads available balance; margin that a flip would free is not in it.',
  },
  {
    id: 'exchange-second-leg',
    field: 'secondLeg',
    default: 'replace',
    other: 'keep',
    reason: 'Supplement 11.4 assumes that a new stop or target replaces the one the position has.',
  },
  {
    id: 'exchange-reduce-only-at-close',
    field: 'reduceOnlyAtClose',
    default: 'cancel',
    other: 'keep',
    reason:
      'A reduce-only order has no purpose once its position is gone, and must not meet the next.',
  },
  {
    id: 'exchange-reduce-only-notional',
    field: 'reduceOnlyNotional',
    default: 'checked',
    other: 'exempt',
    reason: 'The error table of the interface exempts nothing from the minimum order value.',
  },
  {
    id: 'exchange-partial-cancel-status',
    field: 'partialCancelStatus',
    default: 'canceled',
    other: 'partially-filled',
    reason: 'The known issue says the status can remain PARTIAL_FILLED, not that it does.',
  },
  {
    id: 'exchange-order-history',
    field: 'orderHistory',
    default: 'final',
    other: 'all',
    reason: 'Open orders have a list of their own; history holds what has ended.',
  },
];

export const DEFAULT_ASSUMPTIONS = Object.fromEntries(
  ASSUMPTIONS.map((entry) => [entry.field, entry.default]),
) as unknown as Assumptions;
