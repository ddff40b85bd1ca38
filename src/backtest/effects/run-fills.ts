import type { FeeReport } from '../../core/account.js';
import { assert } from '../../core/assert.js';
import { add, subtract, ZERO, type Amount, type Usdt } from '../../core/fixed/fixed.js';
import type { Side } from '../../core/order.js';
import type { Writable } from '../../core/table/writable.js';
import { executionOf } from '../../exchange/account/execution-log.js';
import type { ExchangeEvent, Execution, TradedOrder } from '../../exchange/simulated-exchange.js';
import type { ExitReason } from '../../report/round-trips.js';
import type { ExitReasonTracker } from './exit-reason-tracker.js';
import { FillRows } from '../rows/fill-rows.js';
import { slippageCost } from '../slippage.js';

/** One execution of the run: of an order, a stop, a take profit or a liquidation. */
export interface RunFill {
  readonly order: TradedOrder;
  /** Its fee is less its rebate. */
  readonly execution: Execution;
  readonly side: Side;
  /** PnL that the exchange booked, if the fill closed quantity. */
  readonly realisedPnl?: Amount;
  /** Why it closed quantity, if it did. */
  readonly reason: ExitReason;
}

/** Hears of each fill before it is recorded. */
export type FillListener = (fill: Pick<RunFill, 'order' | 'execution'>) => void;

/** A funding payment between two fills. */
export interface RunFunding {
  /** Number of fills before it. */
  readonly afterFills: number;
  readonly fee: FeeReport;
}

/** The fills and fundings of a run, as the exchange reports them. */
export class RunFills {
  readonly #rows = new FillRows();
  readonly #fundings: RunFunding[] = [];
  readonly #exits: ExitReasonTracker;
  readonly #onFill: FillListener | undefined;
  #slippage = ZERO as Usdt;

  constructor(exits: ExitReasonTracker, onFill?: FillListener) {
    this.#exits = exits;
    this.#onFill = onFill;
  }

  /** Cost in USDT: each fill is rounded once. */
  get slippage(): Usdt {
    return this.#slippage;
  }

  get fundings(): readonly RunFunding[] {
    return this.#fundings;
  }

  /** @param executions all of the exchange, in its order */
  drawn(
    executions: readonly { readonly order: TradedOrder; readonly execution: Execution }[],
  ): readonly RunFill[] {
    assert(
      executions.length === this.#rows.length,
      'Each execution of the exchange is a fill of the run',
    );
    return executions.map(({ order, execution }, row) => {
      const { side, realisedPnl, reason } = this.#rows.at(row);
      const fill: Writable<RunFill> = { order, execution: withoutRebate(execution), side, reason };
      if (realisedPnl !== undefined) fill.realisedPnl = realisedPnl;
      return fill;
    });
  }

  /** A close event follows the fill that caused it, and has the side that a stop's fill lacks. */
  record(event: ExchangeEvent): void {
    if (event.kind === 'fill') {
      this.#onFill?.(event);
      const { order, execution } = event;
      this.#rows.add(order.side ?? 'buy', this.#exits.reasonOf(order));
      if (execution.slippage !== undefined)
        this.#slippage = add(this.#slippage, slippageCost(event));
    } else if (event.kind === 'funding') {
      this.#fundings.push({ afterFills: this.#rows.length, fee: event.fee });
    } else if (event.kind === 'close') {
      const { close } = event;
      const side = close.side === 'long' ? 'sell' : 'buy';
      const reason = this.#exits.closeReasonOf(close, this.#rows.lastReason);
      this.#rows.closeLast(side, reason, close.pnl);
    }
  }
}

/** The fee that remains. */
function withoutRebate(execution: Execution): Execution {
  const { id, price, quantity, maker, time, slippage, rebate } = execution;
  if (rebate === undefined) return execution;
  const fee = subtract(execution.fee, rebate);
  return executionOf({ id, price, quantity, fee, maker, time }, slippage, rebate);
}
