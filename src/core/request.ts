import type {
  CloseReport,
  PositionReport,
  SpotWalletReport,
  TransferReport,
  TransferRow,
  UnreadableRow,
  WalletReport,
} from './account.js';
import type { Currency } from './currency.js';
import type { Amount, Price, Quantity, Ratio } from './fixed/fixed.js';
import type { Instrument } from './instrument.js';
import type { OrderRef, OrderReport, OrderTerms } from './order.js';
import type { RefusalCode } from './rejection.js';

/**
 * The requests to a venue: the smallest set. Closing and reversing are orders of kind `place` with
 * reduce-only orders, which have a client order id and cannot open a position. The venue's own close
 * and reverse have no id: delivered twice, they act twice (hazards E5, E6).
 */
export type VenueRequest =
  | {
      readonly kind: 'place';
      readonly clientOrderId: string;
      readonly terms: OrderTerms;
      /** Handle of the order within this process, for a simulated venue. Never sent. */
      readonly orderKey?: number;
      /** Venue ms after which the request must not leave. Never sent. */
      readonly validUntil?: number;
      /** The order is withdrawn. Read right before the bytes leave. Never sent. Absent: false. */
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
      /** Number of newest rows; with `from`, rows of a page. */
      readonly limit: number;
      /** ms UTC: all rows of orders created since then. */
      readonly from?: number;
      /** ms UTC: also older rows, among those read, that changed since then. Default: `from`. */
      readonly changedSince?: number;
      /** An order that rested long ends below newer rows, where the cache does not look. */
      readonly bypassCache?: true;
    }
  | { readonly kind: 'read-positions'; readonly currency: Currency }
  | {
      readonly kind: 'read-closes';
      readonly currency: Currency;
      /** Number of newest rows by open time; with `from`, rows of a page. */
      readonly limit: number;
      /** ms UTC: all rows of positions opened since then (hazard G7). */
      readonly from?: number;
    }
  /** Rules of one listed instrument. */
  | { readonly kind: 'read-instrument'; readonly symbol: string }
  | { readonly kind: 'read-wallet'; readonly currency: Currency }
  | { readonly kind: 'read-spot-wallet'; readonly currency: Currency }
  | { readonly kind: 'read-transfers'; readonly currency: Currency; readonly limit: number }
  | {
      /** The venue requires both values (interface: amend order). */
      readonly kind: 'amend';
      readonly orderId: string;
      readonly price: Price;
      readonly quantity: Quantity;
    }
  | {
      /** A new stop or target on an open position. One per request, so that no reply is half a success. */
      readonly kind: 'set-leg';
      readonly positionId: string;
      readonly slot: ProtectiveOrderSlot;
      readonly price: Price;
      readonly clientOrderId: string;
    }
  | {
      /** Another trigger price for an existing stop or target. */
      readonly kind: 'move-leg';
      readonly positionId: string;
      readonly slot: ProtectiveOrderSlot;
      readonly price: Price;
      readonly orderId: string;
    }
  | {
      /** Above 0 adds, below 0 removes; in the position's currency. The request has no idempotency key. */
      readonly kind: 'change-margin';
      readonly positionId: string;
      readonly change: Amount;
    }
  | {
      /** Between the two wallets of a currency. The request has no idempotency key. */
      readonly kind: 'transfer';
      readonly currency: Currency;
      readonly direction: TransferReport['direction'];
      readonly amount: Amount;
    };

/** The two protective orders of a position. */
export type ProtectiveOrderSlot = 'stopLoss' | 'takeProfit';

export type RequestKind = VenueRequest['kind'];
export type RequestOf<K extends RequestKind> = Extract<VenueRequest, { readonly kind: K }>;

/** The order was created. Fills are reported asynchronously. */
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
  readonly 'read-instrument': Instrument;
  readonly 'read-wallet': WalletReport;
  readonly 'read-spot-wallet': SpotWalletReport;
  readonly 'read-transfers': readonly TransferRow[];
  readonly amend: null;
  readonly 'set-leg': null;
  readonly 'move-leg': null;
  readonly 'change-margin': MarginChange;
  readonly transfer: null;
}

/** The margin of a position after a change, in its currency. */
export interface MarginChange {
  readonly initialMargin: Amount;
  readonly liquidationPrice?: Price;
}

/**
 * The outcome of one attempt. `no` requires a JSON failure envelope whose text is in our table for that
 * endpoint. Everything else that is not a readable success is `unknown`: the request may have taken
 * effect, or may do so later.
 */
export type Outcome<T> =
  | {
      readonly kind: 'yes';
      readonly value: T;
      /** Rows of a list that could not be parsed and are not in `value`. Absent: none. */
      readonly unreadable?: readonly UnreadableRow[];
    }
  | {
      readonly kind: 'no';
      readonly code: RefusalCode;
      readonly text: string;
      readonly status: number;
    }
  | {
      readonly kind: 'unknown';
      readonly cause: string;
      /** false: proof that no byte of the request left. */
      readonly sent: boolean;
      /** HTTP status, if one was received. */
      readonly status?: number;
      /**
       * Present for a refusal whose text our table lacks: a readable failure envelope with a status of 4xx
       * that names no temporary state. It proves nothing alone; with reads that show no effect it does.
       */
      readonly isUnlistedRefusal?: true;
    };

/** A list as evidence for one symbol. If a row of the symbol is unreadable, the list proves nothing. */
export function outcomeForSymbol<T>(outcome: Outcome<T>, symbol: string): Outcome<T> {
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

/** Priority of a request that waits for the venue's rate limits. */
export type Priority = 'kill' | 'cancel' | 'verify' | 'protect' | 'place' | 'poll';
