import { assert } from '../../core/assert.js';
import { CURRENCIES, type Currency } from '../../core/currency.js';
import {
  add,
  fixed,
  ProductSum,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import {
  ORDER_TYPES,
  SIDES,
  type OrderReport,
  type OrderStatus,
  type OrderType,
  type Side,
} from '../../core/order.js';
import { Dictionary } from '../../core/table/dictionary.js';
import { TypedTable } from '../../core/table/typed-table.js';
import type { ExecutionLog } from '../account/execution-log.js';
import type { ExchangeOrderState, SymbolState } from '../price/symbol-state.js';
import type { TradedOrder } from '../simulated-exchange.js';
import { OrderRecord } from './order-record.js';

const CELL = {
  ...{ orderId: 0, clientOrderId: 1, kind: 2, reason: 3, quantity: 4, price: 5, leverage: 6 },
  ...{ hedgeRate: 7, stopLoss: 8, takeProfit: 9, positionId: 10, createdAt: 11, endedAt: 12 },
  ...{ firstExecution: 13 },
} as const;
const WIDTH = 14;

const ROLES: readonly OrderReport['role'][] = ['trade', 'stop-loss', 'take-profit'];
const STATUSES: readonly OrderStatus[] = [
  ...(['created', 'partially-filled', 'filled', 'canceled', 'system-canceled'] as const),
  'unrecognised',
];

/** The fields of an order that are one of a few values, and its symbol. */
interface Kind {
  readonly role: OrderReport['role'];
  readonly status: OrderStatus;
  readonly currency: Currency;
  readonly side: Side;
  readonly type: OrderType;
  readonly reduceOnly: boolean;
  readonly reverses: boolean;
}

/** A row for each accepted order, in the order of acceptance. It is written when the order ends. */
export class EndedOrders {
  readonly #executions: ExecutionLog;
  readonly #rows = new TypedTable(WIDTH);
  readonly #symbolStates = new Dictionary<SymbolState>();
  readonly #reasons = new Dictionary<string | undefined>();

  constructor(executions: ExecutionLog) {
    this.#executions = executions;
  }

  get length(): number {
    return this.#rows.length;
  }

  /** A row for an accepted order, which is open. */
  add({ orderId }: ExchangeOrderState): void {
    this.#rows.setId(this.#rows.add(), CELL.orderId, orderId);
  }

  write(row: number, order: ExchangeOrderState): void {
    assert(!order.open, 'An order is written when it has ended');
    const rows = this.#rows;
    rows.setId(row, CELL.clientOrderId, order.clientOrderId);
    const market = this.#symbolStates.indexOf(order.symbolState);
    rows.setNumber(row, CELL.kind, codeOf(order) + market * KINDS);
    rows.setNumber(row, CELL.reason, this.#reasons.indexOf(order.reason));
    rows.setFixed(row, CELL.quantity, order.quantity);
    rows.setFixed(row, CELL.price, order.price);
    rows.setFixed(row, CELL.leverage, order.leverage);
    rows.setFixed(row, CELL.hedgeRate, order.hedgeRate);
    rows.setFixed(row, CELL.stopLoss, order.stopLossPrice);
    rows.setFixed(row, CELL.takeProfit, order.takeProfitPrice);
    rows.setId(row, CELL.positionId, order.positionId);
    rows.setNumber(row, CELL.createdAt, order.createdAt);
    rows.setNumber(row, CELL.endedAt, order.updatedAt);
    rows.setNumber(row, CELL.firstExecution, order.firstExecution);
  }

  orderIdAt(row: number): string {
    return this.#rows.id(row, CELL.orderId) as string;
  }

  clientOrderIdAt(row: number): string | undefined {
    return this.#rows.id(row, CELL.clientOrderId);
  }

  positionIdAt(row: number): string {
    return this.#rows.id(row, CELL.positionId) as string;
  }

  createdAt(row: number): number {
    return this.#rows.number(row, CELL.createdAt);
  }

  kindAt(row: number): Kind {
    return kindOfCode(this.#rows.number(row, CELL.kind) % KINDS);
  }

  /** A part of the order: a run reads it for each of its fills. */
  filledAt(row: number): TradedOrder {
    const rows = this.#rows;
    const { role, type, currency, reduceOnly } = this.kindAt(row);
    return {
      orderId: this.orderIdAt(row),
      symbol: this.#symbolStates.at(Math.floor(rows.number(row, CELL.kind) / KINDS)).symbol,
      currency,
      role,
      type,
      reduceOnly,
      leverage: rows.fixed<Ratio>(row, CELL.leverage) as Ratio,
      hedgeRate: rows.fixed<Ratio>(row, CELL.hedgeRate) as Ratio,
    };
  }

  /** The order as it ended. */
  at(row: number): ExchangeOrderState {
    const rows = this.#rows;
    const { status, ...kind } = this.kindAt(row);
    const market = Math.floor(rows.number(row, CELL.kind) / KINDS);
    const first = rows.number(row, CELL.firstExecution);
    const init = {
      ...kind,
      orderId: this.orderIdAt(row),
      clientOrderId: this.clientOrderIdAt(row),
      symbolState: this.#symbolStates.at(market),
      quantity: rows.fixed<Quantity>(row, CELL.quantity) as Quantity,
      price: rows.fixed<Price>(row, CELL.price) as Price,
      leverage: rows.fixed<Ratio>(row, CELL.leverage) as Ratio,
      hedgeRate: rows.fixed<Ratio>(row, CELL.hedgeRate) as Ratio,
      positionId: this.positionIdAt(row),
      nowMs: this.createdAt(row),
      stopLoss: rows.fixed<Price>(row, CELL.stopLoss),
      takeProfit: rows.fixed<Price>(row, CELL.takeProfit),
    };
    return new OrderRecord(init, {
      ...{ status, reason: this.#reasons.at(rows.number(row, CELL.reason)) },
      ...{ ...this.#fillsFrom(first), firstExecution: first },
      at: rows.number(row, CELL.endedAt),
    });
  }

  /** @param first row of the order's first execution; −1: none */
  #fillsFrom(first: number) {
    const rows = this.#executions.rowsFrom(first);
    const executions = rows.map((row) => this.#executions.at(row));
    const none = fixed<'quantity'>(0);
    return {
      executions,
      filled: executions.reduce((sum, { quantity }) => add(sum, quantity), none),
      filledValue: rows.reduce(
        (sum, row) => sum.plus(ProductSum.ofExact(this.#executions.chargeOf(row).value)),
        ProductSum.NONE,
      ),
    };
  }

  /** Forgets the other rows. */
  keep(isKept: (row: number) => boolean): void {
    this.#rows.keep(isKept);
  }
}

const KINDS = ROLES.length * STATUSES.length * 2 ** 5;

const codeOf = (kind: Kind): number =>
  ((ROLES.indexOf(kind.role) * STATUSES.length + STATUSES.indexOf(kind.status)) << 5) +
  (CURRENCIES.indexOf(kind.currency) << 4) +
  (SIDES.indexOf(kind.side) << 3) +
  (ORDER_TYPES.indexOf(kind.type) << 2) +
  (kind.reduceOnly ? 2 : 0) +
  (kind.reverses ? 1 : 0);

function kindOfCode(code: number): Kind {
  const choice = code >> 5;
  return {
    role: ROLES[Math.floor(choice / STATUSES.length)] as Kind['role'],
    status: STATUSES[choice % STATUSES.length] as OrderStatus,
    currency: CURRENCIES[(code >> 4) & 1] as Currency,
    side: SIDES[(code >> 3) & 1] as Side,
    type: ORDER_TYPES[(code >> 2) & 1] as OrderType,
    reduceOnly: (code & 2) !== 0,
    reverses: (code & 1) !== 0,
  };
}
