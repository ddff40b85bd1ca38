import { importFiles, type ImportedDataset } from '../../../catalog/import/import-files.js';
import type { ForeignOptions, ForeignSeries } from '../../../catalog/import/foreign-file.js';
import { datasetText } from '../../../catalog/dataset.js';
import { EXIT } from '../../../core/exit-code.js';
import { LINE_CLEAR, LINE_START, countText, oneLine } from '../../../core/terminal-text.js';
import type { Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataImportOptions } from './import-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data import`. @returns the exit code */
export async function dataImportCommand(options: DataImportOptions, io: Io): Promise<number> {
  const catalog = openCatalog(options, io);
  const progress = progressOn(io);
  const { datasets, ignored } = await importFiles(
    {
      given: options.paths,
      options: foreignOptions(options),
      isOverwriting: options.overwrite,
      isDryRun: options.dryRun,
      onFile: progress.show,
    },
    catalog,
    io.files,
  ).finally(progress.clear);
  if (options.json) {
    const { folder } = catalog;
    printJson(io, {
      catalog: folder,
      dry_run: options.dryRun,
      datasets: datasets.map(json),
      ignored,
    });
    return EXIT.done;
  }
  for (const each of datasets) {
    for (const line of linesOf(each, options)) io.stdout(`${oneLine(line)}\n`);
  }
  if (ignored.length > 0) {
    const left = ignored.length === 1 ? '1 other file was' : `${ignored.length} other files were`;
    io.stdout(`${oneLine(`${left} left out, such as ${ignored[0]}`)}\n`);
  }
  const end = options.dryRun ? 'nothing was written (--dry-run)' : `catalogue: ${catalog.folder}`;
  io.stdout(`${oneLine(end)}\n`);
  return EXIT.done;
}

function foreignOptions(options: DataImportOptions): ForeignOptions {
  const { format, kind, symbol, interval, columns, timeUnit } = options;
  return {
    isSorting: options.sort,
    ...(format !== undefined && { format }),
    ...(kind !== undefined && { kind }),
    ...(symbol !== undefined && { symbol }),
    ...(interval !== undefined && { interval }),
    ...(columns !== undefined && { columns }),
    ...(timeUnit !== undefined && { timeUnit }),
  };
}

/** A line on the terminal with the file that is read, for several files. */
function progressOn(io: Io) {
  let isShown = false;
  return {
    show: (path: string, index: number, count: number): void => {
      if (!io.isTerminal || count < 2) return;
      isShown = true;
      io.stderr(`${LINE_START}${LINE_CLEAR}${index + 1} of ${count}: ${oneLine(path).slice(-60)}`);
    },
    clear: (): void => {
      if (isShown) io.stderr(LINE_CLEAR);
    },
  };
}

const DELIMITER_NAMES = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const;

function linesOf(imported: ImportedDataset, { dryRun, overwrite }: DataImportOptions) {
  const { dataset, series, rows, added, replaced, unchanged, gaps, warnings } = imported;
  const [first] = series as readonly [ForeignSeries, ...ForeignSeries[]];
  const files =
    series.length === 1 ? first.path : `${series.length} files, the first ${first.path}`;
  const verified = series.filter(({ checksum }) => checksum.isVerified).length;
  const missing = gaps.reduce((sum, gap) => sum + gap.missing, 0);
  const change = `${added} added, ${replaced} replaced, ${unchanged} there already`;
  return [
    `${datasetText(dataset)}: ${countText(rows, 'row')} from ${minute(imported.firstMs)} to ${minute(imported.lastMs)} UTC`,
    `  from ${files}`,
    `  read as ${formText(first)}`,
    ...(verified === 0 ? [] : [`  checksums: ${verified} of ${series.length} verified`]),
    ...(gaps.length === 0
      ? []
      : [`  gaps: ${gaps.length} with ${countText(missing, 'missing row')}`]),
    ...(dryRun && overwrite ? [] : [`  ${dryRun ? 'would be' : 'catalogue'}: ${change}`]),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ];
}

function formText({ form }: ForeignSeries): string {
  const csv =
    form.delimiter === undefined
      ? ''
      : ` with ${DELIMITER_NAMES[form.delimiter]}${form.hasHeader === true ? '' : ' and no header'}`;
  return `${form.format}${csv}, times in ${form.timeUnit}, ${form.columns}`;
}

const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

const json = ({ dataset, series, gaps, firstMs, lastMs, ...rest }: ImportedDataset) => ({
  symbol: dataset.symbol,
  kind: dataset.kind,
  interval: dataset.kind === 'funding' ? null : dataset.interval,
  first: new Date(firstMs).toISOString(),
  last: new Date(lastMs).toISOString(),
  ...rest,
  gaps: gaps.map(({ fromMs, toMs, missing }) => ({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    missing,
  })),
  files: series.map(({ path, form, checksum }) => ({
    path,
    sha256: checksum.sha256,
    checksum_verified: checksum.isVerified,
    format: form.format,
    columns: form.columns,
    time_unit: form.timeUnit,
  })),
});
