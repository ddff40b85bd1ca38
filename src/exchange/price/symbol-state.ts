import { removeAt } from '../../core/table/remove-at.js';
import type { Listing } from '../../core/instrument.js';
import type { Currency } from '../../core/currency.js';
import {
  fixed,
  floorToStep,
  smaller,
  subtract,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { OrderRecord } from '../order/order-record.js';
import type { PositionRecord } from '../position/position-record.js';
import { PerCurrency } from './per-currency.js';

/** Prices strictly inside trigger nothing. An edge is undefined where no trigger is on that side. */
export interface IdleBand {
  readonly lastFrom: Price | undefined;
  readonly lastTo: Price | undefined;
  readonly markFrom: Price | undefined;
  readonly markTo: Price | undefined;
}

export type ExchangeOrderState = OrderRecord<SymbolState>;
export type ExchangePositionState = PositionRecord<SymbolState>;

/** State of one instrument: prices, open orders, positions, leverage and locks. */
export class SymbolState {
  listing: Listing;
  readonly symbol: string;
  /** 0 until the first price. */
  last: Price = fixed(0);
  mark: Price = fixed(0);
  /** Currencies in which another user action is in progress. */
  readonly locks = new Set<Currency>();
  delisting = false;
  /** Cache; undefined after a change of orders or positions. */
  idleBand: IdleBand | undefined;
  /** Accepted orders before their first match, oldest first. */
  readonly unmatched: ExchangeOrderState[] = [];
  /** Resting limit orders, oldest first. */
  readonly resting: ExchangeOrderState[] = [];
  /** Quantity that orders may still trade of the current candle; undefined: any. */
  #volumeLeft: Quantity | undefined;
  readonly positions = new PerCurrency<ExchangePositionState>();
  readonly leverage = new PerCurrency<Ratio>();

  constructor(listing: Listing) {
    this.listing = listing;
    this.symbol = listing.instrument.symbol;
  }

  /** Volume of a new candle that orders may take. */
  limitVolume(quantity: Quantity): void {
    this.#volumeLeft = quantity;
    this.idleBand = undefined;
  }

  /** The part of a quantity that the volume allows, in whole steps; all of it without a limit. */
  tradable(quantity: Quantity): Quantity {
    if (this.#volumeLeft === undefined) return quantity;
    const { quantityStep } = this.listing.instrument;
    return floorToStep(smaller(quantity, this.#volumeLeft), quantityStep);
  }

  /** Orders have taken the volume of the candle. */
  get isVolumeTaken(): boolean {
    return this.#volumeLeft !== undefined && this.tradable(this.#volumeLeft) <= 0;
  }

  takeVolume(quantity: Quantity): void {
    if (this.#volumeLeft !== undefined) this.#volumeLeft = subtract(this.#volumeLeft, quantity);
  }

  get active(): boolean {
    return this.unmatched.length > 0 || this.resting.length > 0 || this.positions.size > 0;
  }

  /** Open orders of a currency, without untriggered stops and targets. */
  pending(currency: Currency): readonly ExchangeOrderState[] {
    if (this.unmatched.length === 0 && this.resting.length === 0) return NO_ORDERS;
    return [...this.unmatched, ...this.resting].filter((order) => order.currency === currency);
  }

  /** Id of the open position, or of the one that a pending order will open. */
  positionId(currency: Currency): string | undefined {
    return this.positions.get(currency)?.id ?? this.pending(currency)[0]?.positionId;
  }

  addResting(order: ExchangeOrderState): void {
    this.resting.push(order);
    this.idleBand = undefined;
  }

  /** A resting stop or target becomes an untriggered one again. */
  removeResting(order: ExchangeOrderState): void {
    const at = this.resting.indexOf(order);
    if (at >= 0) removeAt(this.resting, at);
    this.idleBand = undefined;
  }

  /** Removes an ended order from the lists and from the position it protects. */
  remove(order: ExchangeOrderState): void {
    this.idleBand = undefined;
    const [unmatchedAt, restingAt] = [this.unmatched.indexOf(order), this.resting.indexOf(order)];
    if (unmatchedAt >= 0) removeAt(this.unmatched, unmatchedAt);
    if (restingAt >= 0) removeAt(this.resting, restingAt);
    if (order.role === 'trade') return;
    for (const position of this.positions.values()) {
      if (position.stopLoss === order) position.stopLoss = undefined;
      if (position.takeProfit === order) position.takeProfit = undefined;
    }
  }
}

const NO_ORDERS: readonly ExchangeOrderState[] = [];
