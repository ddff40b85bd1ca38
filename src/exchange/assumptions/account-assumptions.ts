import type { AssumptionOf } from './assumption-entry.js';

/** Leverage, locks, delisting, margin, funding and money. */
export interface AccountAssumptions {
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
  readonly fundingShortfall: 'margin' | 'balance' | 'margin-then-balance';
  readonly pnlHedgeRate: 'exit' | 'entry';
  readonly rebates: 'none' | 'forty-percent';
}

export const ACCOUNT_ASSUMPTIONS: readonly AssumptionOf<AccountAssumptions>[] = [
  {
    id: 'exchange-leverage-while-open',
    field: 'leverageWhileOpen',
    default: 'later-orders',
    other: 'refused',
    reason:
      'The interface permits a change of leverage with a position open, so it applies to later orders.',
  },
  {
    id: 'exchange-v1-available',
    field: 'v1Available',
    default: 'with-unrealised',
    other: 'balance',
    reason:
      'The v1 check counts unsettled PnL and the v2 check does not. Both pay the fill from the free balance.',
  },
  {
    id: 'exchange-lock-scope',
    field: 'lockScope',
    default: 'both-currencies',
    other: 'one-currency',
    reason: '423 locks the same user and asset, and an asset trades in both currencies.',
  },
  {
    id: 'exchange-locked-actions',
    field: 'lockedActions',
    default: 'all',
    other: 'place',
    reason: 'The table lists 423 for order create only, but its text names any user action.',
  },
  {
    id: 'exchange-pending-reduces',
    field: 'pendingReduces',
    default: 'unbounded',
    other: 'bounded',
    reason:
      'No document limits the sum of resting closes to the position. None of them can open a position.',
  },
  {
    id: 'exchange-delisting-increase',
    field: 'delistingIncrease',
    default: 'refused',
    other: 'accepted',
    reason:
      'The interface forbids new positions, without saying whether an open one may still grow.',
  },
  {
    id: 'exchange-delisting-entries',
    field: 'delistingEntries',
    default: 'keep',
    other: 'cancel',
    reason: 'No document describes pending entries of a pair whose delisting starts.',
  },
  {
    id: 'exchange-async-refusal',
    field: 'asyncRefusal',
    default: 'canceled',
    other: 'system-canceled',
    reason: 'Supplement 10 assumes CANCELLED, with a reason, for an order refused after the 202.',
  },
  {
    id: 'exchange-added-margin-rate',
    field: 'addedMarginRate',
    default: 'now',
    other: 'entry',
    reason: 'Supplement 12 divides added rupees by h, without saying at which time h is taken.',
  },
  {
    id: 'exchange-margin-reduction',
    field: 'marginReduction',
    default: 'safe',
    other: 'initial',
    reason:
      'Margin can be reduced down to the initial margin. No document says whether a reduction that liquidates at once is refused.',
  },
  {
    id: 'exchange-close-limits',
    field: 'closeLimits',
    default: 'exempt',
    other: 'checked',
    reason:
      'No document applies order size limits to close and reverse. Applied, they could make a position impossible to close.',
  },
  {
    id: 'exchange-funding-instant',
    field: 'fundingInstant',
    default: 'before-trades',
    other: 'after-trades',
    reason:
      'Not documented (supplement 14). A position opened at the instant of a settlement does not pay; one closed at that instant does.',
  },
  {
    id: 'exchange-funding-price',
    field: 'fundingPrice',
    default: 'mark',
    other: 'last',
    reason: 'Not documented; margin and liquidation use the mark price (supplement 12).',
  },
  {
    id: 'exchange-funding-shortfall',
    field: 'fundingShortfall',
    default: 'margin',
    other: 'balance',
    reason:
      'Margin is isolated: it pays what the free balance cannot, which moves the liquidation price. The other answer leaves the balance below 0. A backtest charges margin, then balance: a position that lives on its unrealised profit still pays.',
  },
  {
    id: 'exchange-pnl-hedge-rate',
    field: 'pnlHedgeRate',
    default: 'exit',
    other: 'entry',
    reason:
      'Supplement 12 names h only, and history rows show both rates. A profit in USDT becomes rupees when it is realised.',
  },
  {
    id: 'exchange-rebates',
    field: 'rebates',
    default: 'none',
    other: 'forty-percent',
    reason:
      'Observed since mid-2026 (supplement 12), but not in the interface: a quirk, off by default.',
  },
];
