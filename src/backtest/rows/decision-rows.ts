import type { Price } from '../../core/fixed/fixed.js';
import type { DecisionCause, OrderIntent } from '../../core/intent.js';
import type { Interval } from '../../core/interval.js';
import { Dictionary } from '../../core/table/dictionary.js';
import { TypedTable } from '../../core/table/typed-table.js';

/** The part of an intent that says why its order was placed. */
export type OrderDecision = Pick<
  OrderIntent,
  | 'strategyId'
  | 'cause'
  | 'ordinal'
  | 'leg'
  | 'referencePrice'
  | 'decidedAt'
  | 'explanation'
  | 'sizing'
>;

const CELL = {
  ...{ orderId: 0, strategy: 1, leg: 2, referencePrice: 3, decidedAt: 4, cause: 5, openTime: 6 },
} as const;
const WIDTH = 7;
/** Most symbols of a run, and of legs of a decision, that one cell holds. */
const RADIX = 2 ** 20;

/** The decision behind each order of a run, by the order's id at the exchange. */
export class DecisionRows {
  readonly #rows = new TypedTable(WIDTH);
  readonly #strategies = new Dictionary<string>();
  readonly #symbols = new Dictionary<string>();
  readonly #intervals = new Dictionary<Interval>();
  /** Causes that are no candle of prices. */
  readonly #causes = new Map<number, DecisionCause>();
  readonly #texts = new Map<number, Pick<OrderDecision, 'explanation' | 'sizing'>>();
  /** Rows by order id, up to `#indexedCount`: a run without a report reads none. */
  readonly #byOrderId = new Map<string, number>();
  #indexedCount = 0;

  add(orderId: string, decision: OrderDecision): void {
    const rows = this.#rows;
    const row = rows.add();
    const { strategyId, cause, ordinal, leg, explanation, sizing } = decision;
    rows.setId(row, CELL.orderId, orderId);
    rows.setNumber(row, CELL.strategy, this.#strategies.indexOf(strategyId));
    rows.setNumber(row, CELL.leg, ordinal * RADIX + leg);
    rows.setFixed(row, CELL.referencePrice, decision.referencePrice);
    rows.setNumber(row, CELL.decidedAt, decision.decidedAt);
    if (cause.kind === 'candle') {
      const interval = this.#intervals.indexOf(cause.interval);
      rows.setNumber(row, CELL.cause, 1 + interval * RADIX + this.#symbols.indexOf(cause.symbol));
      rows.setNumber(row, CELL.openTime, cause.openTime);
    } else this.#causes.set(row, cause);
    if (explanation === undefined && sizing === undefined) return;
    this.#texts.set(row, {
      ...(explanation !== undefined && { explanation }),
      ...(sizing !== undefined && { sizing }),
    });
  }

  of(orderId: string): OrderDecision | undefined {
    for (; this.#indexedCount < this.#rows.length; this.#indexedCount += 1) {
      const id = this.#rows.id(this.#indexedCount, CELL.orderId) as string;
      this.#byOrderId.set(id, this.#indexedCount);
    }
    const row = this.#byOrderId.get(orderId);
    return row === undefined ? undefined : this.#at(row);
  }

  #at(row: number): OrderDecision {
    const rows = this.#rows;
    const leg = rows.number(row, CELL.leg);
    return {
      strategyId: this.#strategies.at(rows.number(row, CELL.strategy)),
      cause: this.#causes.get(row) ?? this.#candleAt(row),
      ordinal: Math.floor(leg / RADIX),
      leg: leg % RADIX,
      referencePrice: rows.fixed(row, CELL.referencePrice) as Price,
      decidedAt: rows.number(row, CELL.decidedAt),
      ...this.#texts.get(row),
    };
  }

  #candleAt(row: number): DecisionCause {
    const code = this.#rows.number(row, CELL.cause) - 1;
    return {
      kind: 'candle',
      symbol: this.#symbols.at(code % RADIX),
      interval: this.#intervals.at(Math.floor(code / RADIX)),
      openTime: this.#rows.number(row, CELL.openTime),
    };
  }
}
