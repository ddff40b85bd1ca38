import type { CloseReport, PositionReport, WalletReport } from './account.js';
import type { Currency } from './currency.js';
import type { Price, Quantity, Ratio } from './fixed.js';
import type { OrderRef, OrderReport, OrderTerms } from './order.js';
import type { RejectionCode } from './rejection.js';

/** What the engine may ask of a venue: the smallest set of verbs. */
export type VenueRequest =
  | {
      readonly kind: 'place';
      readonly clientOrderId: string;
      readonly terms: OrderTerms;
      /** Our handle of the order in this process: for a venue that lives in it. Never sent. */
      readonly orderKey?: number;
      /** Venue ms after which the bytes must not leave. Never sent. */
      readonly validUntil?: number;
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
  | { readonly kind: 'read-order-history'; readonly currency: Currency; readonly limit: number }
  | { readonly kind: 'read-positions'; readonly currency: Currency }
  | { readonly kind: 'read-closes'; readonly currency: Currency; readonly limit: number }
  | { readonly kind: 'read-wallet'; readonly currency: Currency };

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
}

/**
 * How one attempt ended (reliability part 0.1). `no` only for a JSON failure envelope whose text is
 * in our table for that endpoint; everything else that is not a readable yes is `unknown`: it may
 * have taken effect, or may yet.
 */
export type Outcome<T> =
  | { readonly kind: 'yes'; readonly value: T }
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

export type ReplyTo<K extends RequestKind> = Outcome<ReplyValues[K]>;
/** A reply together with the kind of request it answers. */
export type Reply = {
  [K in RequestKind]: { readonly to: K; readonly outcome: ReplyTo<K> };
}[RequestKind];

/** Who goes first when requests wait for the venue's limits. */
export type Priority = 'kill' | 'cancel' | 'verify' | 'protect' | 'place' | 'poll';
