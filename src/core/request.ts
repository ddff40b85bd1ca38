import type {
  CloseReport,
  PositionReport,
  SpotReport,
  TransferReport,
  TransferRow,
  UnreadableRow,
  WalletReport,
} from './account.js';
import type { Currency } from './currency.js';
import type { Amount, Price, Quantity, Ratio } from './fixed.js';
import type { OrderRef, OrderReport, OrderTerms } from './order.js';
import type { RejectionCode } from './rejection.js';

/**
 * What the engine may ask of a venue: the smallest set of verbs. Closing, in part or in whole, and
 * reversing are places with reduce-only legs, which have a client order id and cannot open anything;
 * the venue's own close and reverse have none, and twice delivered they act twice (hazards E5, E6).
 */
export type VenueRequest =
  | {
      readonly kind: 'place';
      readonly clientOrderId: string;
      readonly terms: OrderTerms;
      /** Our handle of the order in this process: for a venue that lives in it. Never sent. */
      readonly orderKey?: number;
      /** Venue ms after which the bytes must not leave. Never sent. */
      readonly validUntil?: number;
      /** It is not wanted any more: read as the bytes are about to leave. Never sent. Absent: false. */
      readonly withdrawn?: boolean;
    }
  | { readonly kind: 'cancel'; readonly order: OrderRef }
  | { readonly kind: 'find-order'; readonly order: OrderRef }
  | { readonly kind: 'read-leverage'; readonly symbol: string; readonly currency: Currency }
  | {
      readonly kind: 'set-leverage';
      readonly symbol: string;
      readonly currency: Currency;
      readonly leverage: Ratio;
    }
  | { readonly kind: 'read-open-orders'; readonly currency: Currency }
  | {
      readonly kind: 'read-order-history';
      readonly currency: Currency;
      /** The newest rows; with `from`, rows of a page. */
      readonly limit: number;
      /** ms UTC: all rows of orders that were made since. */
      readonly from?: number;
      /** ms UTC: of the rows that were read, older ones too that have changed since. Default: `from`. */
      readonly changedSince?: number;
      /** An order that rested long stands below newer rows once it has ended: no memory tells of it. */
      readonly afresh?: true;
    }
  | { readonly kind: 'read-positions'; readonly currency: Currency }
  | {
      readonly kind: 'read-closes';
      readonly currency: Currency;
      /** The newest rows by open time; with `from`, rows of a page. */
      readonly limit: number;
      /** ms UTC: all rows of positions that were opened since (G7). */
      readonly from?: number;
    }
  | { readonly kind: 'read-wallet'; readonly currency: Currency }
  | { readonly kind: 'read-spot-wallet'; readonly currency: Currency }
  | { readonly kind: 'read-transfers'; readonly currency: Currency; readonly limit: number }
  | {
      /** Both values, always (interface, PATCH order). */
      readonly kind: 'amend';
      readonly orderId: string;
      readonly price: Price;
      readonly quantity: Quantity;
    }
  | {
      /** A new stop or target on an open position. One leg a request: no answer is half a yes. */
      readonly kind: 'set-leg';
      readonly positionId: string;
      readonly slot: LegSlot;
      readonly price: Price;
      readonly clientOrderId: string;
    }
  | {
      /** Another trigger price for a stop or target that exists. */
      readonly kind: 'move-leg';
      readonly positionId: string;
      readonly slot: LegSlot;
      readonly price: Price;
      readonly orderId: string;
    }
  | {
      /** Above 0 adds, below 0 gives back; in the position's currency. It has no id of its own. */
      readonly kind: 'change-margin';
      readonly positionId: string;
      readonly change: Amount;
    }
  | {
      /** Between the two wallets of a currency. It has no id of its own. */
      readonly kind: 'transfer';
      readonly currency: Currency;
      readonly direction: TransferReport['direction'];
      readonly amount: Amount;
    };

/** Which of a position's two protective orders. */
export type LegSlot = 'stopLoss' | 'takeProfit';

export type RequestKind = VenueRequest['kind'];
export type RequestOf<K extends RequestKind> = Extract<VenueRequest, { readonly kind: K }>;

/** Created and handed on; fills are asynchronous. */
export interface Placement {
  readonly orderId: string;
  readonly positionId?: string;
  readonly price?: Price;
  readonly quantity?: Quantity;
}

export interface ReplyValues {
  readonly place: Placement;
  readonly cancel: null;
  readonly 'find-order': OrderReport;
  readonly 'read-leverage': Ratio;
  readonly 'set-leverage': Ratio;
  readonly 'read-open-orders': readonly OrderReport[];
  readonly 'read-order-history': readonly OrderReport[];
  readonly 'read-positions': readonly PositionReport[];
  readonly 'read-closes': readonly CloseReport[];
  readonly 'read-wallet': WalletReport;
  readonly 'read-spot-wallet': SpotReport;
  readonly 'read-transfers': readonly TransferRow[];
  readonly amend: null;
  readonly 'set-leg': null;
  readonly 'move-leg': null;
  readonly 'change-margin': MarginChange;
  readonly transfer: null;
}

/** What a position holds after more or less margin, in its currency. */
export interface MarginChange {
  readonly initialMargin: Amount;
  readonly liquidationPrice?: Price;
}

/**
 * How one attempt ended (reliability part 0.1). `no` only for a JSON failure envelope whose text is
 * in our table for that endpoint; everything else that is not a readable yes is `unknown`: it may
 * have taken effect, or may yet.
 */
export type Outcome<T> =
  | {
      readonly kind: 'yes';
      readonly value: T;
      /** Of a list: rows that are not in `value`. Absent: none. */
      readonly unreadable?: readonly UnreadableRow[];
    }
  | {
      readonly kind: 'no';
      readonly code: RejectionCode;
      readonly text: string;
      readonly status: number;
    }
  | {
      readonly kind: 'unknown';
      readonly cause: string;
      /** false: proof that no byte left. */
      readonly sent: boolean;
      /** HTTP status, when one was read. */
      readonly status?: number;
    };

/** A list as evidence of one symbol: where a row of it does not read, the list tells nothing of it. */
export function readableFor<T>(outcome: Outcome<T>, symbol: string): Outcome<T> {
  if (outcome.kind !== 'yes') return outcome;
  const row = outcome.unreadable?.find((each) => each.symbol === symbol);
  if (row === undefined) return outcome;
  return { kind: 'unknown', cause: `a row of ${symbol} does not read: ${row.fault}`, sent: true };
}

export type ReplyTo<K extends RequestKind> = Outcome<ReplyValues[K]>;
/** A reply together with the kind of request it answers. */
export type Reply = {
  [K in RequestKind]: { readonly to: K; readonly outcome: ReplyTo<K> };
}[RequestKind];

/** Who goes first when requests wait for the venue's limits. */
export type Priority = 'kill' | 'cancel' | 'verify' | 'protect' | 'place' | 'poll';
