import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { RunInputs } from './inputs-schema.js';
import type { RunResult } from './result-schema.js';

/** Changes with the definition of the hash. */
const HASH_VERSION = 1;

/**
 * Exact results. Statistics and bounds are left out: they follow from the inputs and the tables, their last digits may
 * differ by Node version, and `--no-bounds` skips some.
 */
const RESULT_KEYS = [
  'from',
  'to',
  'bars',
  'fills',
  'trades',
  'refused',
  'refused_by',
  'would_refuse',
  'rejected',
  'rejected_by',
  'liquidations',
  'final_equity',
  'net_profit',
  'price_pnl',
  'fees',
  'funding',
  'slippage',
  'open_trades',
] as const;

/** The text files of a run, in the order of the hash. */
export const TABLES = ['trades.csv', 'equity.csv', 'fills.csv'] as const;
export type TableName = (typeof TABLES)[number];
export type RunTables = Readonly<Record<TableName, string | Uint8Array>>;

export type HashedResult = Pick<RunResult, (typeof RESULT_KEYS)[number] | 'inputs' | 'errors'>;

/**
 * SHA-256 of the inputs and the results of a run, as hexadecimal text. Paths, times of day, the machine and the
 * version of the code are not in it: two versions that agree to the last digit give one hash.
 */
export function runHashOf(result: HashedResult, tables: RunTables): string {
  const content = {
    version: HASH_VERSION,
    inputs: hashedInputs(result.inputs),
    results: Object.fromEntries(RESULT_KEYS.map((key) => [key, result[key]])),
    errors: result.errors.map(({ strategy, message, candle, symbol, interval, count }) => ({
      ...{ strategy, message, candle, symbol, interval, count },
    })),
    tables: Object.fromEntries(TABLES.map((name) => [name, sha256Of(tables[name])])),
  };
  return sha256Of(canonicalJson(content));
}

export const sha256Of = (content: string | Uint8Array): string => hash('sha256', content, 'hex');

const MARKET_DATA: ReadonlySet<string> = new Set(['candles', 'funding', 'mark', 'inr-rate']);

/** The inputs without paths. Configuration and rules count by their resolved values, not by their files. */
function hashedInputs({ strategies, data, period: _, code: _code, ...rest }: RunInputs): unknown {
  return {
    ...rest,
    strategies: strategies.map(({ files, use: _use, ...strategy }) => ({
      ...strategy,
      files: files.map(({ sha256 }) => sha256),
    })),
    data: data
      .filter(({ role }) => MARKET_DATA.has(role))
      .map(({ role, sha256 }) => ({ role, sha256 })),
  };
}
