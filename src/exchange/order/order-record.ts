import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Listing } from '../../core/instrument.js';
import {
  add,
  fixed,
  isAtLeast,
  isAtMost,
  isGreater,
  ProductSum,
  smaller,
  subtract,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import type { OrderReport, OrderStatus, OrderType, Side } from '../../core/order.js';
import { type LongSign } from '../account/margin.js';
import type { Execution, ExchangeOrder } from '../simulated-exchange.js';
import { OrderSnapshot, type SnapshotSource } from './order-snapshot.js';

/** The part of a symbol's state that an order or a position reads. */
export interface SymbolQuote {
  readonly symbol: string;
  readonly listing: Listing;
  readonly mark: Price;
}

export interface OrderInit<State extends SymbolQuote = SymbolQuote> {
  readonly orderId: string;
  readonly clientOrderId: string | undefined;
  readonly symbolState: State;
  readonly currency: Currency;
  readonly role: OrderReport['role'];
  /** For a stop or target the closing side, which its snapshot omits. */
  readonly side: Side;
  readonly type: OrderType;
  /** 0 for a stop or target: the whole position. */
  readonly quantity: Quantity;
  /** Limit or trigger price; for a market order the price when it was placed. */
  readonly price: Price;
  readonly reduceOnly: boolean;
  readonly leverage: Ratio;
  readonly hedgeRate: Ratio;
  readonly positionId: string;
  readonly nowMs: number;
  readonly stopLoss?: Price | undefined;
  readonly takeProfit?: Price | undefined;
  /** Largest quantity that a stop or target closes. Unset: the whole position. */
  readonly coveredQuantity?: Quantity | undefined;
  /** Reverses a position and does nothing else. */
  readonly reverses?: boolean;
}

/** The fields that the end of an order decides. */
export interface EndedState {
  readonly status: OrderStatus;
  readonly reason: string | undefined;
  readonly filled: Quantity;
  /** Σ price × quantity of the fills, exact: 1e-36 USDT. */
  readonly filledValue: ProductSum;
  readonly executions: readonly Execution[];
  readonly firstExecution: number;
  /** ms UTC */
  readonly at: number;
}

/** Mutable state of one order. It leaves the exchange only as a snapshot. */
export class OrderRecord<State extends SymbolQuote = SymbolQuote> implements SnapshotSource {
  readonly orderId: string;
  readonly clientOrderId: string | undefined;
  readonly symbolState: State;
  readonly currency: Currency;
  readonly role: OrderReport['role'];
  readonly side: Side;
  readonly reduceOnly: boolean;
  readonly reverses: boolean;
  readonly leverage: Ratio;
  readonly hedgeRate: Ratio;
  readonly stopLossPrice: Price | undefined;
  readonly takeProfitPrice: Price | undefined;
  readonly createdAt: number;
  /** Stops and targets that become active when this entry fills. */
  protectiveOrders: readonly OrderRecord<State>[] = NO_ORDERS;
  /** Its number in the register, from 0 in the order of acceptance. */
  ordinal = -1;
  /** Rows of its first and last execution in the log; −1: none. */
  firstExecution = -1;
  lastExecution = -1;
  #type: OrderType;
  #price: Price;
  #quantity: Quantity;
  #coveredQuantity: Quantity | undefined;
  #filled: Quantity = fixed(0);
  /** Σ price × quantity of the fills, exact: 1e-36 USDT. */
  #filledValue = ProductSum.NONE;
  /** Snapshots share it: a fill replaces the list. */
  #executions = NO_EXECUTIONS;
  #positionId: string;
  #status: OrderStatus = 'created';
  #open = true;
  #reason: string | undefined;
  #updatedAt: number;
  #endedAt: number | undefined;
  /** Cached until the next change, since most orders are read several times. */
  #snapshot: ExchangeOrder | undefined;

  /** @param end of an order that has ended */
  constructor(init: OrderInit<State>, end?: EndedState) {
    this.orderId = init.orderId;
    this.clientOrderId = init.clientOrderId;
    this.symbolState = init.symbolState;
    this.currency = init.currency;
    this.role = init.role;
    this.side = init.side;
    this.#type = init.type;
    this.reduceOnly = init.reduceOnly;
    this.reverses = init.reverses ?? false;
    this.leverage = init.leverage;
    this.hedgeRate = init.hedgeRate;
    this.stopLossPrice = init.stopLoss;
    this.takeProfitPrice = init.takeProfit;
    this.createdAt = init.nowMs;
    this.#price = init.price;
    this.#quantity = init.quantity;
    this.#coveredQuantity = init.coveredQuantity;
    this.#positionId = init.positionId;
    this.#updatedAt = init.nowMs;
    if (end !== undefined) this.#restore(end);
  }

  #restore({
    status,
    reason,
    filled,
    filledValue,
    executions,
    firstExecution,
    at,
  }: EndedState): void {
    this.#open = false;
    this.#status = status;
    this.#reason = reason;
    this.#filled = filled;
    this.#filledValue = filledValue;
    this.#executions = executions;
    this.firstExecution = firstExecution;
    this.#updatedAt = at;
    this.#endedAt = at;
  }

  get symbol(): string {
    return this.symbolState.symbol;
  }

  get type(): OrderType {
    return this.#type;
  }

  get price(): Price {
    return this.#price;
  }

  get quantity(): Quantity {
    return this.#quantity;
  }

  get filledQuantity(): Quantity {
    return this.#filled;
  }

  /** Of the fills; undefined while nothing is filled. */
  get averagePrice(): Price | undefined {
    const [first, second] = this.#executions;
    if (first === undefined) return undefined;
    // The average of one execution is its price, unless more than 8 places are rounded to 8.
    const isExact = second === undefined && typeof first.price === 'number';
    return isExact ? first.price : this.#filledValue.average(this.#filled);
  }

  get executions(): readonly Execution[] {
    return this.#executions;
  }

  get remaining(): Quantity {
    return subtract(this.#quantity, this.#filled);
  }

  get hasFilled(): boolean {
    return this.#filled > 0;
  }

  get positionId(): string {
    return this.#positionId;
  }

  get status(): OrderStatus {
    return this.#status;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  get updatedAt(): number {
    return this.#updatedAt;
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** May still trade. `status` alone does not show it: a partial fill can stay after a cancel. */
  get open(): boolean {
    return this.#open;
  }

  /** Whether a limit order would take liquidity at this price. */
  crosses(last: Price): boolean {
    return this.side === 'buy' ? isAtMost(last, this.price) : isAtLeast(last, this.price);
  }

  /** How much of a position of this quantity a stop or target closes. */
  closableQuantity(quantity: Quantity): Quantity {
    return smaller(quantity, this.#coveredQuantity ?? quantity);
  }

  /** Set when a stop or target triggers; until then its quantity is 0. */
  setQuantity(quantity: Quantity): void {
    this.#quantity = quantity;
    this.#snapshot = undefined;
  }

  /** Has an effect only on a stop or target with a quantity of its own. */
  setCoveredQuantity(quantity: Quantity): void {
    if (this.#coveredQuantity !== undefined) this.#coveredQuantity = quantity;
  }

  /** @param to.quantity total, including the filled quantity */
  amend(to: { readonly price: Price; readonly quantity: Quantity }, nowMs: number): void {
    assert(this.#open && isGreater(to.quantity, this.#filled), 'An amended order may still trade');
    this.#price = to.price;
    this.#quantity = to.quantity;
    this.#updatedAt = nowMs;
    this.#snapshot = undefined;
  }

  /**
   * Moves the trigger of a stop or target.
   * @param type order type after triggering; unset: unchanged
   */
  moveTrigger(price: Price, type: OrderType | undefined, nowMs: number): void {
    assert(this.#open, 'A trigger that moves is live');
    this.#price = price;
    this.#type = type ?? this.#type;
    this.#updatedAt = nowMs;
    this.#snapshot = undefined;
  }

  joinPosition(positionId: string): void {
    if (positionId === this.#positionId) return;
    this.#positionId = positionId;
    this.#snapshot = undefined;
  }

  /** @param value price × quantity of the execution: 1e-36 USDT */
  applyExecution(execution: Execution, value: ProductSum): void {
    assert(
      this.#open && isAtMost(execution.quantity, this.remaining),
      'No order fills beyond its quantity',
    );
    this.#executions = [...this.#executions, execution];
    this.#filled = add(this.#filled, execution.quantity);
    this.#filledValue = this.#filledValue.plus(value);
    this.#open = this.remaining > 0;
    this.#status = this.#open ? 'partially-filled' : 'filled';
    this.#updatedAt = execution.time;
    if (!this.#open) this.#endedAt = execution.time;
    this.#snapshot = undefined;
  }

  /** Ends the order before it is completely filled. */
  end(status: OrderStatus, reason: string | undefined, nowMs: number): void {
    assert(this.#open, 'An order ends once');
    this.#open = false;
    this.#status = status;
    this.#reason = reason;
    this.#updatedAt = nowMs;
    this.#endedAt = nowMs;
    this.#snapshot = undefined;
  }

  snapshot(): ExchangeOrder {
    return (this.#snapshot ??= new OrderSnapshot(this));
  }
}

const NO_ORDERS: readonly never[] = [];
const NO_EXECUTIONS: readonly Execution[] = [];

/** Whether an order on this side reduces the position. */
export const opposes = <Position extends { readonly longSign: LongSign }>(
  position: Position | undefined,
  side: Side,
): position is Position => position !== undefined && (position.longSign === 1) !== (side === 'buy');
