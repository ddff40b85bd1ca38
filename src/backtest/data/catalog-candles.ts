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
  /** Runs over missing candles, with a warning. */
  readonly allowGaps: boolean;
}

/**
 * Candles of the catalogue.
 * @throws CandleFileError with the command that downloads the candles which are missing
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
  const fault = missingText(dataset, missing);
  if (fault !== undefined && !request.allowGaps) {
    const hull = { fromMs: missing[0]?.fromMs ?? 0, toMs: missing.at(-1)?.toMs ?? 0 };
    const isAnswered = missing.every((each) => uncoveredIn(each, coverage.answered).length === 0);
    const remedy = isAnswered
      ? 'the venue has none there'
      : `download them: ${downloadCommand(catalog.folder, dataset, hull, venueOf(coverage))}`;
    throw new CandleFileError(`${fault}; ${remedy}; --allow-gaps runs without them`);
  }
  const columns = await catalog.read(dataset, range.fromMs, range.toMs);
  if (columns === undefined || columns.length === 0) throw absentError(request, dataset, catalog);
  return {
    columns,
    base: dataset.interval,
    symbol,
    origin: catalog.pathOf(dataset),
    warnings: fault === undefined ? [] : [`${fault}; the run leaves them out (--allow-gaps)`],
  };
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

function missingText(dataset: CandleDataset, missing: readonly TimeRange[]): string | undefined {
  const [first] = missing;
  if (first === undefined) return undefined;
  const count = missing.reduce(
    (sum, { fromMs, toMs }) => sum + missingIn(dataset, fromMs, toMs),
    0,
  );
  const gaps = missing.length === 1 ? 'in one range' : `in ${missing.length} ranges, the first`;
  return `${dataset.symbol}: ${count} candles of ${dataset.interval} are missing ${gaps} from ${instant(first.fromMs)} to ${instant(first.toMs)}`;
}

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
