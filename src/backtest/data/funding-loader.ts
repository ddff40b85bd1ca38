import type { DataCatalog } from '../../catalog/catalog.js';
import type { Files } from '../../core/ports.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';
import { instantFromText } from '../../core/time-text.js';
import { decompress } from '../../market/candles/csv-blocks.js';
import { fundingUnitDoubt } from '../../market/funding-unit.js';
import { readIfFile } from './data-file.js';
import {
  DEFAULT_FUNDING_INTERVAL_MS,
  type FundingRate,
  type FundingRates,
} from './funding-rates.js';

/** One rate for every settlement, a file or folder of settled rates, or those of the catalogue. */
export type FundingRequest =
  | { readonly kind: 'rate'; readonly rate: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'catalog'; readonly catalog: DataCatalog };

/** A symbol and the time range of its candles, ms UTC: `fromMs` ≤ t ≤ `toMs`. */
export interface FundedRange {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Rates of a run, and warnings about them. */
export interface LoadedFunding {
  readonly rates: FundingRates;
  readonly warnings: readonly string[];
}

/** `btcusdt-funding-2025.csv.gz` */
const NAMED = /^([a-z0-9]+usdt)-funding-.*\.csv(\.gz)?$/;
/** Seconds below, milliseconds from here on: 1e11 s is the year 5138, 1e11 ms is 1973. */
const MS_FROM = 1e11;
const SECOND_MS = 1_000;
const DECIMAL = /^-?\d+(\.\d+)?(e-?\d+)?$/i;

/**
 * The settlements within the ranges. A constant rate is settled at 00:00, 08:00 and 16:00 UTC.
 * @throws CandleFileError for a file that is missing, invalid or has no rates of a symbol
 */
export async function readFunding(
  request: FundingRequest,
  ranges: readonly FundedRange[],
  files: Files,
): Promise<LoadedFunding> {
  const rates: Record<string, readonly FundingRate[]> = {};
  const warnings: string[] =
    request.kind === 'rate' ? [...unitWarnings([Number(request.rate)], '--funding')] : [];
  for (const range of ranges) {
    if (request.kind === 'rate') {
      rates[range.symbol] = constantRates(Number(request.rate), range);
      continue;
    }
    const [all, origin] =
      request.kind === 'catalog'
        ? [await catalogRates(range.symbol, request.catalog), request.catalog.folder]
        : [await ratesOf(range.symbol, request.path, ranges.length, files), request.path];
    const own = all.filter(({ time }) => time >= range.fromMs && time <= range.toMs);
    warnings.push(
      ...gapWarnings(range, own, origin),
      ...unitWarnings(
        own.map(({ rate }) => rate),
        `${origin}: funding of ${range.symbol}`,
      ),
    );
    rates[range.symbol] = own;
  }
  return { rates, warnings };
}

async function catalogRates(symbol: string, catalog: DataCatalog): Promise<readonly FundingRate[]> {
  const columns = await catalog.read({ kind: 'funding', symbol });
  if (columns === undefined) return [];
  return Array.from({ length: columns.length }, (_, index) => ({
    time: columns.time[index] as number,
    rate: columns.rate[index] as number,
  }));
}

function constantRates(rate: number, { fromMs, toMs }: FundedRange): readonly FundingRate[] {
  const first = Math.ceil(fromMs / DEFAULT_FUNDING_INTERVAL_MS);
  const count = Math.max(0, Math.floor(toMs / DEFAULT_FUNDING_INTERVAL_MS) - first + 1);
  return Array.from({ length: count }, (_, index) => ({
    time: (first + index) * DEFAULT_FUNDING_INTERVAL_MS,
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
      `${path}: one file has the rates of one symbol, and the run has ${symbols}; give a folder with a file for each`,
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
    for (const rate of parseFundingCsv(bytes, `${path}/${name}`)) byTime.set(rate.time, rate);
  }
  return [...byTime.values()].sort((one, other) => one.time - other.time);
}

const unitWarnings = (rates: readonly number[], what: string): readonly string[] => {
  const doubt = fundingUnitDoubt(rates);
  return doubt === undefined ? [] : [`${what}: ${doubt}`];
};

/** Warns of the longest time without a settlement in the range. */
function gapWarnings(
  { symbol, fromMs, toMs }: FundedRange,
  rates: readonly FundingRate[],
  path: string,
): readonly string[] {
  const stamps = [fromMs, ...rates.map(({ time }) => time), toMs];
  const longest = Math.max(...stamps.map((stamp, index) => stamp - (stamps[index - 1] ?? stamp)));
  if (longest <= DEFAULT_FUNDING_INTERVAL_MS) return [];
  const hours = Math.floor(longest / 3_600_000);
  return [`${path}: no funding of ${symbol} for ${hours} hours in a row; none is charged then`];
}

/**
 * Settled rates from CSV, plain or gzip. The header must name `time` and `rate`, in any order; other columns
 * are ignored. `time` is in epoch seconds or milliseconds, distinguished by size, or ISO 8601 in UTC. `rate` is a
 * fraction: 0.0001 is 0.01 %. Times must ascend.
 *
 * @param name of the file, for messages
 * @throws CandleFileError with `name` and the line of the fault
 */
export const parseFundingCsv = (bytes: Uint8Array, name: string): readonly FundingRate[] =>
  parseTimedRates(bytes, name, (rate) =>
    rate > -1 && rate < 1 ? undefined : `the rate ${rate} is no fraction of a position`,
  );

/**
 * Rows of `time` and `rate` as `parseFundingCsv` reads them.
 * @param faultOf the reason why a rate is invalid; undefined: it is valid
 * @throws CandleFileError
 */
export function parseTimedRates(
  bytes: Uint8Array,
  name: string,
  faultOf: (rate: number) => string | undefined,
): readonly FundingRate[] {
  const lines = new TextDecoder().decode(decompress(bytes, name)).split(/\r?\n/);
  const header = (lines[0] ?? '').split(',').map((column) => column.trim());
  const [timeAt, rateAt] = [header.indexOf('time'), header.indexOf('rate')];
  if (timeAt < 0 || rateAt < 0)
    throw new CandleFileError(`${name}:1: the header must name time and rate, not ${lines[0]}`);
  const rates: FundingRate[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue;
    const cells = line.split(',');
    const place = `${name}:${index + 1}`;
    const time = timeIn(cells[timeAt], place);
    const rate = numberIn(cells[rateAt], 'rate', place);
    if (time <= (rates.at(-1)?.time ?? -Infinity))
      throw new CandleFileError(`${place}: the time is not after that of the row before`);
    const fault = faultOf(rate);
    if (fault !== undefined) throw new CandleFileError(`${place}: ${fault}`);
    rates.push({ time, rate });
  }
  return rates;
}

/** ms UTC. */
function timeIn(cell: string | undefined, place: string): number {
  const instant = instantFromText(cell?.trim() ?? '');
  if (instant !== undefined) return instant;
  const number = numberIn(cell, 'time', place, 'a number of s or ms, or ISO 8601 in UTC');
  return number < MS_FROM ? number * SECOND_MS : number;
}

function numberIn(
  cell: string | undefined,
  column: string,
  place: string,
  expected = 'a number',
): number {
  const text = cell?.trim() ?? '';
  if (DECIMAL.test(text)) return Number(text);
  throw new CandleFileError(`${place}: ${column} is "${text}", not ${expected}`);
}
