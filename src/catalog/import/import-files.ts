import { countText } from '../../core/terminal-text.js';
import type { Files } from '../../core/ports.js';
import { CandleFileError } from '../../market/candles/candle-file-error.js';
import type { DataCatalog, WriteOptions } from '../catalog.js';
import { columnsOfRows, rowsOfDataset } from '../columns.js';
import { endOf, gapsOf, rangesOf, type DataGap } from '../coverage.js';
import type { SourcePart } from '../dataset-record.js';
import { datasetText, type Dataset } from '../dataset.js';
import { mergeRows } from '../merge.js';
import type { ForeignOptions, ForeignSeries } from './foreign-file.js';
import { foreignPaths } from './foreign-paths.js';
import { joinSeries, rowsOfSeries, timesOfRows, type JoinedSeries } from './join-series.js';
import { readForeign } from './read-foreign.js';
import { UnknownIntervalError } from './series-interval.js';

export interface ImportRequest {
  /** Files and folders. */
  readonly given: readonly string[];
  readonly options: ForeignOptions;
  /** Replaces rows of the catalogue whose values differ. */
  readonly isOverwriting: boolean;
  /** Reads and checks everything, and writes nothing. */
  readonly isDryRun: boolean;
  /** Called before each file. */
  readonly onFile?: (path: string, index: number, count: number) => void;
}

/** The rows of one dataset and their effect on the catalogue. */
export interface ImportedDataset {
  readonly dataset: Dataset;
  readonly series: readonly ForeignSeries[];
  readonly rows: number;
  /** First and last time, ms UTC. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly gaps: readonly DataGap[];
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly warnings: readonly string[];
}

export interface ImportResult {
  readonly datasets: readonly ImportedDataset[];
  /** Files of the given folders that were left out: of another format, or of an interval such as 8h. */
  readonly ignored: readonly string[];
}

/**
 * Reads files of other programs and writes them into the catalogue. Everything is read and compared first: a fault
 * in any file leaves the catalogue as it was.
 * @throws CandleFileError for a file with a fault, and for rows that differ from those of another file or of the
 * catalogue
 */
export async function importFiles(
  request: ImportRequest,
  catalog: DataCatalog,
  files: Files,
): Promise<ImportResult> {
  const { paths, inFolders, ignored: others } = await foreignPaths(request.given, files);
  const ignored = [...others];
  const series: ForeignSeries[] = [];
  for (const [index, path] of paths.entries()) {
    request.onFile?.(path, index, paths.length);
    try {
      series.push(...(await readPath(path, request.options, files)));
    } catch (error) {
      if (!(error instanceof UnknownIntervalError && inFolders.has(path))) throw error;
      ignored.push(path);
    }
  }
  const joined = joinSeries(series);
  const planned: ImportedDataset[] = [];
  for (const each of joined) planned.push(await plannedDataset(each, request, catalog));
  if (request.isDryRun) return { datasets: planned, ignored };
  const datasets: ImportedDataset[] = [];
  for (const [index, each] of joined.entries()) {
    const { added, replaced, unchanged } = await write(each, catalog, request.isOverwriting);
    datasets.push({ ...(planned[index] as ImportedDataset), added, replaced, unchanged });
  }
  return { datasets, ignored };
}

async function readPath(
  path: string,
  options: ForeignOptions,
  files: Files,
): Promise<readonly ForeignSeries[]> {
  const bytes = await files.read(path);
  if (bytes === undefined) throw new CandleFileError(`${path}: there is no such file`);
  const checksum = await files.read(`${path}.CHECKSUM`);
  return readForeign({ path, bytes, ...(checksum !== undefined && { checksum }) }, options);
}

async function plannedDataset(
  joined: JoinedSeries,
  { isOverwriting }: ImportRequest,
  catalog: DataCatalog,
): Promise<ImportedDataset> {
  const { dataset, rows, series, shared } = joined;
  const occur =
    shared === 1
      ? '1 row occurs in several files and is'
      : `${shared} rows occur in several files and are`;
  const text = `${datasetText(dataset)}: ${occur} kept once`;
  return {
    dataset,
    series,
    rows: rows[0].length,
    ...timesOfRows(rows),
    gaps: gapsOf(dataset, rangesOf(dataset, rows)),
    ...(isOverwriting ? NOT_COMPARED : await compared(joined, catalog)),
    warnings: [...series.flatMap(({ warnings }) => warnings), ...(shared === 0 ? [] : [text])],
  };
}

/** With `--overwrite` the write itself compares: the file in the catalogue may be damaged. */
const NOT_COMPARED = { added: 0, replaced: 0, unchanged: 0 };

async function compared({ dataset, rows, series }: JoinedSeries, catalog: DataCatalog) {
  const stored = await catalog.read(dataset);
  if (stored === undefined) return { added: rows[0].length, replaced: 0, unchanged: 0 };
  const { added, replaced, unchanged, conflict, conflicts } = mergeRows(
    dataset,
    rowsOfDataset(dataset, stored),
    rows,
  );
  if (conflict === undefined) return { added, replaced, unchanged };
  const { timeMs, column } = conflict;
  const from = series.find((each) => rowsOfSeries(each)[0].includes(timeMs));
  throw new CandleFileError(
    `${from?.path ?? datasetText(dataset)}: its ${column} of ${new Date(timeMs).toISOString()} is ` +
      `${conflict.new}, and the catalogue has ${conflict.old} (${countText(conflicts, 'row')} of ${datasetText(dataset)} ` +
      `${conflicts === 1 ? 'differs' : 'differ'}); nothing was written; --overwrite replaces ${conflicts === 1 ? 'it' : 'them'}`,
  );
}

function write({ dataset, rows, series }: JoinedSeries, catalog: DataCatalog, overwrite: boolean) {
  const parts = series.map((each) => partOf(dataset, each));
  const [first] = parts as [SourcePart, ...SourcePart[]];
  const options: WriteOptions = { overwrite, parts };
  return catalog.write(dataset, columnsOfRows(dataset, rows), first, options);
}

function partOf(dataset: Dataset, series: ForeignSeries): SourcePart {
  const rows = rowsOfSeries(series);
  const { firstMs, lastMs } = timesOfRows(rows);
  const { sha256 } = series.checksum;
  const toMs = endOf(dataset, lastMs);
  return { text: series.file, sha256, fromMs: firstMs, toMs, rows: rows[0].length };
}
