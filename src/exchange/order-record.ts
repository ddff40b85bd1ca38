import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import {
  isAtMost,
  isAtLeast,
  isMore,
  add,
  fixed,
  smaller,
  subtract,
  type Price,
  type Quantity,
  type Ratio,
} from '../core/fixed.js';
import type { OrderReport, OrderStatus, OrderType, Side } from '../core/order.js';
import { priceOf } from './margin.js';
import type { Execution, ExchangeOrder } from './simulated-exchange.js';
import type { Listed } from './listed.js';

export interface OrderSeed<Book extends Listed = Listed> {
  readonly orderId: string;
  readonly clientOrderId: string | undefined;
  readonly book: Book;
  readonly currency: Currency;
  readonly role: OrderReport['role'];
  /** Of a stop or target: the side that closes. It is not told. */
  readonly side: Side;
  readonly type: OrderType;
  /** 0 of a stop or target: the whole position. */
  readonly quantity: Quantity;
  /** Limit or trigger price; the live price at placing of a market order. */
  readonly price: Price;
  readonly reduceOnly: boolean;
  readonly leverage: Ratio;
  readonly hedgeRate: Ratio;
  readonly positionId: string;
  readonly nowMs: number;
  readonly stopLoss?: Price | undefined;
  readonly takeProfit?: Price | undefined;
  /** Of a stop or target: the most that it closes. Unset: the whole position. */
  readonly covers?: Quantity | undefined;
  /** Made to turn a position over: it does nothing else. */
  readonly reverses?: boolean;
}

/** One order as the exchange keeps it. Told to others only as a snapshot. */
export class OrderRecord<Book extends Listed = Listed> {
  readonly orderId: string;
  readonly clientOrderId: string | undefined;
  readonly book: Book;
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
  /** Protection that wakes when this entry fills. */
  legs: readonly OrderRecord<Book>[] = [];
  #type: OrderType;
  #price: Price;
  #quantity: Quantity;
  #covers: Quantity | undefined;
  #filled: Quantity = fixed(0);
  /** Σ price × quantity of the fills, exact: 1e-36 USDT. */
  #filledValue = 0n;
  readonly #executions: Execution[] = [];
  #positionId: string;
  #status: OrderStatus = 'created';
  #open = true;
  #reason: string | undefined;
  #updatedAt: number;
  #endedAt: number | undefined;
  /** Made when asked for, kept until something changes: most orders are told several times. */
  #snapshot: ExchangeOrder | undefined;

  constructor(seed: OrderSeed<Book>) {
    this.orderId = seed.orderId;
    this.clientOrderId = seed.clientOrderId;
    this.book = seed.book;
    this.currency = seed.currency;
    this.role = seed.role;
    this.side = seed.side;
    this.#type = seed.type;
    this.reduceOnly = seed.reduceOnly;
    this.reverses = seed.reverses ?? false;
    this.leverage = seed.leverage;
    this.hedgeRate = seed.hedgeRate;
    this.stopLossPrice = seed.stopLoss;
    this.takeProfitPrice = seed.takeProfit;
    this.createdAt = seed.nowMs;
    this.#price = seed.price;
    this.#quantity = seed.quantity;
    this.#covers = seed.covers;
    this.#positionId = seed.positionId;
    this.#updatedAt = seed.nowMs;
  }

  get symbol(): string {
    return this.book.symbol;
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

  /** Whether it may still trade: the status word alone does not say (a sticky partial fill). */
  get open(): boolean {
    return this.#open;
  }

  /** Whether a limit order would take at this price. */
  crosses(last: Price): boolean {
    return this.side === 'buy' ? isAtMost(last, this.price) : isAtLeast(last, this.price);
  }

  /** Of a stop or target: how much of a position of this quantity it closes. */
  coverOf(quantity: Quantity): Quantity {
    return smaller(quantity, this.#covers ?? quantity);
  }

  /** A stop or target tells no quantity until it triggers. */
  cover(quantity: Quantity): void {
    this.#quantity = quantity;
    this.#snapshot = undefined;
  }

  /** A stop or target that covers a quantity of its own covers this much from now on. */
  recover(quantity: Quantity): void {
    if (this.#covers !== undefined) this.#covers = quantity;
  }

  /** @param to.quantity what is filled included */
  amend(to: { readonly price: Price; readonly quantity: Quantity }, nowMs: number): void {
    assert(this.#open && isMore(to.quantity, this.#filled), 'An amended order may still trade');
    this.#price = to.price;
    this.#quantity = to.quantity;
    this.#updatedAt = nowMs;
    this.#snapshot = undefined;
  }

  /** Of a stop or target. @param type what it becomes when it triggers; unset: as before */
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
  record(execution: Execution, value: bigint): void {
    assert(
      this.#open && isAtMost(execution.quantity, this.remaining),
      'No order fills beyond its quantity',
    );
    this.#executions.push(execution);
    this.#filled = add(this.#filled, execution.quantity);
    this.#filledValue += value;
    this.#open = this.remaining > 0;
    this.#status = this.#open ? 'partially-filled' : 'filled';
    this.#updatedAt = execution.time;
    if (!this.#open) this.#endedAt = execution.time;
    this.#snapshot = undefined;
  }

  /** Ends it before all of it is filled. */
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
    return (this.#snapshot ??= this.#draw());
  }

  #draw(): ExchangeOrder {
    const filled = this.#filled;
    return {
      orderId: this.orderId,
      ...(this.clientOrderId !== undefined && { clientOrderId: this.clientOrderId }),
      symbol: this.symbol,
      currency: this.currency,
      role: this.role,
      ...(this.role === 'trade' && { side: this.side }),
      type: this.type,
      status: this.#status,
      quantity: this.#quantity,
      filledQuantity: filled,
      price: this.price,
      ...(filled > 0 && { averagePrice: priceOf(this.#filledValue, filled) }),
      leverage: this.leverage,
      positionId: this.#positionId,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      reduceOnly: this.reduceOnly,
      hedgeRate: this.hedgeRate,
      createdAt: this.createdAt,
      updatedAt: this.#updatedAt,
      ...(this.#endedAt !== undefined && { endedAt: this.#endedAt }),
      ...(this.stopLossPrice !== undefined && { stopLoss: this.stopLossPrice }),
      ...(this.takeProfitPrice !== undefined && { takeProfit: this.takeProfitPrice }),
      executions: this.#executions.slice(),
    };
  }
}
