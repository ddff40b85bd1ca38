import { canonicalJson } from './canonical-json.js';
import type { RunInputs } from './inputs-schema.js';
import type { RunResult } from './result-schema.js';

/** One input or figure of several runs, in their order. */
export interface ComparedRow {
  /** With dots below the first level. */
  readonly key: string;
  /** undefined: the run does not have it. */
  readonly values: readonly unknown[];
  readonly differs: boolean;
}

export interface RunComparison {
  /** The inputs that differ. */
  readonly inputs: readonly ComparedRow[];
  /** The figures of all runs. */
  readonly results: readonly ComparedRow[];
  /** All runs have one hash: their inputs and results are the same. */
  readonly same: boolean;
}

const FIGURES = [
  'from',
  'to',
  'bars',
  'trades',
  'fills',
  'net_profit',
  'price_pnl',
  'fees',
  'funding',
  'slippage',
  'return_pct',
  'cagr_pct',
  'volatility_pct',
  'sharpe',
  'sortino',
  'calmar',
  'max_drawdown_pct',
  'max_drawdown_days',
  'exposure_pct',
  'turnover',
  'win_rate_pct',
  'profit_factor',
  'expectancy',
  'refused',
  'rejected',
  'liquidations',
  'final_equity',
  'equity_low',
  'equity_high',
] as const satisfies readonly (keyof RunResult)[];

/** The differences of runs in their inputs and in their results. */
export function compareRuns(results: readonly RunResult[]): RunComparison {
  const flat = results.map(({ inputs }) => flattened(keyed(inputs), ''));
  const keys = [...new Set(flat.flatMap((each) => [...each.keys()]))];
  return {
    inputs: keys
      .map((key) =>
        rowOf(
          key,
          flat.map((each) => each.get(key)),
        ),
      )
      .filter(({ differs }) => differs),
    results: FIGURES.map((key) =>
      rowOf(
        key,
        results.map((result) => result[key]),
      ),
    ),
    same: new Set(results.map(({ run_hash }) => run_hash)).size === 1,
  };
}

const rowOf = (key: string, values: readonly unknown[]): ComparedRow => ({
  key,
  values,
  differs: new Set(values.map((value) => canonicalJson(value ?? null))).size > 1,
});

/** Lists as records by their names, so that one more entry is one difference. */
function keyed(inputs: RunInputs): unknown {
  const { strategies, instruments, data, ...rest } = inputs;
  const [only] = strategies;
  return {
    ...(strategies.length === 1 && only !== undefined
      ? { strategy: withFiles(only) }
      : { strategies: byKey(strategies.map(withFiles), ({ id }) => id) }),
    ...rest,
    instruments: byKey(instruments, ({ symbol }) => symbol),
    data: byKey(data, ({ role, path }) => `${role} ${path}`),
  };
}

const withFiles = ({ files, ...strategy }: RunInputs['strategies'][number]) => ({
  ...strategy,
  files: byKey(files, ({ path }) => path.replace(/^.*[/\\]/, '')),
});

const byKey = <T>(rows: readonly T[], keyOf: (row: T) => string): Readonly<Record<string, T>> =>
  Object.fromEntries(rows.map((row) => [keyOf(row), row]));

/** Leaves of nested records by their path. Lists are leaves. */
function flattened(value: unknown, path: string): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, value]]);
  const below = Object.entries(value).map(([key, each]) =>
    flattened(each, path === '' ? key : `${path}.${key}`),
  );
  return new Map(below.flatMap((each) => [...each]));
}
