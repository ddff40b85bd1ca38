import type { Price } from '../../core/fixed/fixed.js';
import type { DecisionCause, OrderIntent } from '../../core/intent.js';
import { openTimeOf, type Interval } from '../../core/interval.js';
import { Dictionary, MAX_VALUES } from '../../core/table/dictionary.js';
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

const CELL = { orderId: 0, source: 1, leg: 2, referencePrice: 3, decidedAt: 4 } as const;
const WIDTH = 5;
/** Above the number of legs of a decision. */
const MAX_LEGS = 2 ** 20;
/** Above the number of intervals. */
const MAX_INTERVALS = 32;

/** The decision behind each order of a run, by the order's id at the exchange. */
export class DecisionRows {
  readonly #rows = new TypedTable(WIDTH);
  readonly #strategies = new Dictionary<string>();
  readonly #symbols = new Dictionary<string>();
  readonly #intervals = new Dictionary<Interval>();
  /** Causes that are no candle of prices, or one that closed at another time than that of the decision. */
  readonly #causes = new Map<number, DecisionCause>();
  readonly #texts = new Map<number, Pick<OrderDecision, 'explanation' | 'sizing'>>();
  /** Rows by order id, up to `#indexedCount`: a run without a report reads none. */
  readonly #byOrderId = new Map<string, number>();
  #indexedCount = 0;

  add(orderId: string, decision: OrderDecision): void {
    const rows = this.#rows;
    const row = rows.add();
    const { strategyId, cause, ordinal, leg, decidedAt, explanation, sizing } = decision;
    rows.setId(row, CELL.orderId, orderId);
    rows.setNumber(row, CELL.leg, ordinal * MAX_LEGS + leg);
    rows.setFixed(row, CELL.referencePrice, decision.referencePrice);
    rows.setNumber(row, CELL.decidedAt, decidedAt);
    let candle = 0;
    if (cause.kind === 'candle' && openTimeClosedAt(cause.interval, decidedAt) === cause.openTime) {
      const symbol = this.#symbols.indexOf(cause.symbol);
      candle = symbol * MAX_INTERVALS + this.#intervals.indexOf(cause.interval);
    } else this.#causes.set(row, cause);
    const strategy = this.#strategies.indexOf(strategyId);
    rows.setNumber(row, CELL.source, strategy + MAX_VALUES * candle);
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
    const source = rows.number(row, CELL.source);
    const decidedAt = rows.number(row, CELL.decidedAt);
    return {
      strategyId: this.#strategies.at(source % MAX_VALUES),
      cause: this.#causes.get(row) ?? this.#candleOf(Math.floor(source / MAX_VALUES), decidedAt),
      ordinal: Math.floor(leg / MAX_LEGS),
      leg: leg % MAX_LEGS,
      referencePrice: rows.fixed(row, CELL.referencePrice) as Price,
      decidedAt,
      ...this.#texts.get(row),
    };
  }

  #candleOf(candle: number, closedAt: number): DecisionCause {
    const interval = this.#intervals.at(candle % MAX_INTERVALS);
    return {
      kind: 'candle',
      symbol: this.#symbols.at(Math.floor(candle / MAX_INTERVALS)),
      interval,
      openTime: openTimeClosedAt(interval, closedAt),
    };
  }
}

/** Open time of the candle that closes at a time. */
const openTimeClosedAt = (interval: Interval, closedAt: number): number =>
  openTimeOf(interval, closedAt - 1);
