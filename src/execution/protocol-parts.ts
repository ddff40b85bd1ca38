import type { Currency } from '../core/currency.js';
import type { EventTime } from '../core/events.js';
import type { Price, Quantity } from '../core/fixed/fixed.js';
import type { OrderTerms } from '../core/order.js';
import type { Restriction } from '../risk/restrictions.js';
import type { RequestTracker } from './request-tracker.js';
import type { Journal } from './journal/journal.js';
import type { SymbolLocks } from './symbol-locks.js';
import type { OrderLedger } from './order/order-ledger.js';
import type { EndState, OrderEvent } from './order/order-state.js';
import type { OwnOrder } from './order/own-order.js';

/** Why an order must not be sent now. */
export interface OrderHold {
  readonly reason: string;
  /** The reason passes within moments: an exit waits for it, an entry is dropped. */
  readonly temporary: boolean;
}

/** Port of the order protocol to the engine around it. */
export interface OrderEnginePort {
  readonly stamp: Readonly<EventTime>;
  /** Why the order must not be sent now; asked when its permit is granted. */
  holdReason(order: OwnOrder): OrderHold | undefined;
  /** Why an entry is too old to be sent or sent again (`max_entry_age_ms`). An exit never is. */
  staleReason(order: OwnOrder): string | undefined;
  /** The venue acknowledged the order, or was found to have it. Called once per order. */
  onAccepted(order: OwnOrder): void;
  onFilled(order: OwnOrder, quantity: Quantity, price: Price): void;
  onEnded(order: OwnOrder, end: EndState, reason: string | undefined): void;
  /** The venue refused for a reason that contradicts the tracked position. */
  onPositionUnverified(order: OwnOrder): void;
  /** The venue has no leverage for the symbol, so that it refuses reductions too. */
  onLeverageNotSet(order: OwnOrder): void;
  /** The venue refuses new positions of the symbol, because it ends the trading of it. */
  onDelisting(order: OwnOrder): void;
  /** Whether lists of open orders and positions since `since` (monotonic ms) lack this order. */
  isAbsentFromLists(order: OwnOrder, since: number): boolean;
  /** Venue ms since which order history is unchecked; undefined where nothing checks it. */
  historyUncheckedSince(currency: Currency): number | undefined;
  /** Terms of a harmless order that is priced to rest, or why no fence may leave now. */
  fenceTerms(order: OwnOrder): OrderTerms | string;
  /** Whether the operator has adopted an external order under one of our ids. */
  isAdopted(clientOrderId: string): boolean;
  /** A line for the operator's attention. */
  warn(text: string): void;
  /** A control stops entries. */
  restrict(restriction: Restriction): void;
  /** Ends the run: a second writer, or an id collision. */
  halt(reason: string): void;
}

/** Shared by the parts of the order protocol. */
export interface ProtocolParts {
  readonly engine: OrderEnginePort;
  readonly requests: RequestTracker;
  readonly ledger: OrderLedger;
  readonly journal: Journal;
  readonly locks: SymbolLocks;
  /** Ends an order; called once per order. */
  readonly end: (order: OwnOrder, event: OrderEvent, reason: string | undefined) => void;
}
