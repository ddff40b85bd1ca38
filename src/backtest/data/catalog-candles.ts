import type { DataCatalog } from '../../catalog/catalog.js';
import { missingIn, uncoveredIn, type TimeRange } from '../../catalog/coverage.js';
import type { CandleDataset } from '../../catalog/dataset.js';
import { downloadCommand } from '../../catalog/repair-command.js';
import { closeTimeOf, openTimeOf, type Interval } from '../../core/interval.js';
import { CandleFileError } from '../../market/candles/candle-csv.js';
import { coarsestFor, type LoadedCandles } from './candle-loader.js';

export interface CatalogRequest {
  readonly symbol: string;
  /** Intervals of the strategies. The candles must aggregate to each. */
  readonly intervals: readonly Interval[];
  /** Interval of the candles. Default: the coarsest one that fits. */
  readonly detail?: Interval;
  /** ms UTC; `fromMs` ≤ open time < `toMs`. Default: all that the catalogue holds. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Runs over candles that were never downloaded, with a warning. */
  readonly allowGaps: boolean;
}

/**
 * Candles of the catalogue. Minutes that the venue has answered for without a candle are no fault: no download
 * fills them.
 * @throws CandleFileError with the command that downloads the candles which were never asked for
 */
export async function readCatalogCandles(
  request: CatalogRequest,
  catalog: DataCatalog,
): Promise<LoadedCandles> {
  const { symbol, intervals, detail } = request;
  const entries = await catalog.list();
  const available = entries.flatMap(({ dataset }) =>
    dataset.kind === 'klines' && dataset.symbol === symbol ? [dataset.interval] : [],
  );
  const base = detail ?? coarsestFor(intervals, available);
  const [first = '1m'] = intervals;
  const dataset: CandleDataset = { kind: 'klines', symbol, interval: base ?? first };
  const coverage = await catalog.coverage(dataset);
  if (coverage === undefined || coverage.rows === 0) throw absentError(request, dataset, catalog);
  const [start, end] = [coverage.ranges[0]?.fromMs ?? 0, coverage.ranges.at(-1)?.toMs ?? 0];
  const range = wholeCandles(dataset, {
    fromMs: request.fromMs ?? start,
    toMs: request.toMs ?? end,
  });
  const missing = uncoveredIn(range, coverage.ranges);
  const unasked = uncoveredIn(range, coverage.answered);
  const [firstUnasked] = unasked;
  if (firstUnasked !== undefined && !request.allowGaps) {
    const hull = { ...firstUnasked, toMs: unasked.at(-1)?.toMs ?? firstUnasked.toMs };
    const command = downloadCommand(catalog.folder, dataset, hull, venueOf(coverage));
    throw new CandleFileError(
      `${missingText(dataset, unasked)}; download them: ${command}; --allow-gaps runs without them`,
    );
  }
  const columns = await catalog.read(dataset, range.fromMs, range.toMs);
  if (columns === undefined || columns.length === 0)
    throw unasked.length === 0
      ? emptyError(dataset, range)
      : absentError(request, dataset, catalog);
  const count = countIn(dataset, missing);
  return {
    columns,
    base: dataset.interval,
    symbol,
    origin: catalog.pathOf(dataset),
    missing: { count, answered: count - countIn(dataset, unasked) },
    warnings: gapWarnings(dataset, missing, unasked),
  };
}

function gapWarnings(
  dataset: CandleDataset,
  missing: readonly TimeRange[],
  unasked: readonly TimeRange[],
): readonly string[] {
  const answered = missing.flatMap((range) => uncoveredIn(range, unasked));
  return [
    ...(answered.length === 0
      ? []
      : [`${missingText(dataset, answered)}; the venue has none there, so the run goes on`]),
    ...(unasked.length === 0
      ? []
      : [`${missingText(dataset, unasked)}; the run leaves them out (--allow-gaps)`]),
  ];
}

/** The open of the first whole candle and the close of the last one. */
function wholeCandles({ interval }: CandleDataset, { fromMs, toMs }: TimeRange): TimeRange {
  const first = openTimeOf(interval, fromMs);
  const last = openTimeOf(interval, toMs);
  return {
    fromMs: first === fromMs ? first : closeTimeOf(interval, first),
    toMs: last === toMs ? last : closeTimeOf(interval, last),
  };
}

const countIn = (dataset: CandleDataset, ranges: readonly TimeRange[]): number =>
  ranges.reduce((sum, { fromMs, toMs }) => sum + missingIn(dataset, fromMs, toMs), 0);

/** @param missing at least one range */
function missingText(dataset: CandleDataset, missing: readonly TimeRange[]): string {
  const count = countIn(dataset, missing);
  const candles =
    count === 1
      ? `1 candle of ${dataset.interval} is missing`
      : `${count} candles of ${dataset.interval} are missing`;
  const ranges = missing.length === 1 ? 'in one range' : `in ${missing.length} ranges, the first`;
  return `${dataset.symbol}: ${candles} ${ranges} ${rangeText(missing[0])}`;
}

const rangeText = ({ fromMs, toMs }: TimeRange = { fromMs: 0, toMs: 0 }): string =>
  `from ${instant(fromMs)} to ${instant(toMs)}`;

const emptyError = ({ symbol, interval }: CandleDataset, range: TimeRange): CandleFileError =>
  new CandleFileError(
    `the venue has no ${interval} candles of ${symbol} ${rangeText(range)}: choose another range with --from and --to; sluice data list shows that of the catalogue`,
  );

function absentError(
  { fromMs, toMs }: CatalogRequest,
  dataset: CandleDataset,
  catalog: DataCatalog,
): CandleFileError {
  const range = fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs };
  return new CandleFileError(
    `${catalog.folder}: it holds no ${dataset.interval} candles of ${dataset.symbol}; download them: ${downloadCommand(catalog.folder, dataset, range)}; ` +
      '--data runs on a file, --data bundled on the synthetic market',
  );
}

/** The venue of the last download. */
const venueOf = ({
  sources,
}: {
  readonly sources: readonly { text: string; sha256: string | null }[];
}) => sources.findLast(({ sha256 }) => sha256 === null)?.text;

const instant = (ms: number): string => new Date(ms).toISOString();
