import type { Files } from '../core/ports.js';
import { CandleFileError } from '../market/candle-csv.js';
import { readIfFile } from './data-file.js';
import { parseFundingCsv } from './funding-csv.js';
import { USUAL_INTERVAL_MS, type FundingRate, type FundingRates } from './funding-rates.js';

/** One rate for every settlement, or a file or folder of settled ones. */
export type FundingWish =
  | { readonly kind: 'rate'; readonly rate: string }
  | { readonly kind: 'file'; readonly path: string };

/** A symbol and the time that its candles cover, ms UTC: `fromMs` ≤ t ≤ `toMs`. */
export interface FundedRange {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Rates of a run, and what its reader should know of them. */
export interface FundingSource {
  readonly rates: FundingRates;
  readonly warnings: readonly string[];
}

/** `btcusdt-funding-2025.csv.gz` */
const NAMED = /^([a-z0-9]+usdt)-funding-.*\.csv(\.gz)?$/;

/**
 * The settlements that lie in the ranges. A rate is settled at 00:00, 08:00 and 16:00 UTC.
 * @throws CandleFileError for a file that is missing or unsound, or has nothing for a symbol
 */
export async function readFunding(
  wish: FundingWish,
  ranges: readonly FundedRange[],
  files: Files,
): Promise<FundingSource> {
  const rates: Record<string, readonly FundingRate[]> = {};
  const warnings: string[] = [];
  for (const range of ranges) {
    if (wish.kind === 'rate') {
      rates[range.symbol] = constantRates(Number(wish.rate), range);
      continue;
    }
    const all = await ratesOf(range.symbol, wish.path, ranges.length, files);
    const own = all.filter(({ time }) => time >= range.fromMs && time <= range.toMs);
    warnings.push(...holes(range, own, wish.path));
    rates[range.symbol] = own;
  }
  return { rates, warnings };
}

function constantRates(rate: number, { fromMs, toMs }: FundedRange): readonly FundingRate[] {
  const first = Math.ceil(fromMs / USUAL_INTERVAL_MS);
  const count = Math.max(0, Math.floor(toMs / USUAL_INTERVAL_MS) - first + 1);
  return Array.from({ length: count }, (_, index) => ({
    time: (first + index) * USUAL_INTERVAL_MS,
    rate,
  }));
}

async function ratesOf(
  symbol: string,
  path: string,
  symbols: number,
  files: Files,
): Promise<readonly FundingRate[]> {
  const direct = await readIfFile(path, files);
  if (direct !== undefined) {
    if (symbols === 1) return parseFundingCsv(direct, path);
    throw new CandleFileError(
      `${path}: rates of one symbol, and there are ${symbols}: give a folder with a file for each`,
    );
  }
  const listed = await files.list(path);
  if (listed.length === 0) throw new CandleFileError(`${path}: there is no such file or folder`);
  const names = listed.filter(
    (name) => NAMED.exec(name.toLowerCase())?.[1]?.toUpperCase() === symbol,
  );
  if (names.length === 0) {
    throw new CandleFileError(
      `${path}: no funding of ${symbol}; files are named like ${symbol.toLowerCase()}-funding-2025.csv.gz`,
    );
  }
  const byTime = new Map<number, FundingRate>();
  for (const name of names.sort()) {
    const bytes = await files.read(`${path}/${name}`);
    if (bytes === undefined) continue;
    for (const one of parseFundingCsv(bytes, `${path}/${name}`)) byTime.set(one.time, one);
  }
  return [...byTime.values()].sort((one, other) => one.time - other.time);
}

/** Settlements of the range that the rates do not have, at its ends and in between. */
function holes(
  { symbol, fromMs, toMs }: FundedRange,
  rates: readonly FundingRate[],
  path: string,
): readonly string[] {
  const stamps = [fromMs, ...rates.map(({ time }) => time), toMs];
  const longest = Math.max(...stamps.map((stamp, index) => stamp - (stamps[index - 1] ?? stamp)));
  if (longest <= USUAL_INTERVAL_MS) return [];
  const hours = Math.floor(longest / 3_600_000);
  return [
    `${path}: for ${hours} hours in a row there is no funding of ${symbol}: none is exchanged then`,
  ];
}
