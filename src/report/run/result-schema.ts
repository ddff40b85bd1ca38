import { z } from 'zod';
import { CURRENCIES } from '../../core/currency.js';
import { checksSchema } from './checks-schema.js';
import { evidenceSchema } from './evidence-schema.js';
import { inputsSchema, sha256Schema, type Immutable } from './inputs-schema.js';

/** Version of `result.json`. It rises when a key changes its meaning or goes; new keys do not raise it. */
export const SCHEMA_VERSION = 1;

/** `result.json` of a run folder and the output of `sluice backtest --json`. Docs: docs/backtests.md. */

const instant = z.iso.datetime({ precision: 3 });
/** Plain decimal text: exact money. */
const money = z.string().regex(/^-?\d+(\.\d+)?$/);
/** null: not defined. */
const figure = z.number().nullable();
const count = z.number().int().min(0);
const counts = z.record(z.string(), count);

const tradeGroup = z.object({
  trades: count,
  net: z.number(),
  win_rate_pct: figure,
  profit_factor: figure,
  avg_trade_pct: figure,
});
const tradeGroups = z.record(z.string(), tradeGroup);

const openTrade = z.object({
  symbol: z.string(),
  side: z.enum(['long', 'short']),
  quantity: money,
  entry_time: instant,
  entry_price: money,
});

const strategyError = z.object({
  strategy: z.string(),
  message: z.string(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  candle: z.string().nullable(),
  symbol: z.string().nullable(),
  interval: z.string().nullable(),
  count,
});

/** Counts and exact money. */
const outcome = {
  bars: count,
  fills: count,
  trades: count,
  refused: count,
  refused_by: counts,
  would_refuse: counts,
  rejected: count,
  rejected_by: counts,
  liquidations: count,
  final_equity: money,
  /** null: the bounds were not computed. */
  equity_low: money.nullable(),
  equity_high: money.nullable(),
  ambiguous_bars: count,
  net_profit: money,
  price_pnl: money,
  fees: money,
  /** Absent: a run of a version before it. */
  fee_regime: z
    .object({
      name: z.string(),
      gst: money.nullable(),
      rebates: z.enum(['on', 'off']),
      rebate: money,
    })
    .optional(),
  funding: money,
  /** USDT. */
  slippage: money,
  /** Parts of the net profit in the run's currency: they sum to it. A cost is negative. */
  profit_split: z.object({ price: money, fees: money, funding: money, slippage: money }),
  by_strategy: tradeGroups,
  open_trades: z.array(openTrade),
};

/** Defined in docs/metrics.md. */
const statistics = {
  return_pct: figure,
  cagr_pct: figure,
  volatility_pct: figure,
  sharpe: figure,
  sortino: figure,
  calmar: figure,
  psr: figure,
  sharpe_p_value: figure,
  min_track_record_days: figure,
  max_drawdown_pct: figure,
  avg_drawdown_pct: figure,
  max_drawdown_days: z.number(),
  avg_drawdown_days: figure,
  under_water_pct: figure,
  exposure_pct: figure,
  turnover: figure,
  months: z.array(z.object({ month: z.string(), return_pct: figure, net: z.number() })),
  benchmark: z.object({
    name: z.literal('buy_and_hold'),
    return_pct: figure,
    max_drawdown_pct: figure,
    sharpe: figure,
    final_equity: figure,
  }),
  beta: figure,
  alpha_pct: figure,
  win_rate_pct: figure,
  profit_factor: figure,
  payoff_ratio: figure,
  expectancy: figure,
  best_trade: figure,
  worst_trade: figure,
  avg_trade_pct: figure,
  best_trade_pct: figure,
  worst_trade_pct: figure,
  longest_winning_streak: count,
  longest_losing_streak: count,
  avg_trade_hours: figure,
  longest_trade_hours: figure,
  avg_mae_pct: figure,
  avg_mfe_pct: figure,
  by_side: tradeGroups,
  by_symbol: tradeGroups,
  by_exit_reason: tradeGroups,
};

export const resultSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  /** Folder of the run, as the command wrote it. */
  run: z.string(),
  /** Time of the end of the run on this machine. */
  created_at: instant,
  /** Of inputs and results (docs/backtests.md). */
  run_hash: sha256Schema,
  /** Ended by Ctrl-C: the figures are those up to `to`. */
  interrupted: z.boolean(),
  /** Open of the first candle and close of the last one. */
  from: instant,
  to: instant,
  days: z.number(),
  currency: z.enum(CURRENCIES),
  ...outcome,
  ...statistics,
  /** Of the candle loop only. */
  engine_ns_per_bar: z.number().nullable(),
  load_ms: z.number(),
  report: z.string().nullable(),
  errors: z.array(strategyError),
  /** Reasons to doubt the result, by the rules of docs/backtests.md. */
  findings: z.array(z.object({ id: z.string(), text: z.string() })).default([]),
  /** Of `--check`; null: it was not asked for. */
  checks: checksSchema.nullable().default(null),
  /** Would a trader trade it? null: a run of an earlier version. */
  evidence: evidenceSchema.nullable().default(null),
  inputs: inputsSchema,
  /** A shell command that repeats the run in the same working directory. */
  repeat: z.string(),
});

/** The content of `result.json`. */
export type RunResult = Immutable<z.output<typeof resultSchema>>;
