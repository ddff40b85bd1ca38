import { basename } from 'node:path';
import { INTERVALS, nominalMs, type Interval } from '../core/interval.js';
import type { Files } from '../core/ports.js';
import { symbolOfFileName } from '../core/symbol.js';
import { canAggregate } from '../market/candle-aggregator.js';
import { CandleColumns } from '../market/candle-columns.js';
import { CandleFileError, parseCandleCsv } from '../market/candle-csv.js';
import { candleGaps } from '../market/candle-gaps.js';
import { STANDARD_LISTINGS } from '../sandbox/listings.js';
import { candlesOf } from '../sandbox/market.js';
import { createSyntheticMarket } from '../sandbox/synthetic-market.js';
import { readIfFile } from './data-file.js';

/** Candles of a run, and where they came from. */
export interface CandleSource {
  readonly columns: CandleColumns;
  /** Interval of the candles as they lie there. */
  readonly base: Interval;
  readonly symbol: string;
  /** For people: files, or the bundled market. */
  readonly origin: string;
  /** What a reader should know: holes in the data. */
  readonly warnings: readonly string[];
}

export interface CandleWish {
  /** A file or a directory; absent: the bundled market. */
  readonly data?: string;
  readonly symbol?: string;
  /** What the strategy sees; must be made of the data's. */
  readonly interval?: Interval;
  /** ms UTC; `fromMs` ≤ open time < `toMs`. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

const DEFAULT_SYMBOL = 'BTCUSDT';
/** `btcusdt-1m-2025-05_06.csv.gz` */
const NAMED = /^([a-z0-9]+usdt)-([0-9]+[a-zA-Z]+)-.*\.csv(\.gz)?$/;

/** @throws CandleFileError for a file that is missing, unsound, or does not fit the wish */
export async function readCandles(wish: CandleWish, files: Files): Promise<CandleSource> {
  const source =
    wish.data === undefined ? bundledCandles(wish) : await fileCandles(wish, wish.data, files);
  const { columns } = source;
  const within = columns.within(wish.fromMs ?? -Infinity, wish.toMs ?? Infinity);
  if (within.length === 0) {
    throw new CandleFileError(
      `${source.origin}: no candle lies in the range; the data runs from ${instant(columns, 0)} to ${instant(columns, columns.length - 1)}`,
    );
  }
  const wanted = wish.interval ?? source.base;
  if (!canAggregate(source.base, wanted)) {
    throw new CandleFileError(
      `${source.origin}: ${wanted} candles cannot be made of ${source.base} candles; give --interval ${source.base} or finer data`,
    );
  }
  return { ...source, columns: within, warnings: gapWarnings(within) };
}

const instant = (columns: CandleColumns, index: number): string =>
  columns.length === 0 ? 'nowhere' : new Date(columns.openTime[index] as number).toISOString();

type RawSource = Omit<CandleSource, 'warnings'>;

async function fileCandles(wish: CandleWish, path: string, files: Files): Promise<RawSource> {
  const direct = await readIfFile(path, files);
  if (direct !== undefined) {
    const symbol = wish.symbol ?? symbolOfFileName(basename(path)) ?? unnamed(path);
    const columns = parseCandleCsv(direct, path);
    return { columns, base: baseOf(columns, path, wish.interval), symbol, origin: path };
  }
  return directoryCandles(wish, path, files);
}

/** All files of one symbol and interval in a directory, one after the other. */
async function directoryCandles(wish: CandleWish, path: string, files: Files): Promise<RawSource> {
  if (!(await files.exists(path))) {
    throw new CandleFileError(`${path}: there is no such file or directory`);
  }
  const there = await files.list(path);
  const interval = wish.interval ?? '1m';
  const symbol = wish.symbol ?? onlySymbolOf(there, path);
  const names = there.filter((name) => {
    const named = NAMED.exec(name.toLowerCase());
    return named?.[1]?.toUpperCase() === symbol && named[2] === interval;
  });
  if (names.length === 0) {
    throw new CandleFileError(
      `${path}: no file of ${symbol} ${interval} candles; files are named like ${symbol.toLowerCase()}-${interval}-2025-05.csv.gz`,
    );
  }
  const columns = new CandleColumns();
  for (const name of [...names].sort()) {
    const bytes = await files.read(`${path}/${name}`);
    if (bytes !== undefined) append(columns, parseCandleCsv(bytes, `${path}/${name}`), name);
  }
  return { columns, base: interval, symbol, origin: `${path} (${names.join(', ')})` };
}

/** A symbol that nobody named is not guessed: the results would be those of another market. */
function unnamed(path: string): never {
  throw new CandleFileError(
    `${path}: the file's name does not begin with its symbol: say it with --symbol BTCUSDT`,
  );
}

function onlySymbolOf(names: readonly string[], path: string): string {
  const named = names.flatMap((name) => NAMED.exec(name.toLowerCase())?.[1]?.toUpperCase() ?? []);
  const symbols = [...new Set(named)];
  const [only] = symbols;
  if (only !== undefined && symbols.length === 1) return only;
  const what = symbols.length === 0 ? 'no file' : `candles of ${symbols.join(', ')}`;
  throw new CandleFileError(
    `${path}: it holds ${what}: say which symbol with --symbol; files are named like btcusdt-1m-2025-05.csv.gz`,
  );
}

function append(to: CandleColumns, from: CandleColumns, name: string): void {
  const last = to.length === 0 ? -Infinity : (to.openTime[to.length - 1] as number);
  const first = from.openTime[0] as number;
  if (first <= last) {
    throw new CandleFileError(
      `${name}: begins at ${new Date(first).toISOString()}, before the file in front of it ends; give one file with --data`,
    );
  }
  for (let index = 0; index < from.length; index++) to.push(from.at(index));
}

/** The interval whose length is the smallest step of the data. */
function baseOf(columns: CandleColumns, name: string, wanted: Interval | undefined): Interval {
  const { stepMs } = candleGaps(columns);
  if (stepMs === undefined) return wanted ?? '1m';
  const found = INTERVALS.find((interval) => nominalMs(interval) === stepMs);
  if (found !== undefined) return found;
  throw new CandleFileError(
    `${name}: its candles are ${stepMs / 1_000} s apart, which is no interval of the venue (${INTERVALS.join(', ')})`,
  );
}

function gapWarnings(columns: CandleColumns): readonly string[] {
  const { gaps } = candleGaps(columns);
  if (gaps.length === 0) return [];
  const missing = gaps.reduce((sum, gap) => sum + gap.missing, 0);
  const [first] = gaps;
  const where = first === undefined ? '' : new Date(first.afterMs).toISOString();
  return [`${missing} candles are missing in ${gaps.length} gaps, the first after ${where}`];
}

const BUNDLED_SEED = 1;
const BUNDLED_START = Date.UTC(2025, 4, 5);
const BUNDLED_DAYS = 7;
const DAY_MS = 86_400_000;

/** A week of the sandbox's own synthetic market: always there, the same everywhere. */
function bundledCandles(wish: CandleWish): RawSource {
  const symbol = wish.symbol ?? DEFAULT_SYMBOL;
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
