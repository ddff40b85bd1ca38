import { multiplyExact, ONE, type Amount, type Price, type Ratio } from '../../core/fixed/fixed.js';
import { TypedTable } from '../../core/table/typed-table.js';
import type { Execution } from '../simulated-exchange.js';

export interface Rebate {
  readonly id: string;
  /** Above 0. */
  readonly amount: Amount;
}

/** The facts of an execution that its fee rows have besides its own fields. */
export interface Charge {
  /** Traded value, 1e-36 USDT. */
  readonly value: bigint;
  /** INR per USDT at the trade; 1 for USDT. */
  readonly hedgeRate: Ratio;
  readonly rebate: Rebate | undefined;
}

/** The executions of an order in the log. */
export interface ExecutedOrder {
  /** Number of the order in its register. */
  readonly ordinal: number;
  /** Rows of its first and its last execution; −1: none. */
  firstExecution: number;
  lastExecution: number;
}

const CELL = {
  id: 0,
  order: 1,
  price: 2,
  quantity: 3,
  fee: 4,
  time: 5,
  link: 6,
  extra: 7,
} as const;
const WIDTH = 8;
/** Of executions that differ from the usual one: no slippage, no rebate, a value of price × quantity, USDT. */
const EXTRA = { slippage: 0, rebate: 1, rebateId: 2, hedgeRate: 3, value: 4 } as const;
const EXTRA_WIDTH = 5;

/** Every execution, in booking order. */
export class ExecutionLog {
  readonly #rows = new TypedTable(WIDTH);
  readonly #extras = new TypedTable(EXTRA_WIDTH);

  get length(): number {
    return this.#rows.length;
  }

  /** @param exactValue traded value where it is not price × quantity */
  add(
    order: ExecutedOrder,
    execution: Execution,
    hedgeRate: Ratio,
    rebate: Rebate | undefined,
    exactValue: bigint | undefined,
  ): number {
    const rows = this.#rows;
    const row = rows.add();
    rows.setId(row, CELL.id, execution.id);
    rows.setNumber(row, CELL.order, order.ordinal);
    rows.setFixed(row, CELL.price, execution.price);
    rows.setFixed(row, CELL.quantity, execution.quantity);
    rows.setFixed(row, CELL.fee, execution.fee);
    rows.setNumber(row, CELL.time, execution.time);
    rows.setNumber(row, CELL.link, execution.maker ? 1 : 0);
    const { slippage } = execution;
    if (
      slippage !== undefined ||
      rebate !== undefined ||
      hedgeRate !== ONE ||
      exactValue !== undefined
    )
      rows.setNumber(row, CELL.extra, 1 + this.#addExtra(slippage, rebate, hedgeRate, exactValue));
    if (order.lastExecution < 0) order.firstExecution = row;
    else this.#link(order.lastExecution, row);
    order.lastExecution = row;
    return row;
  }

  #addExtra(
    slippage: Price | undefined,
    rebate: Rebate | undefined,
    hedgeRate: Ratio,
    exactValue: bigint | undefined,
  ): number {
    const extras = this.#extras;
    const row = extras.add();
    extras.setFixed(row, EXTRA.slippage, slippage);
    extras.setFixed(row, EXTRA.rebate, rebate?.amount);
    extras.setId(row, EXTRA.rebateId, rebate?.id);
    extras.setFixed(row, EXTRA.hedgeRate, hedgeRate);
    extras.setWide(row, EXTRA.value, exactValue);
    return row;
  }

  /** The link of a row: twice the row of its order's next execution, 0 without one; 1 more for a maker. */
  #link(row: number, next: number): void {
    const isMaker = this.#rows.number(row, CELL.link) % 2;
    this.#rows.setNumber(row, CELL.link, 2 * next + isMaker);
  }

  /** Number of its order. */
  orderOf(row: number): number {
    return this.#rows.number(row, CELL.order);
  }

  at(row: number): Execution {
    const rows = this.#rows;
    const extra = rows.number(row, CELL.extra) - 1;
    const slippage = extra < 0 ? undefined : this.#extras.fixed<Price>(extra, EXTRA.slippage);
    const rebate = extra < 0 ? undefined : this.#extras.fixed<Amount>(extra, EXTRA.rebate);
    return executionOf(
      {
        id: rows.id(row, CELL.id) as string,
        price: rows.fixed(row, CELL.price) as Execution['price'],
        quantity: rows.fixed(row, CELL.quantity) as Execution['quantity'],
        fee: rows.fixed(row, CELL.fee) as Amount,
        maker: rows.number(row, CELL.link) % 2 === 1,
        time: rows.number(row, CELL.time),
      },
      slippage,
      rebate,
    );
  }

  chargeOf(row: number): Charge {
    const extra = this.#rows.number(row, CELL.extra) - 1;
    const { price, quantity, rebate: amount } = this.at(row);
    if (extra < 0)
      return { value: multiplyExact(price, quantity), hedgeRate: ONE, rebate: undefined };
    const id = this.#extras.id(extra, EXTRA.rebateId);
    return {
      value: this.#extras.wide(extra, EXTRA.value) ?? multiplyExact(price, quantity),
      hedgeRate: this.#extras.fixed(extra, EXTRA.hedgeRate) as Ratio,
      rebate: id === undefined || amount === undefined ? undefined : { id, amount },
    };
  }

  /** Rows of an order's executions, oldest first. @param first row of the first one; −1: none */
  rowsFrom(first: number): readonly number[] {
    const rows: number[] = [];
    for (let row = first; row >= 0;) {
      rows.push(row);
      const next = Math.floor(this.#rows.number(row, CELL.link) / 2);
      row = next === 0 ? -1 : next;
    }
    return rows;
  }
}

/** The execution of a trade. A field without a value is absent. */
export function executionOf(
  terms: Omit<Execution, 'slippage' | 'rebate'>,
  slippage: Price | undefined,
  rebate: Amount | undefined,
): Execution {
  const { id, price, quantity, fee, maker, time } = terms;
  if (slippage === undefined)
    return rebate === undefined ? terms : { id, price, quantity, fee, maker, time, rebate };
  if (rebate === undefined) return { id, price, quantity, fee, maker, time, slippage };
  return { id, price, quantity, fee, maker, time, slippage, rebate };
}
