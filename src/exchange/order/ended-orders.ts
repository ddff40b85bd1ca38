import { assert } from '../../core/assert.js';
import { CURRENCIES, type Currency } from '../../core/currency.js';
import {
  add,
  fixed,
  ONE,
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
import { Dictionary, MAX_VALUES } from '../../core/table/dictionary.js';
import { TypedTable } from '../../core/table/typed-table.js';
import type { ExecutionLog } from '../account/execution-log.js';
import type { ExchangeOrderState, SymbolState } from '../price/symbol-state.js';
import type { TradedOrder } from '../simulated-exchange.js';
import { OrderRecord } from './order-record.js';

const CELL = {
  ...{ orderId: 0, kind: 1, quantity: 2, price: 3, positionId: 4, createdAt: 5, endedAt: 6 },
  ...{ firstExecution: 7, extra: 8 },
} as const;
const WIDTH = 9;
/** Of orders that have one of them, or a hedge rate other than 1. */
const EXTRA = { clientOrderId: 0, reason: 1, hedgeRate: 2, stopLoss: 3, takeProfit: 4 } as const;
const EXTRA_WIDTH = 5;

const ROLES: readonly OrderReport['role'][] = ['trade', 'stop-loss', 'take-profit'];
const STATUSES: readonly OrderStatus[] = [
  ...(['created', 'partially-filled', 'filled', 'canceled', 'system-canceled'] as const),
  'unrecognised',
];

/** The fields of an order that are one of a few values. */
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
  #extras = new TypedTable(EXTRA_WIDTH);
  readonly #symbolStates = new Dictionary<SymbolState>();
  readonly #leverages = new Dictionary<Ratio>();
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
    const market = this.#symbolStates.indexOf(order.symbolState);
    const leverage = this.#leverages.indexOf(order.leverage);
    rows.setNumber(row, CELL.kind, codeOf(order) + KINDS * (market + MAX_VALUES * leverage));
    rows.setFixed(row, CELL.quantity, order.quantity);
    rows.setFixed(row, CELL.price, order.price);
    rows.setId(row, CELL.positionId, order.positionId);
    rows.setNumber(row, CELL.createdAt, order.createdAt);
    rows.setNumber(row, CELL.endedAt, order.updatedAt);
    rows.setNumber(row, CELL.firstExecution, order.firstExecution);
    rows.setNumber(row, CELL.extra, hasExtra(order) ? 1 + this.#writeExtra(row, order) : 0);
  }

  /** An order that has changed after its end keeps its row. */
  #writeExtra(orderRow: number, order: ExchangeOrderState): number {
    const extras = this.#extras;
    const known = this.#extraOf(orderRow);
    const row = known < 0 ? extras.add() : known;
    extras.setId(row, EXTRA.clientOrderId, order.clientOrderId);
    extras.setNumber(row, EXTRA.reason, this.#reasons.indexOf(order.reason));
    extras.setFixed(row, EXTRA.hedgeRate, order.hedgeRate);
    extras.setFixed(row, EXTRA.stopLoss, order.stopLossPrice);
    extras.setFixed(row, EXTRA.takeProfit, order.takeProfitPrice);
    return row;
  }

  orderIdAt(row: number): string {
    return this.#rows.id(row, CELL.orderId) as string;
  }

  clientOrderIdAt(row: number): string | undefined {
    const extra = this.#extraOf(row);
    return extra < 0 ? undefined : this.#extras.id(extra, EXTRA.clientOrderId);
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
    const { role, type, currency, reduceOnly } = this.kindAt(row);
    return {
      orderId: this.orderIdAt(row),
      symbol: this.#symbolStateAt(row).symbol,
      currency,
      role,
      type,
      reduceOnly,
      leverage: this.#leverageAt(row),
      hedgeRate: this.#hedgeRateOf(this.#extraOf(row)),
    };
  }

  /** The order as it ended. */
  at(row: number): ExchangeOrderState {
    const rows = this.#rows;
    const { status, ...kind } = this.kindAt(row);
    const first = rows.number(row, CELL.firstExecution);
    const extra = this.#extraOf(row);
    const init = {
      ...kind,
      orderId: this.orderIdAt(row),
      clientOrderId: this.clientOrderIdAt(row),
      symbolState: this.#symbolStateAt(row),
      quantity: rows.fixed<Quantity>(row, CELL.quantity) as Quantity,
      price: rows.fixed<Price>(row, CELL.price) as Price,
      leverage: this.#leverageAt(row),
      hedgeRate: this.#hedgeRateOf(extra),
      positionId: this.positionIdAt(row),
      nowMs: this.createdAt(row),
      stopLoss: extra < 0 ? undefined : this.#extras.fixed<Price>(extra, EXTRA.stopLoss),
      takeProfit: extra < 0 ? undefined : this.#extras.fixed<Price>(extra, EXTRA.takeProfit),
    };
    const reason =
      extra < 0 ? undefined : this.#reasons.at(this.#extras.number(extra, EXTRA.reason));
    return new OrderRecord(init, {
      ...{ status, reason, ...this.#fillsFrom(first), firstExecution: first },
      at: rows.number(row, CELL.endedAt),
    });
  }

  /** −1: the order has none. */
  #extraOf(row: number): number {
    return this.#rows.number(row, CELL.extra) - 1;
  }

  #hedgeRateOf(extra: number): Ratio {
    return extra < 0 ? ONE : (this.#extras.fixed<Ratio>(extra, EXTRA.hedgeRate) as Ratio);
  }

  #symbolStateAt(row: number): SymbolState {
    return this.#symbolStates.at(this.#choiceAt(row) % MAX_VALUES);
  }

  #leverageAt(row: number): Ratio {
    return this.#leverages.at(Math.floor(this.#choiceAt(row) / MAX_VALUES));
  }

  #choiceAt(row: number): number {
    return Math.floor(this.#rows.number(row, CELL.kind) / KINDS);
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
    const rows = this.#rows;
    rows.keep(isKept);
    const extras = new TypedTable(EXTRA_WIDTH);
    for (let row = 0; row < rows.length; row += 1) {
      const extra = this.#extraOf(row);
      if (extra >= 0) rows.setNumber(row, CELL.extra, 1 + this.#extras.copyTo(extras, extra));
    }
    this.#extras = extras;
  }
}

const hasExtra = (order: ExchangeOrderState): boolean =>
  order.clientOrderId !== undefined ||
  order.reason !== undefined ||
  order.hedgeRate !== ONE ||
  order.stopLossPrice !== undefined ||
  order.takeProfitPrice !== undefined;

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
