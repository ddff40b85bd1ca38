import { z } from 'zod';
import { CURRENCIES } from '../../core/currency.js';
import { INTERVALS } from '../../core/interval.js';
import { PRESETS } from '../../risk/preset.js';

/** The inputs of a backtest, as `result.json` holds them. Docs: docs/backtests.md. */

const instant = z.iso.datetime({ precision: 3 });
/** Plain decimal text. */
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

const sourceFile = z.object({
  /** Relative to the working directory where it lies below it. */
  path: z.string(),
  sha256: sha256Schema,
});

const strategyInputs = z.object({
  id: z.string(),
  /** Name in the code. */
  name: z.string(),
  /** As given: a shipped name, a file, a folder or a package. */
  use: z.string(),
  /** The file of the strategy, then the files that it imports by a relative path. */
  files: z.array(sourceFile).min(1),
  symbols: z.array(z.string()).min(1),
  interval: z.enum(INTERVALS),
  leverage: decimal,
  /** Keys as in the configuration, with their defaults. */
  size: z.record(z.string(), z.unknown()),
  protect: z.record(z.string(), z.unknown()),
  entry: z.unknown(),
  /** null: the configuration does not set it. */
  on_error: z.string().nullable(),
  /** With their defaults. */
  params: z.record(z.string(), z.unknown()),
});

const instrumentInputs = z.object({
  symbol: z.string(),
  quantity_step: decimal,
  min_quantity: decimal,
  max_quantity: decimal,
  max_market_quantity: decimal,
  price_step: decimal,
  min_price: decimal,
  max_price: decimal,
  min_notional: decimal,
  leverage_step: decimal,
  min_leverage: decimal,
  max_leverage: decimal,
  maintenance_rate: decimal,
});

export const DATA_ROLES = [
  'candles',
  'funding',
  'mark',
  'inr-rate',
  'config',
  'risk',
  'instrument',
] as const;

const dataFile = z.object({
  role: z.enum(DATA_ROLES),
  /** As given on the command line or in the configuration. */
  path: z.string(),
  /** Of the bytes of the file, compressed or not. */
  sha256: sha256Schema,
  bytes: z.number().int(),
});

export const inputsSchema = z.object({
  strategies: z.array(strategyInputs).min(1),
  period: z.object({
    /** `--from` and `--to`; null: not given. */
    asked_from: instant.nullable(),
    asked_to: instant.nullable(),
    /** Open of the first candle and close of the last one of the data in that range. */
    from: instant,
    to: instant,
  }),
  /** Interval of the candles in the data. */
  base_interval: z.enum(INTERVALS),
  currency: z.enum(CURRENCIES),
  cash: decimal,
  /** INR per USDT; null for a run in USDT. */
  inr_rate: decimal.nullable(),
  taker_fee: decimal,
  maker_fee: decimal,
  slippage: z.union([
    z.object({ kind: z.literal('fixed'), bps: z.number() }),
    z.object({ kind: z.literal('range'), bps: z.number(), share: z.number() }),
    z.object({ kind: z.literal('volume'), impact: z.number() }),
  ]),
  /** ms; absent: 0. */
  latency_ms: z.number().int().optional(),
  /** Percent of the volume of a candle; absent: any quantity fills. */
  max_volume_share_pct: z.string().optional(),
  /** Absent: off. */
  rebates: z.literal('on').optional(),
  /** Path of the INR rates is in `data`; absent: `inr_rate` throughout. */
  inr_rates: z.literal('file').optional(),
  limit_fill: z.enum(['through', 'touch']),
  intrabar: z.enum(['pessimistic', 'nearest', 'optimistic']),
  funding: z.object({
    kind: z.enum(['none', 'rate', 'file']),
    /** Of `kind: rate`. */
    rate: z.string().optional(),
  }),
  risk: z.object({
    preset: z.enum(PRESETS),
    /** Values by the keys of the `risk:` block; null: no limit. */
    limits: z.record(z.string(), z.string().nullable()),
  }),
  instruments: z.array(instrumentInputs).min(1),
  /** Every file that the run has read, apart from the strategy. */
  data: z.array(dataFile),
  /** Seed of the bundled synthetic market; null: the candles came from files. */
  seed: z.number().int().nullable(),
  code: z.object({
    version: z.string(),
    /** SHA-256 of the program's files; null: it ran from its sources. */
    build: sha256Schema.nullable(),
  }),
});

/** Inputs of a backtest. */
export type RunInputs = Immutable<z.output<typeof inputsSchema>>;
export type DataFile = RunInputs['data'][number];

/** Data that no code changes. */
export type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
