import type { AssumptionOf } from './assumption-entry.js';

/** Triggers, liquidation and the end of a position. */
export interface PositionAssumptions {
  readonly stopTrigger: 'last' | 'mark';
  readonly liquidationTrigger: 'mark' | 'last';
  readonly maintenanceRate: 'capped' | 'listed';
  readonly liquidationFee: 'charged' | 'none';
  readonly liquidatedPrice: 'step' | 'exact';
  readonly oppositeExcess: 'flip' | 'drop';
  readonly flipPositionId: 'same' | 'new';
  readonly flipMargin: 'free' | 'with-released';
  readonly secondLeg: 'replace' | 'keep';
  readonly reduceOnlyAtClose: 'cancel' | 'keep';
}

export const POSITION_ASSUMPTIONS: readonly AssumptionOf<PositionAssumptions>[] = [
  {
    id: 'exchange-stop-trigger',
    field: 'stopTrigger',
    default: 'last',
    other: 'mark',
    reason:
      'No document names the price that triggers a stop or target (supplement 14); trades happen at the last price.',
  },
  {
    id: 'exchange-liquidation-trigger',
    field: 'liquidationTrigger',
    default: 'mark',
    other: 'last',
    reason: 'Supplement 12 assumes the mark price.',
  },
  {
    id: 'exchange-maintenance-rate',
    field: 'maintenanceRate',
    default: 'capped',
    other: 'listed',
    reason:
      'No document gives rates. Supplement 12 assumes 1 %, which would liquidate a position at 100x as it opens, and 100x is traded live. The exchange applies the smaller of the listed rate and 1 / (2 × leverage), where leverage is entry value over opening collateral.',
  },
  {
    id: 'exchange-liquidation-fee',
    field: 'liquidationFee',
    default: 'charged',
    other: 'none',
    reason:
      'Margin reserves a fee at the bankruptcy price (supplement 12), and a liquidation spends it.',
  },
  {
    id: 'exchange-liquidated-price',
    field: 'liquidatedPrice',
    default: 'step',
    other: 'exact',
    reason:
      'The XRP sample prints 1.204929 as 1.2049. Amounts follow the exact price in both answers.',
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
    reason: 'The interface documents it for a reverse: the position stays open on the other side.',
  },
  {
    id: 'exchange-flip-margin',
    field: 'flipMargin',
    default: 'free',
    other: 'with-released',
    reason:
      'The check at placing reads the available balance, which excludes margin that a flip would free.',
  },
  {
    id: 'exchange-second-leg',
    field: 'secondLeg',
    default: 'replace',
    other: 'keep',
    reason: 'Supplement 11.4 assumes that a new stop or target replaces the existing one.',
  },
  {
    id: 'exchange-reduce-only-at-close',
    field: 'reduceOnlyAtClose',
    default: 'cancel',
    other: 'keep',
    reason:
      'A reduce-only order has no purpose once its position is closed, and must not reduce the next one.',
  },
];
