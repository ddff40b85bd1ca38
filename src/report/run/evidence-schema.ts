import { z } from 'zod';
import type { Immutable } from './inputs-schema.js';

/** `evidence` of `result.json`: would a trader trade it? Each figure is defined in docs/metrics.md. */

const instant = z.iso.datetime({ precision: 3 });
const figure = z.number().nullable();
const count = z.number().int().min(0);

/** `fills`: the fills of the run with other costs. `runs`: the strategy ran again with them. */
const method = z.enum(['fills', 'runs']);

const part = z.object({
  from: instant,
  to: instant,
  days: z.number(),
  return_pct: figure,
  net: z.number(),
  sharpe: figure,
  max_drawdown_pct: figure,
  trades: count,
});

/** Results of further runs with one input changed. */
const spread = z.object({
  runs: count,
  /** Runs with a net profit above 0, per cent of all. */
  positive_pct: figure,
  worst_pct: figure,
  median_pct: figure,
  best_pct: figure,
});

export const evidenceSchema = z.object({
  costs: z.object({
    method,
    /** Net profit where fees and slippage are `factor` times as high. */
    net_at: z.array(z.object({ factor: z.number(), net: z.number() })),
    /** Fees and slippage of the run, and those that leave no profit, in basis points of the traded value. */
    paid_bps: figure,
    break_even_bps: figure,
  }),
  net_without_best_five: z.number(),
  worst_day: z.object({ date: z.string(), return_pct: z.number(), net: z.number() }).nullable(),
  losing_run: z.object({ trades: count, net: z.number(), from: instant, to: instant }).nullable(),
  nearest_liquidation: z
    .object({ distance_pct: z.number(), symbol: z.string(), time: instant })
    .nullable(),
  years: z.array(
    z.object({ year: z.string(), return_pct: figure, net: z.number(), max_drawdown_pct: figure }),
  ),
  rolling: z.object({
    days: count,
    windows: count,
    positive_pct: figure,
    worst_pct: figure,
    median_pct: figure,
    best_pct: figure,
  }),
  regimes: z.array(
    z.object({
      regime: z.enum(['up', 'down', 'flat']),
      days: count,
      return_pct: figure,
      net: z.number(),
    }),
  ),
  /** null: no `--holdout`. */
  holdout: z.object({ date: instant, before: part, after: part }).nullable(),
  /** null: the rules of the venue are unknown. */
  below_minimum: z
    .array(z.object({ equity_usdt: z.number(), entries: count, below: count }))
    .nullable(),
  capacity: z.object({
    method,
    net_at: z.array(
      z.object({
        factor: z.number(),
        net: z.number(),
        /** Fills larger than the volume of their candle; null: not counted. */
        above_volume: count.nullable(),
      }),
    ),
  }),
  bootstrap: z
    .object({
      samples: count,
      seed: z.number().int(),
      drawdown_pct_5: figure,
      drawdown_pct_50: figure,
      drawdown_pct_95: figure,
      profit_pct: z.number(),
      day_limit_pct: z.number(),
      day_limit_chance_pct: z.number(),
      drawdown_limit_pct: z.number(),
      drawdown_limit_chance_pct: z.number(),
    })
    .nullable(),
  /** Of `--robust`; null: it was not asked for. */
  robust: z
    .object({
      /** All runs. */
      runs: count,
      /** Left out by Ctrl-C. */
      missing: count,
      /** Values of parameters that the strategy does not take: they have no run. */
      refused: count.default(0),
      /** Runs that failed, or whose strategy did. The command exits with 1 unless it is 0. */
      failed: count.default(0),
      failures: z.array(z.object({ run: z.string(), reason: z.string() })).default([]),
      starts: spread,
      parameters: spread,
      /** By parameter and value. */
      parameter_runs: z.array(
        z.object({ name: z.string(), value: z.string(), return_pct: figure, net: z.number() }),
      ),
    })
    .nullable(),
  verdict: z.object({
    /** One line. */
    text: z.string(),
    tests: z.array(z.object({ id: z.string(), holds: z.boolean(), text: z.string() })),
  }),
});

export type ProfitEvidence = Immutable<z.output<typeof evidenceSchema>>;
export type RobustResult = NonNullable<ProfitEvidence['robust']>;
