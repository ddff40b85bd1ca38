import type { Amount } from '../../core/fixed/fixed.js';
import { SIDES, type Side } from '../../core/order.js';
import { TypedTable } from '../../core/table/typed-table.js';
import type { ExitReason } from '../../report/round-trips.js';

/** The facts of a fill besides its execution. */
export interface FillFacts {
  readonly side: Side;
  readonly realisedPnl?: Amount;
  readonly reason: ExitReason;
}

const CELL = { kind: 0, pnl: 1 } as const;
const WIDTH = 2;

const REASONS: readonly ExitReason[] = [
  ...(['signal', 'stop_loss', 'take_profit', 'trailing_stop', 'liquidation'] as const),
  ...(['flatten', 'external'] as const),
];

/** The facts of each fill of a run, in the order of the exchange's executions. */
export class FillRows {
  readonly #rows = new TypedTable(WIDTH);

  get length(): number {
    return this.#rows.length;
  }

  add(side: Side, reason: ExitReason): void {
    const row = this.#rows.add();
    this.#rows.setNumber(row, CELL.kind, codeOf(side, reason));
    this.#rows.setFixed(row, CELL.pnl, undefined);
  }

  get lastReason(): ExitReason {
    const kind = this.#rows.number(this.length - 1, CELL.kind);
    return REASONS[kind >> 1] as ExitReason;
  }

  /** The last fill closed quantity. */
  closeLast(side: Side, reason: ExitReason, pnl: Amount): void {
    const row = this.length - 1;
    this.#rows.setNumber(row, CELL.kind, codeOf(side, reason));
    this.#rows.setFixed(row, CELL.pnl, pnl);
  }

  at(row: number): FillFacts {
    const kind = this.#rows.number(row, CELL.kind);
    const side = SIDES[kind & 1] as Side;
    const reason = REASONS[kind >> 1] as ExitReason;
    const realisedPnl = this.#rows.fixed<Amount>(row, CELL.pnl);
    return realisedPnl === undefined ? { side, reason } : { side, realisedPnl, reason };
  }
}

const codeOf = (side: Side, reason: ExitReason): number =>
  2 * REASONS.indexOf(reason) + SIDES.indexOf(side);
