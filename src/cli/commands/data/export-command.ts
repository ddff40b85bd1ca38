import { gzipSync } from 'node:zlib';
import type { DataCatalog } from '../../../catalog/catalog.js';
import { rowsOfDataset, type Rows } from '../../../catalog/columns.js';
import { datasetText, type Dataset } from '../../../catalog/dataset.js';
import { csvOf } from '../../../catalog/export/csv-export.js';
import { parquetOf } from '../../../catalog/export/parquet-export.js';
import { UsageError } from '../../../core/command-errors.js';
import { EXIT } from '../../../core/exit-code.js';
import { countText, oneLine } from '../../../core/terminal-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataExportOptions } from './export-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data export`. @returns the exit code */
export async function dataExportCommand(options: DataExportOptions, io: Io): Promise<number> {
  const { out, from, to } = options;
  if (!/\.(csv|csv\.gz|parquet)$/i.test(out))
    throw new UsageError(`--out ${out}: the name ends with .csv, .csv.gz or .parquet`);
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError('--from is not before --to: exchange them');
  const catalog = openCatalog(options, io);
  const dataset = await chosenDataset(options, catalog);
  const columns = await catalog.read(dataset, from, to);
  if (columns === undefined) throw new UsageError(`${absent(dataset, catalog)}`);
  const rows = rowsOfDataset(dataset, columns);
  if (rows[0].length === 0) {
    throw new UsageError(
      `the catalogue has no ${datasetText(dataset)} from --from to --to; sluice data list shows its range`,
    );
  }
  const bytes = await fileOf(dataset, rows, out.toLowerCase());
  if (!(await io.files.createExclusive(out, bytes)))
    throw new UsageError(`${out} exists already: remove it, or choose another --out`);
  const { length } = rows[0];
  if (options.json) printJson(io, { out, rows: length, bytes: bytes.length });
  else
    io.stdout(`${oneLine(`${countText(length, 'row')} of ${datasetText(dataset)} in ${out}`)}\n`);
  return EXIT.done;
}

async function chosenDataset(
  { symbol, kind, interval }: DataExportOptions,
  catalog: DataCatalog,
): Promise<Dataset> {
  if (kind === 'funding') return { kind, symbol };
  if (interval !== undefined) return { kind, symbol, interval };
  const intervals = (await catalog.list()).flatMap(({ dataset }) =>
    dataset.kind === kind && dataset.symbol === symbol ? [dataset.interval] : [],
  );
  const [only] = intervals;
  if (only !== undefined && intervals.length === 1) return { kind, symbol, interval: only };
  const has = only === undefined ? `no ${kind} of ${symbol}` : `${kind} of ${intervals.join(', ')}`;
  const mend = only === undefined ? 'sluice data import adds them' : 'choose one with --interval';
  throw new UsageError(`${catalog.folder} has ${has}; ${mend}`);
}

const absent = (dataset: Dataset, { folder }: DataCatalog): string =>
  `${folder} has no ${datasetText(dataset)}; sluice data list shows what it has`;

async function fileOf(dataset: Dataset, rows: Rows, name: string): Promise<Uint8Array> {
  if (name.endsWith('.parquet')) return parquetOf(dataset, rows);
  const csv = csvOf(dataset, rows);
  return name.endsWith('.gz') ? gzipSync(csv) : csv;
}
