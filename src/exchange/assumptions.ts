/**
 * What the simulated exchange had to decide because the interface is silent. Each has both answers;
 * the default follows the supplement's recommendation where it has one.
 */
export interface Assumptions {
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
  readonly reduceOnlyNotional: 'checked' | 'exempt';
  readonly partialCloseNotional: 'exempt' | 'checked';
  readonly v1MarketPrice: 'any' | 'in-range';
  readonly partialCancelStatus: 'canceled' | 'partially-filled';
  readonly orderHistory: 'final' | 'all';
  readonly idBurn: 'never' | 'on-hard-reject';
  readonly amendFilled: 'refused' | 'accepted';
  readonly amendQuantity: 'total' | 'remaining';
  readonly legOnExisting: 'replace' | 'refuse';
  readonly legBeyondMarket: 'refused' | 'fires';
  readonly legPriceStep: 'any' | 'checked';
  readonly movedStop: 'free' | 'liquidation';
  readonly limitLeg: 'rests' | 'market';
  readonly stopQuantity: 'whole' | 'static';
  readonly legsAtClose: 'cancel' | 'keep';
  readonly leverageWhileOpen: 'later-orders' | 'refused';
  readonly v1Available: 'with-unrealised' | 'balance';
  readonly lockScope: 'both-currencies' | 'one-currency';
  readonly lockedActions: 'all' | 'place';
  readonly pendingReduces: 'unbounded' | 'bounded';
  readonly delistingIncrease: 'refused' | 'accepted';
  readonly delistingEntries: 'keep' | 'cancel';
  readonly asyncRefusal: 'canceled' | 'system-canceled';
  readonly addedMarginRate: 'now' | 'entry';
  readonly marginReduction: 'safe' | 'initial';
  readonly closeLimits: 'exempt' | 'checked';
  readonly fundingInstant: 'before-trades' | 'after-trades';
  readonly fundingPrice: 'mark' | 'last';
  readonly fundingShortfall: 'margin' | 'balance';
  readonly pnlHedgeRate: 'exit' | 'entry';
  readonly rebates: 'none' | 'forty-percent';
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
    id: 'exchange-maintenance-rate',
    field: 'maintenanceRate',
    default: 'capped',
    other: 'listed',
    reason:
      'Rates are told nowhere: 1 % is assumed (supplement 12), and at 100x, which is traded live, it would liquidate a position as it opens. Applied is the smaller of the listed rate and 1 / (2 × leverage), leverage being entry value over the collateral that opening took.',
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
    id: 'exchange-partial-close-notional',
    field: 'partialCloseNotional',
    default: 'exempt',
    other: 'checked',
    reason: 'A partial close of 0.011 USDT was accepted live, far below the minimum order value.',
  },
  {
    id: 'exchange-v1-market-price',
    field: 'v1MarketPrice',
    default: 'any',
    other: 'in-range',
    reason:
      'The body of a v1 order bounds order_price, but the own example of the interface sends 12445627 with a market order, which uses the live price.',
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
  {
    id: 'exchange-id-burn',
    field: 'idBurn',
    default: 'never',
    other: 'on-hard-reject',
    reason:
      'Rule 4 of client order ids: a known edge case, which rejects is not told. Hard are those after asset, lock and leverage.',
  },
  {
    id: 'exchange-amend-filled',
    field: 'amendFilled',
    default: 'refused',
    other: 'accepted',
    reason:
      'The interface amends an open unfilled order; whether a partial fill still counts as that is not told.',
  },
  {
    id: 'exchange-amend-quantity',
    field: 'amendQuantity',
    default: 'total',
    other: 'remaining',
    reason:
      "The meaning of an amend's quantity once part is filled (reliability 7); it differs only where that is accepted.",
  },
  {
    id: 'exchange-leg-on-existing',
    field: 'legOnExisting',
    default: 'replace',
    other: 'refuse',
    reason:
      'Supplement 11.4: nothing public; it assumes that a second risk order replaces the leg.',
  },
  {
    id: 'exchange-leg-beyond-market',
    field: 'legBeyondMarket',
    default: 'refused',
    other: 'fires',
    reason:
      'A stop or target that the market has passed: the interface names the wrong side of the liquidation price only.',
  },
  {
    id: 'exchange-leg-price-step',
    field: 'legPriceStep',
    default: 'any',
    other: 'checked',
    reason:
      'The interface bounds stop and target prices, but puts only limit prices on the price step.',
  },
  {
    id: 'exchange-moved-stop',
    field: 'movedStop',
    default: 'free',
    other: 'liquidation',
    reason: 'The liquidation rule stands at setting a stop, not at editing it.',
  },
  {
    id: 'exchange-limit-leg',
    field: 'limitLeg',
    default: 'rests',
    other: 'market',
    reason:
      'No document tells what a stop or target edited to trigger_type LIMIT does when it triggers: it trades at its price or better and rests until it can, or it trades like any.',
  },
  {
    id: 'exchange-stop-quantity',
    field: 'stopQuantity',
    default: 'whole',
    other: 'static',
    reason:
      'Stop rows print quantity 0, which reads as all there is; the other answer keeps the quantity at its setting.',
  },
  {
    id: 'exchange-legs-at-close',
    field: 'legsAtClose',
    default: 'cancel',
    other: 'keep',
    reason:
      'Supplement 10 assumes that stops and targets go with the position; the interface says so of a reverse only.',
  },
  {
    id: 'exchange-leverage-while-open',
    field: 'leverageWhileOpen',
    default: 'later-orders',
    other: 'refused',
    reason:
      'A change of leverage with a position open: the interface forbids nothing, so it means later orders.',
  },
  {
    id: 'exchange-v1-available',
    field: 'v1Available',
    default: 'with-unrealised',
    other: 'balance',
    reason:
      'v2 does not count unsettled PnL where v1 would pass; the fill itself is paid from the free balance in both.',
  },
  {
    id: 'exchange-lock-scope',
    field: 'lockScope',
    default: 'both-currencies',
    other: 'one-currency',
    reason: '423 holds the same user and asset; an asset has a book in each currency.',
  },
  {
    id: 'exchange-locked-actions',
    field: 'lockedActions',
    default: 'all',
    other: 'place',
    reason: 'The table lists 423 at order create only, its text speaks of any user action.',
  },
  {
    id: 'exchange-pending-reduces',
    field: 'pendingReduces',
    default: 'unbounded',
    other: 'bounded',
    reason:
      'Whether resting closes may add up to more than the position is not told; none of them can open anything.',
  },
  {
    id: 'exchange-delisting-increase',
    field: 'delistingIncrease',
    default: 'refused',
    other: 'accepted',
    reason: 'No new positions: whether an open one may still grow is not told.',
  },
  {
    id: 'exchange-delisting-entries',
    field: 'delistingEntries',
    default: 'keep',
    other: 'cancel',
    reason: 'No document tells the fate of entries that wait when a pair starts being delisted.',
  },
  {
    id: 'exchange-async-refusal',
    field: 'asyncRefusal',
    default: 'canceled',
    other: 'system-canceled',
    reason:
      'Supplement 10 assumes CANCELLED, with a reason, for what the exchange refuses after the 202.',
  },
  {
    id: 'exchange-added-margin-rate',
    field: 'addedMarginRate',
    default: 'now',
    other: 'entry',
    reason:
      'Which hedge rate turns added rupees into collateral is not told (supplement 12 has the amount over h).',
  },
  {
    id: 'exchange-margin-reduction',
    field: 'marginReduction',
    default: 'safe',
    other: 'initial',
    reason:
      'Reducing stops at the initial margin; whether also where the mark would liquidate at once is not told.',
  },
  {
    id: 'exchange-close-limits',
    field: 'closeLimits',
    default: 'exempt',
    other: 'checked',
    reason:
      'Whether order size limits hold for close and reverse; checked, they could make a position impossible to leave.',
  },
  {
    id: 'exchange-funding-instant',
    field: 'fundingInstant',
    default: 'before-trades',
    other: 'after-trades',
    reason:
      'Untold (supplement 14). A position opened at the very instant of a settlement does not pay; one closed at it does.',
  },
  {
    id: 'exchange-funding-price',
    field: 'fundingPrice',
    default: 'mark',
    other: 'last',
    reason: 'Untold; the mark price is what margin and liquidation follow (supplement 12).',
  },
  {
    id: 'exchange-funding-shortfall',
    field: 'fundingShortfall',
    default: 'margin',
    other: 'balance',
    reason:
      'Margin is isolated: what the free balance cannot pay comes out of it and moves the liquidation price. The other answer leaves the balance below 0.',
  },
  {
    id: 'exchange-pnl-hedge-rate',
    field: 'pnlHedgeRate',
    default: 'exit',
    other: 'entry',
    reason:
      'Supplement 12 says h only; history rows tell both rates. A profit in USDT becomes rupees when it is made.',
  },
  {
    id: 'exchange-rebates',
    field: 'rebates',
    default: 'none',
    other: 'forty-percent',
    reason:
      'Seen in the field since mid-2026 (supplement 12), not in the interface: a quirk, off by default.',
  },
];

export const DEFAULT_ASSUMPTIONS = Object.fromEntries(
  ASSUMPTIONS.map((entry) => [entry.field, entry.default]),
) as unknown as Assumptions;
