import type { RunResult } from './result-schema.js';

/** One run in the index: the figures that runs are sorted and filtered by. */
export interface IndexedRun {
  /** Name of its folder. */
  readonly name: string;
  readonly run_hash: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly interrupted: boolean;
  /** Ids and names in the code. */
  readonly strategies: readonly string[];
  readonly symbols: readonly string[];
  readonly interval: string;
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly currency: string;
  readonly net_profit: string;
  readonly return_pct: number | null;
  readonly cagr_pct: number | null;
  readonly sharpe: number | null;
  readonly max_drawdown_pct: number | null;
  readonly profit_factor: number | null;
  readonly win_rate_pct: number | null;
  readonly trades: number;
  readonly fees: string;
  readonly errors: number;
}

export function indexedRunOf(name: string, result: RunResult): IndexedRun {
  const { strategies } = result.inputs;
  const { run_hash, created_at, interrupted, from, to, days, currency, trades, fees } = result;
  const { net_profit, return_pct, cagr_pct, sharpe, max_drawdown_pct } = result;
  return {
    name,
    run_hash,
    created_at,
    interrupted,
    strategies: [...new Set(strategies.flatMap((each) => [each.id, each.name]))],
    symbols: [...new Set(strategies.flatMap(({ symbols }) => symbols))],
    interval: strategies[0]?.interval ?? '',
    from,
    to,
    days,
    currency,
    net_profit,
    return_pct,
    cagr_pct,
    sharpe,
    max_drawdown_pct,
    profit_factor: result.profit_factor,
    win_rate_pct: result.win_rate_pct,
    trades,
    fees,
    errors: result.errors.length,
  };
}

export interface RunFilter {
  /** Id or name of a strategy. */
  readonly strategy?: string;
  readonly symbol?: string;
  readonly interval?: string;
  /** Runs made since, ms UTC. */
  readonly sinceMs?: number;
}

export function matchesFilter(run: IndexedRun, filter: RunFilter): boolean {
  const { strategy, symbol, interval, sinceMs } = filter;
  return (
    (strategy === undefined || run.strategies.includes(strategy)) &&
    (symbol === undefined || run.symbols.includes(symbol)) &&
    (interval === undefined || run.interval === interval) &&
    (sinceMs === undefined || Date.parse(run.created_at) >= sinceMs)
  );
}

/** Sort keys, best first: a drawdown is better when it is smaller. */
const ORDERS = {
  created: ({ created_at }: IndexedRun) => Date.parse(created_at),
  net: ({ net_profit }: IndexedRun) => Number(net_profit),
  return: ({ return_pct }: IndexedRun) => return_pct,
  cagr: ({ cagr_pct }: IndexedRun) => cagr_pct,
  sharpe: ({ sharpe }: IndexedRun) => sharpe,
  drawdown: ({ max_drawdown_pct }: IndexedRun) =>
    max_drawdown_pct === null ? null : -max_drawdown_pct,
  'profit-factor': ({ profit_factor }: IndexedRun) => profit_factor,
  'win-rate': ({ win_rate_pct }: IndexedRun) => win_rate_pct,
  trades: ({ trades }: IndexedRun) => trades,
  days: ({ days }: IndexedRun) => days,
} as const satisfies Readonly<Record<string, (run: IndexedRun) => number | null>>;

export type RunOrder = keyof typeof ORDERS;
export const RUN_ORDERS = Object.keys(ORDERS) as readonly RunOrder[];

/** Best or newest first; runs without the figure last; equal ones by name. */
export function sortedRuns(runs: readonly IndexedRun[], order: RunOrder): readonly IndexedRun[] {
  const valueOf = ORDERS[order];
  return runs
    .map((run) => ({ run, value: valueOf(run) ?? -Infinity }))
    .sort((a, b) =>
      a.value === b.value ? (a.run.name < b.run.name ? -1 : 1) : a.value < b.value ? 1 : -1,
    )
    .map(({ run }) => run);
}
