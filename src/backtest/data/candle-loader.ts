import { basename } from 'node:path';
import {
  closeTimeOf,
  INTERVALS,
  nominalMs,
  openTimeOf,
  type Interval,
} from '../../core/interval.js';
import { symbolFromFileName } from '../../core/symbol.js';
import { canAggregate } from '../../market/candles/candle-aggregator.js';
import { CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';
import { candleGaps } from '../../market/candles/candle-gaps.js';
import { STANDARD_LISTINGS } from '../../market/synthetic/listings.js';
import { candlesOf } from '../../market/synthetic/market.js';
import { createSyntheticMarket } from '../../market/synthetic/synthetic-market.js';
import { readCandleFile, type CandleFiles } from './candle-files.js';

/** Candles of the range that a run does not have. */
export interface MissingCandles {
  readonly count: number;
  /** Those that the venue has answered for: it has none at these times. */
  readonly answered: number;
}

/** Candles of a run and their origin. */
export interface LoadedCandles {
  readonly columns: CandleColumns;
  /** Interval of the candles in the source. */
  readonly base: Interval;
  readonly symbol: string;
  /** For display: the files, or the bundled market. */
  readonly origin: string;
  /** For display: ends that the data does not reach, gaps, and candles off the venue's times. */
  readonly warnings: readonly string[];
  /** Absent: the gaps between the candles are all that is known. */
  readonly missing?: MissingCandles;
}

export interface CandleRequest {
  /** A file or a directory. Default: the bundled market. */
  readonly data?: string;
  readonly symbol?: string;
  /** Intervals of the strategies. The candles must aggregate to each. Default: that of the candles. */
  readonly intervals?: readonly Interval[];
  /** Interval of the candles to read from a directory. Default: the coarsest one that fits. */
  readonly detail?: Interval;
  /** ms UTC; `fromMs` ≤ open time < `toMs`. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

const DEFAULT_SYMBOL = 'BTCUSDT';
/** `btcusdt-1m-2025-05_06.csv.gz` */
const NAMED = /^([a-z0-9]+usdt)-([0-9]+[a-zA-Z]+)-.*\.csv(\.gz)?$/;

/** @throws CandleFileError for a file that is missing, invalid or does not fit the request */
export async function readCandles(
  request: CandleRequest,
  files: CandleFiles,
): Promise<LoadedCandles> {
  const source =
    request.data === undefined
      ? bundledCandles(request)
      : await fileCandles(request, request.data, files);
  const { columns } = source;
  const within = columns.within(request.fromMs ?? -Infinity, request.toMs ?? Infinity);
  if (within.length === 0) {
    throw new CandleFileError(
      `${source.origin}: no candle lies in the range; the data runs from ${instant(columns, 0)} to ${instant(columns, columns.length - 1)}`,
    );
  }
  const { intervals = [source.base], detail = source.base } = request;
  const unmade = intervals.find((interval) => !canAggregate(source.base, interval));
  if (unmade !== undefined) {
    throw new CandleFileError(
      `${source.origin}: ${unmade} candles cannot be made of ${source.base} candles; give --interval ${source.base} or finer data`,
    );
  }
  if (source.base !== detail) {
    throw new CandleFileError(
      `${source.origin}: its candles are of ${source.base}, and --detail-interval asks for ${detail}`,
    );
  }
  const warnings = [
    ...rangeWarnings(within, source, request),
    ...gapWarnings(within),
    ...openTimeWarnings(within, source.base),
  ];
  return { ...source, columns: within, warnings };
}

const instant = (columns: CandleColumns, index: number): string =>
  columns.length === 0 ? 'nowhere' : new Date(columns.openTime[index] as number).toISOString();

type RawCandles = Omit<LoadedCandles, 'warnings'>;

async function fileCandles(
  request: CandleRequest,
  path: string,
  files: CandleFiles,
): Promise<RawCandles> {
  const columns = await readCandleFile(path, files);
  if (columns !== undefined) {
    const symbol = request.symbol ?? symbolFromFileName(basename(path)) ?? throwUnnamedSymbol(path);
    return {
      columns,
      base: baseOf(columns, path, request.detail ?? request.intervals?.[0]),
      symbol,
      origin: path,
    };
  }
  return directoryCandles(request, path, files);
}

/** Names of the candle files of a symbol, by interval. */
function namesByInterval(
  entries: readonly string[],
  symbol: string,
): ReadonlyMap<Interval, readonly string[]> {
  const names = new Map<Interval, string[]>();
  for (const name of entries) {
    const named = NAMED.exec(name.toLowerCase());
    const interval = INTERVALS.find((each) => each === named?.[2]);
    if (interval === undefined || named?.[1]?.toUpperCase() !== symbol) continue;
    const same = names.get(interval);
    if (same === undefined) names.set(interval, [name]);
    else same.push(name);
  }
  return names;
}

/** The coarsest of the available intervals that aggregates to each of the intervals. */
export const coarsestFor = (
  intervals: readonly Interval[],
  available: readonly Interval[],
): Interval | undefined =>
  available
    .filter((base) => intervals.every((interval) => canAggregate(base, interval)))
    .sort((one, other) => nominalMs(other) - nominalMs(one))[0];

/** All files of one symbol and interval in a directory, in the order of their names. */
async function directoryCandles(
  request: CandleRequest,
  path: string,
  files: CandleFiles,
): Promise<RawCandles> {
  if (!(await files.exists(path))) {
    throw new CandleFileError(`${path}: there is no such file or directory`);
  }
  const entries = await files.list(path);
  const symbol = request.symbol ?? onlySymbolOf(entries, path);
  const { intervals = ['1m'], detail } = request;
  const namesOf = namesByInterval(entries, symbol);
  const interval = detail ?? coarsestFor(intervals, [...namesOf.keys()]);
  const names = interval === undefined ? undefined : namesOf.get(interval);
  if (interval === undefined || names === undefined) {
    const wanted = detail ?? intervals.join(' and ');
    throw new CandleFileError(
      `${path}: no file of ${symbol} ${wanted} candles; files are named like ${symbol.toLowerCase()}-${detail ?? intervals[0]}-2025-05.csv.gz`,
    );
  }
  const parts: CandleColumns[] = [];
  for (const name of [...names].sort()) {
    const own = await readCandleFile(`${path}/${name}`, files);
    if (own === undefined) continue;
    checkFollows(own, parts.at(-1), name);
    parts.push(own);
  }
  const columns = CandleColumns.join(parts);
  return { columns, base: interval, symbol, origin: `${path} (${names.join(', ')})` };
}

/** The symbol is never guessed: the result could be of another market. */
function throwUnnamedSymbol(path: string): never {
  throw new CandleFileError(
    `${path}: the file's name has no symbol; give it with --symbol BTCUSDT`,
  );
}

function onlySymbolOf(names: readonly string[], path: string): string {
  const named = names.flatMap((name) => NAMED.exec(name.toLowerCase())?.[1]?.toUpperCase() ?? []);
  const symbols = [...new Set(named)];
  const [only] = symbols;
  if (only !== undefined && symbols.length === 1) return only;
  const what = symbols.length === 0 ? 'no file' : `candles of ${symbols.join(', ')}`;
  throw new CandleFileError(
    `${path}: it holds ${what}; choose one with --symbol; files are named like btcusdt-1m-2025-05.csv.gz`,
  );
}

function checkFollows(own: CandleColumns, previous: CandleColumns | undefined, name: string): void {
  if (previous === undefined) return;
  const first = own.openTime[0] as number;
  if (first > (previous.openTime[previous.length - 1] as number)) return;
  throw new CandleFileError(
    `${name}: begins at ${new Date(first).toISOString()}, before the previous file ends; give one file with --data`,
  );
}

/** The interval whose length is the smallest distance of two candles. */
function baseOf(columns: CandleColumns, name: string, requested: Interval | undefined): Interval {
  const { stepMs } = candleGaps(columns);
  if (stepMs === undefined) return requested ?? '1m';
  const found = INTERVALS.find((interval) => nominalMs(interval) === stepMs);
  if (found !== undefined) return found;
  throw new CandleFileError(
    `${name}: its candles are ${stepMs / 1_000} s apart, which is no interval of the venue (${INTERVALS.join(', ')})`,
  );
}

/** The ends of an asked range that the data does not reach. */
function rangeWarnings(
  columns: CandleColumns,
  { symbol, base }: RawCandles,
  { fromMs, toMs }: CandleRequest,
): readonly string[] {
  const first = columns.openTime[0] as number;
  const end = closeTimeOf(base, columns.openTime[columns.length - 1] as number);
  return [
    ...(fromMs !== undefined && first - fromMs >= nominalMs(base)
      ? [`the candles of ${symbol} begin at ${instant(columns, 0)}, after --from`]
      : []),
    ...(toMs !== undefined && toMs > end
      ? [`the candles of ${symbol} end at ${new Date(end).toISOString()}, before --to`]
      : []),
  ];
}

function gapWarnings(columns: CandleColumns): readonly string[] {
  const { gaps } = candleGaps(columns);
  if (gaps.length === 0) return [];
  const missing = gaps.reduce((sum, gap) => sum + gap.missing, 0);
  const [first] = gaps;
  const where = first === undefined ? '' : new Date(first.afterMs).toISOString();
  return [`${missing} candles are missing in ${gaps.length} gaps, the first after ${where}`];
}

/** The venue's candles open at multiples of their interval in UTC. A file from elsewhere may have another grid. */
function openTimeWarnings({ openTime, length }: CandleColumns, base: Interval): readonly string[] {
  const ends = [openTime[0] as number, openTime[length - 1] as number];
  const shifted = ends.find((time) => openTimeOf(base, time) !== time);
  if (shifted === undefined) return [];
  const time = (ms: number): string => new Date(ms).toISOString();
  return [
    `the ${base} candle of ${time(shifted)} opens off the venue's times, such as ${time(openTimeOf(base, shifted))}; live candles will differ`,
  ];
}

export const BUNDLED_SEED = 1;
const BUNDLED_START = Date.UTC(2025, 4, 5);
const BUNDLED_DAYS = 7;
const DAY_MS = 86_400_000;

/** A week of the sandbox's synthetic market: the same on every machine, without a file. */
function bundledCandles(request: CandleRequest): RawCandles {
  const symbol = request.symbol ?? DEFAULT_SYMBOL;
  const market = createSyntheticMarket(BUNDLED_SEED, STANDARD_LISTINGS);
  if (!market.symbols.includes(symbol)) {
    throw new CandleFileError(
      `the bundled market has no ${symbol} (it has ${market.symbols.join(', ')}); give a file with --data`,
    );
  }
  const toMs = BUNDLED_START + BUNDLED_DAYS * DAY_MS;
  const candles = candlesOf(market, {
    kind: 'last',
    symbol,
    interval: '1m',
    fromMs: BUNDLED_START,
    toMs: toMs - 1,
    nowMs: toMs,
    limit: Infinity,
  });
  const origin = `the bundled synthetic market, seed ${BUNDLED_SEED}, ${BUNDLED_DAYS} days`;
  return { columns: CandleColumns.from(candles), base: '1m', symbol, origin };
}
