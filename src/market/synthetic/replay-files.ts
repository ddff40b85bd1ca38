import { Decimal } from '../../core/fixed/decimal.js';
import { openTimeOf, MINUTE_MS } from '../../core/interval.js';
import type { Files } from '../../core/ports.js';
import { CandleColumns } from '../candles/candle-columns.js';
import { parseCandleCsv } from '../candles/candle-csv.js';
import { listingFromPrices, type SandboxListing } from './listings.js';
import { type Market } from './market.js';
import { createReplayMarket, type ReplaySeries } from './replay-market.js';

/** A folder without candles to replay. The message is for people. */
export class ReplayFolderError extends Error {
  override readonly name = 'ReplayFolderError';
}

const CANDLE_FILE = /^([a-z0-9]+)-1m-.*\.csv(?:\.gz)?$/i;
/** History before the default start, for the warm-up of strategies. */
const WARM_UP_MS = 240 * MINUTE_MS;
const SAMPLED_ROWS = 1_000;

/** The part of the `Files` port that reads a folder. */
export type ReadableFiles = Pick<Files, 'exists' | 'list' | 'read'>;

export interface Replay {
  readonly market: Market;
  readonly listings: readonly SandboxListing[];
  readonly startMs: number;
  /** Symbols that have files but no candle at the start. They are not listed. */
  readonly omitted: readonly string[];
}

/**
 * Reads a folder of one-minute candle files, `btcusdt-1m-*.csv` or `.csv.gz`. Several files of a symbol
 * are joined. Without `startMs` the replay begins 240 minutes into the earliest range that the most
 * symbols share.
 * @throws ReplayFolderError when no candle can be replayed
 * @throws CandleFileError for an invalid file
 */
export async function loadReplay(
  files: ReadableFiles,
  directory: string,
  startMs?: number,
): Promise<Replay> {
  const series = await readSeries(files, directory);
  const start = startMs ?? defaultStart(series);
  const listed = series.filter((one) => hasCandleAt(one, start));
  if (listed.length === 0) {
    throw new ReplayFolderError(
      `no candle file in ${directory} covers ${new Date(start).toISOString()}; ` +
        `they cover ${series.map(coverageText).join(', ')}`,
    );
  }
  return {
    market: createReplayMarket(listed),
    listings: listed.map((one) => listingFromPrices(one.symbol, priceOf(one, start), one.decimals)),
    startMs: start,
    omitted: series.filter((one) => !listed.includes(one)).map((one) => one.symbol),
  };
}

async function readSeries(files: ReadableFiles, directory: string): Promise<ReplaySeries[]> {
  if (!(await files.exists(directory))) {
    throw new ReplayFolderError(`replay folder ${directory} does not exist`);
  }
  const partsOf = new Map<string, CandleColumns[]>();
  for (const name of [...(await filesIn(files, directory))].sort()) {
    const symbol = CANDLE_FILE.exec(name)?.[1]?.toUpperCase();
    const bytes = symbol === undefined ? undefined : await files.read(`${directory}/${name}`);
    if (symbol === undefined || bytes === undefined) continue;
    const columns = parseCandleCsv(bytes, name);
    checkMinutes(columns, name);
    partsOf.set(symbol, [...(partsOf.get(symbol) ?? []), columns]);
  }
  if (partsOf.size === 0) {
    throw new ReplayFolderError(
      `replay folder ${directory} holds no one-minute candles: name them like btcusdt-1m-2025.csv.gz`,
    );
  }
  return [...partsOf].map(([symbol, parts]) => {
    const columns = join(parts);
    return { symbol, columns, decimals: decimalsOf(columns) };
  });
}

async function filesIn(files: ReadableFiles, directory: string): Promise<readonly string[]> {
  try {
    return await files.list(directory);
  } catch (cause) {
    throw new ReplayFolderError(`replay folder ${directory} cannot be read`, { cause });
  }
}

function checkMinutes(columns: CandleColumns, name: string): void {
  for (let index = 0; index < columns.length; index += 1) {
    const openTime = columns.openTime[index] as number;
    if (openTime !== openTimeOf('1m', openTime)) {
      throw new ReplayFolderError(
        `${name}: candle ${new Date(openTime).toISOString()} does not open on a whole minute`,
      );
    }
  }
}

/** Joins files. Of overlapping files the first by name wins. */
function join(parts: readonly CandleColumns[]): CandleColumns {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const rows = new Map<number, [CandleColumns, number]>();
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      const openTime = part.openTime[index] as number;
      if (!rows.has(openTime)) rows.set(openTime, [part, index]);
    }
  }
  const times = Float64Array.from(rows.keys()).sort();
  const joined = new CandleColumns(times.length);
  for (const openTime of times) {
    const row = rows.get(openTime);
    if (row !== undefined) joined.push(row[0].at(row[1]));
  }
  return joined;
}

/** Earliest minute before which the most symbols have a full warm-up, else the middle of their shared range. */
function defaultStart(series: readonly ReplaySeries[]): number {
  const stretches = series.flatMap(({ columns }) => stretchesOf(columns));
  const candidates = stretches.map(({ fromMs }) => fromMs);
  const coverage = (timeMs: number, needMs: number): number =>
    stretches.filter(({ fromMs, toMs }) => fromMs <= timeMs && timeMs + needMs < toMs).length;
  const needMs = candidates.some((timeMs) => coverage(timeMs, WARM_UP_MS) > 0) ? WARM_UP_MS : 0;
  const best = candidates.reduce((chosen, timeMs) => {
    const gain = coverage(timeMs, needMs) - coverage(chosen, needMs);
    return gain > 0 || (gain === 0 && timeMs < chosen) ? timeMs : chosen;
  });
  if (needMs > 0) return best + needMs;
  const ends = stretches.filter(({ fromMs, toMs }) => fromMs <= best && best < toMs);
  const shared = Math.min(...ends.map(({ toMs }) => toMs)) - best;
  return openTimeOf('1m', best + shared / 2);
}

function stretchesOf(columns: CandleColumns): { fromMs: number; toMs: number }[] {
  const stretches: { fromMs: number; toMs: number }[] = [];
  for (let index = 0; index < columns.length; index += 1) {
    const openTime = columns.openTime[index] as number;
    const current = stretches.at(-1);
    if (current !== undefined && current.toMs === openTime) current.toMs = openTime + MINUTE_MS;
    else stretches.push({ fromMs: openTime, toMs: openTime + MINUTE_MS });
  }
  return stretches;
}

function hasCandleAt({ columns }: ReplaySeries, timeMs: number): boolean {
  const index = columns.indexFrom(openTimeOf('1m', timeMs));
  return index < columns.length && columns.openTime[index] === openTimeOf('1m', timeMs);
}

const priceOf = ({ columns }: ReplaySeries, timeMs: number): number =>
  columns.at(columns.indexFrom(openTimeOf('1m', timeMs))).open;

function decimalsOf(columns: CandleColumns): number {
  let most = 0;
  for (let index = 0; index < Math.min(columns.length, SAMPLED_ROWS); index += 1) {
    const { open, high, low, close } = columns.at(index);
    for (const price of [open, high, low, close]) {
      most = Math.max(most, new Decimal(price).decimalPlaces());
    }
  }
  return Math.min(most, 8);
}

function coverageText({ symbol, columns }: ReplaySeries): string {
  const first = columns.openTime[0] as number;
  const last = columns.openTime[columns.length - 1] as number;
  return `${symbol} ${new Date(first).toISOString()} to ${new Date(last).toISOString()}`;
}
