import type { RunResult } from './result-schema.js';

/** One run in the index: the figures that runs are sorted and filtered by. */
export interface RunSummary {
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

export function runSummaryOf(name: string, result: RunResult): RunSummary {
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

export function matchesFilter(run: RunSummary, filter: RunFilter): boolean {
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
  created: ({ created_at }: RunSummary) => Date.parse(created_at),
  net: ({ net_profit }: RunSummary) => Number(net_profit),
  return: ({ return_pct }: RunSummary) => return_pct,
  cagr: ({ cagr_pct }: RunSummary) => cagr_pct,
  sharpe: ({ sharpe }: RunSummary) => sharpe,
  drawdown: ({ max_drawdown_pct }: RunSummary) =>
    max_drawdown_pct === null ? null : -max_drawdown_pct,
  'profit-factor': ({ profit_factor }: RunSummary) => profit_factor,
  'win-rate': ({ win_rate_pct }: RunSummary) => win_rate_pct,
  trades: ({ trades }: RunSummary) => trades,
  days: ({ days }: RunSummary) => days,
} as const satisfies Readonly<Record<string, (run: RunSummary) => number | null>>;

export type RunOrder = keyof typeof ORDERS;
export const RUN_ORDERS = Object.keys(ORDERS) as readonly RunOrder[];

/** Best or newest first; runs without the figure last; equal ones by name. */
export function sortedRuns(runs: readonly RunSummary[], order: RunOrder): readonly RunSummary[] {
  const valueOf = ORDERS[order];
  return runs
    .map((run) => ({ run, value: valueOf(run) ?? -Infinity }))
    .sort((a, b) =>
      a.value === b.value ? (a.run.name < b.run.name ? -1 : 1) : a.value < b.value ? 1 : -1,
    )
    .map(({ run }) => run);
}
