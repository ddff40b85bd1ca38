import { fixedFromNumber, type Price } from '../../core/fixed/fixed.js';
import { INTERVALS, nominalMs, type Interval } from '../../core/interval.js';
import type { DataCatalog } from '../../catalog/catalog.js';
import { canAggregate, CandleAggregator } from '../../market/candles/candle-aggregator.js';
import type { CandleArrays, CandleColumns } from '../../market/candles/candle-columns.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';
import { candleGaps } from '../../market/candles/candle-gaps.js';
import { readCandleFile, type CandleFiles } from './candle-files.js';

/** Candles of the mark price, row by row those of the traded prices. */
export type MarkColumns = Pick<CandleArrays, 'open' | 'high' | 'low' | 'close'>;

/** Mark prices of one symbol. */
export interface LoadedMark {
  /** Absent if the candles are coarser than those of the run: then they serve funding alone. */
  readonly mark?: MarkColumns;
  /** Candles of the mark price in their own interval, for settlements of funding. */
  readonly settlementMarks: CandleColumns;
  readonly warnings: readonly string[];
}

/** `btcusdt-mark-1h-2025.csv.gz` */
const NAMED = /^([a-z0-9]+usdt)-mark-[0-9]+[a-zA-Z]+-.*\.csv(\.gz)?$/;

/**
 * Candles of the mark price of a symbol, from a file, or from a folder with one file per symbol. Finer candles
 * than `base` are aggregated. Where a candle is missing, the mark price equals the last price.
 * @throws CandleFileError for a file that is missing, invalid, or does not overlap the run
 */
export async function readMark(
  path: string,
  symbol: string,
  run: MarkedRun,
  files: CandleFiles,
): Promise<LoadedMark> {
  const { name, columns } = await markFileOf(path, symbol, files);
  return markOf(columns, name, run);
}

/**
 * The mark prices of the catalogue: the coarsest that make the candles of the run, else the finest, which serve
 * funding alone. undefined: the catalogue has none in the range.
 */
export async function readCatalogMark(
  symbol: string,
  run: MarkedRun,
  catalog: DataCatalog,
): Promise<LoadedMark | undefined> {
  const available = (await catalog.list()).flatMap(({ dataset }) =>
    dataset.kind === 'mark-klines' && dataset.symbol === symbol ? [dataset] : [],
  );
  const coarsestFirst = available.sort(
    (one, other) => nominalMs(other.interval) - nominalMs(one.interval),
  );
  const dataset =
    coarsestFirst.find(({ interval }) => canAggregate(interval, run.base)) ?? coarsestFirst.at(-1);
  if (dataset === undefined) return undefined;
  const { openTime, length } = run.columns;
  const margin = nominalMs(dataset.interval);
  const [first, last] = [openTime[0] as number, openTime[length - 1] as number];
  const own = await catalog.read(dataset, first - margin, last + nominalMs(run.base));
  return own === undefined || own.length === 0
    ? undefined
    : markOf(own, catalog.pathOf(dataset), run);
}

interface MarkedRun {
  readonly columns: CandleColumns;
  readonly base: Interval;
}

function markOf(own: CandleColumns, name: string, run: MarkedRun): LoadedMark {
  const { stepMs = nominalMs(run.base) } = candleGaps(own);
  const first = run.columns.openTime[0] as number;
  const last = run.columns.openTime[run.columns.length - 1] as number;
  if (own.within(first - stepMs, last + stepMs).length === 0) {
    throw new CandleFileError(`${name}: no mark price lies in the range of the candles`);
  }
  const interval = INTERVALS.find((each) => nominalMs(each) === stepMs);
  if (interval === undefined || !canAggregate(interval, run.base)) {
    const apart = `${name}: mark prices ${stepMs / 60_000} min apart do not make ${run.base} candles`;
    const text = `${apart}: they serve funding, and stops and liquidations use last prices`;
    return { settlementMarks: own, warnings: [text] };
  }
  const columns = interval === run.base ? own : CandleAggregator.aggregate(own, interval, run.base);
  const { mark, missing } = alignedTo(run.columns, columns);
  const text = `${name}: ${missing} of ${run.columns.length} mark prices are missing; the last price serves there`;
  return { mark, settlementMarks: own, warnings: missing === 0 ? [] : [text] };
}

/** Mark price at a settlement: the open of the last candle that opened by then. */
export function markAt(marks: CandleColumns, time: number): Price | undefined {
  const index = marks.indexFrom(time + 1) - 1;
  return index < 0 ? undefined : fixedFromNumber(marks.open[index] as number);
}

async function markFileOf(path: string, symbol: string, files: CandleFiles) {
  const direct = await readCandleFile(path, files, 'optional');
  if (direct !== undefined) return { name: path, columns: direct };
  const listed = await files.list(path);
  if (listed.length === 0) throw new CandleFileError(`${path}: there is no such file or folder`);
  const names = listed.filter(
    (name) => NAMED.exec(name.toLowerCase())?.[1]?.toUpperCase() === symbol,
  );
  const [only] = names;
  if (only === undefined || names.length > 1) {
    const found = names.length === 0 ? 'no mark prices' : `${names.length} files of mark prices`;
    throw new CandleFileError(
      `${path}: ${found} of ${symbol}; give one file, named like ${symbol.toLowerCase()}-mark-1h-2025.csv.gz`,
    );
  }
  const columns = await readCandleFile(`${path}/${only}`, files, 'optional');
  if (columns === undefined) throw new CandleFileError(`${path}/${only}: the file cannot be read`);
  return { name: `${path}/${only}`, columns };
}

function alignedTo(candles: CandleColumns, marks: CandleColumns) {
  const { length } = candles;
  const [open, high, low, close] = [0, 1, 2, 3].map(() => new Float64Array(length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let missing = 0;
  let row = 0;
  for (let index = 0; index < length; index += 1) {
    const time = candles.openTime[index] as number;
    while (row < marks.length && (marks.openTime[row] as number) < time) row += 1;
    const isPresent = row < marks.length && marks.openTime[row] === time;
    if (!isPresent) missing += 1;
    const [source, at] = isPresent ? [marks, row] : [candles, index];
    open[index] = source.open[at] as number;
    high[index] = source.high[at] as number;
    low[index] = source.low[at] as number;
    close[index] = source.close[at] as number;
  }
  return { mark: { open, high, low, close }, missing };
}
