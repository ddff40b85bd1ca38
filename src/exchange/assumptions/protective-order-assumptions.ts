import type { AssumptionOf } from './assumption-entry.js';

/** Stops and targets. */
export interface ProtectiveOrderAssumptions {
  readonly legOnExisting: 'replace' | 'refuse';
  readonly legBeyondMarket: 'refused' | 'fires';
  readonly legPriceStep: 'any' | 'checked';
  readonly movedStop: 'free' | 'liquidation';
  readonly limitLeg: 'rests' | 'market';
  readonly stopQuantity: 'whole' | 'static';
  readonly legsAtClose: 'cancel' | 'keep';
}

export const PROTECTIVE_ORDER_ASSUMPTIONS: readonly AssumptionOf<ProtectiveOrderAssumptions>[] = [
  {
    id: 'exchange-leg-on-existing',
    field: 'legOnExisting',
    default: 'replace',
    other: 'refuse',
    reason:
      'Nothing is public; supplement 11.4 assumes that a second risk order replaces the first.',
  },
  {
    id: 'exchange-leg-beyond-market',
    field: 'legBeyondMarket',
    default: 'refused',
    other: 'fires',
    reason:
      'For a stop or target that the market has passed: the interface refuses only the wrong side of the liquidation price.',
  },
  {
    id: 'exchange-leg-price-step',
    field: 'legPriceStep',
    default: 'any',
    other: 'checked',
    reason:
      'The interface bounds stop and target prices, but asks for the price step only in limit prices.',
  },
  {
    id: 'exchange-moved-stop',
    field: 'movedStop',
    default: 'free',
    other: 'liquidation',
    reason: 'The interface has the liquidation rule for setting a stop, not for editing one.',
  },
  {
    id: 'exchange-limit-leg',
    field: 'limitLeg',
    default: 'rests',
    other: 'market',
    reason:
      'No document describes a stop or target edited to trigger_type LIMIT. Either it rests until it can trade at its price or better, or it trades at the market like any other.',
  },
  {
    id: 'exchange-stop-quantity',
    field: 'stopQuantity',
    default: 'whole',
    other: 'static',
    reason:
      'Stop rows print quantity 0, which reads as the whole position. The other answer keeps the quantity at the time of setting.',
  },
  {
    id: 'exchange-legs-at-close',
    field: 'legsAtClose',
    default: 'cancel',
    other: 'keep',
    reason:
      'Supplement 10 assumes that stops and targets end with the position; the interface documents it for a reverse only.',
  },
];
