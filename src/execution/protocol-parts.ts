import type { Currency } from '../core/currency.js';
import type { Stamp } from '../core/events.js';
import type { Price, Quantity } from '../core/fixed.js';
import type { OrderTerms } from '../core/order.js';
import type { Desk } from './desk.js';
import type { Journal } from './journal/journal.js';
import type { Lanes } from './lanes.js';
import type { OrderLedger } from './order/order-ledger.js';
import type { EndState, OrderMove } from './order/order-state.js';
import type { OwnOrder } from './order/own-order.js';

/** Why an order does not leave now. */
export interface Hold {
  readonly reason: string;
  /** It is a matter of moments: an exit waits for it, and an entry is dropped. */
  readonly passes: boolean;
}

/** What the protocol asks of the engine around it. */
export interface ProtocolWorld {
  readonly stamp: Readonly<Stamp>;
  /** Why the order must not leave now, judged at the moment its slot is granted. */
  reasonToHold(order: OwnOrder): Hold | undefined;
  /** Why an entry is too old to be sent, or sent again (R27). An exit has no age. */
  tooOld(order: OwnOrder): string | undefined;
  /** The venue acknowledged it, or was found to have it. Once an order. */
  accepted(order: OwnOrder): void;
  filled(order: OwnOrder, quantity: Quantity, price: Price): void;
  ended(order: OwnOrder, end: EndState, reason: string | undefined): void;
  /** The venue refused for a cause that says our picture of the position may be old. */
  positionDoubted(order: OwnOrder): void;
  /** The venue has no leverage for the symbol, and refuses even what only reduces. */
  leverageUnset(order: OwnOrder): void;
  /** Whether open orders and positions, read since then (monotonic ms), lack this order. */
  absent(order: OwnOrder, since: number): boolean;
  /** Venue ms since which order history has not been judged yet; undefined where nobody judges it. */
  historyUnjudgedSince(currency: Currency): number | undefined;
  /** Terms of a harmless order that surely rests, or why none may leave now. */
  fenceTerms(order: OwnOrder): OrderTerms | string;
  /** Whether a person has said that an order of somebody else, which has the id of one of ours, is known. */
  isAdopted(clientOrderId: string): boolean;
  /** For people: what needs their attention. */
  warn(text: string): void;
  /** A second writer, an id collision, a venue that is not ours: stop trading. */
  halt(reason: string): void;
}

/** What the three parts of the protocol share. */
export interface ProtocolParts {
  readonly world: ProtocolWorld;
  readonly desk: Desk;
  readonly ledger: OrderLedger;
  readonly journal: Journal;
  readonly lanes: Lanes;
  /** Where every order's life ends, once. */
  readonly end: (order: OwnOrder, move: OrderMove, reason: string | undefined) => void;
}
