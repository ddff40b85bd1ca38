import type { PageDecision, PageTrades } from '../../../src/report/page/page-data.js';

/** A closed trade. Times are ms UTC. */
export interface Trade {
  /** Row in trades.csv, from 1. */
  readonly row: number;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  readonly entryTime: number;
  readonly exitTime: number;
  readonly heldMs: number;
  readonly quantity: number;
  readonly entryPrice: number;
  readonly exitPrice: number;
  readonly net: number;
  readonly fees: number;
  readonly funding: number;
  /** Net PnL per cent of the entry value. */
  readonly pct: number;
  readonly mae: number | null;
  readonly mfe: number | null;
  readonly reason: string;
  /** undefined: not on this page. */
  readonly decisions: TradeDecisions | undefined;
}

/** null: not a decision of the strategy. */
export interface TradeDecisions {
  readonly entry: PageDecision | null;
  readonly exit: PageDecision | null;
}

const at = <Value>(column: readonly Value[], index: number): Value => column[index] as Value;

export function tradesOfPage(page: PageTrades, rate: number): readonly Trade[] {
  let entry = 0;
  const decisions = decisionsByTrade(page);
  return page.net.map((net, index) => {
    entry += at(page.entrySteps, index);
    const held = at(page.held, index);
    const [quantity, entryPrice] = [at(page.quantity, index), at(page.entryPrice, index)];
    return {
      row: page.rows?.[index] ?? index + 1,
      symbol: at(page.symbols, at(page.symbol, index)),
      side: at(page.side, index) === 1 ? 'long' : 'short',
      entryTime: entry * page.unitMs,
      exitTime: (entry + held) * page.unitMs,
      heldMs: held * page.unitMs,
      quantity,
      entryPrice,
      exitPrice: at(page.exitPrice, index),
      net,
      fees: at(page.fees, index),
      funding: at(page.funding, index),
      pct: (net / (quantity * entryPrice * rate)) * 100,
      mae: at(page.mae, index),
      mfe: at(page.mfe, index),
      reason: at(page.reasons, at(page.reason, index)),
      decisions: decisions.get(index),
    };
  });
}

function decisionsByTrade({ decisions }: PageTrades): ReadonlyMap<number, TradeDecisions> {
  if (decisions === null) return new Map();
  const { rows, entry, exit } = decisions;
  return new Map(
    rows.map((row, index) => [row, { entry: at(entry, index), exit: at(exit, index) }]),
  );
}

/** Absolute values of steps. */
export function timesOfSteps(steps: readonly number[]): readonly number[] {
  let time = 0;
  return steps.map((step) => (time += step));
}
