import type { Command } from 'commander';
import { DATASET_KINDS, type DatasetKind } from '../../../catalog/dataset.js';
import { FOREIGN_FORMATS, type ForeignFormat } from '../../../catalog/import/foreign-file.js';
import type { Interval } from '../../../core/interval.js';
import { TIME_UNITS, type TimeUnit } from '../../../market/candles/time-unit.js';
import { examples, type CommandAction } from '../../shared-options.js';
import * as values from '../../values.js';
import { dataGroup, withCatalog, type CatalogOptions } from './data-group.js';

export interface DataImportOptions extends CatalogOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  readonly symbol?: string;
  readonly interval?: Interval;
  readonly kind?: DatasetKind;
  readonly format?: ForeignFormat;
  readonly columns?: ReadonlyMap<string, string | number>;
  readonly timeUnit?: TimeUnit;
  readonly sort: boolean;
  readonly overwrite: boolean;
  readonly dryRun: boolean;
}

/** Fields of a candle and of a funding rate, in the order of a list without names. */
const FIELDS = ['time', 'open', 'high', 'low', 'close', 'volume', 'rate', 'interval'] as const;

export function addDataImport(
  program: Command,
  debug: boolean,
  action: CommandAction<DataImportOptions>,
): void {
  const command = dataGroup(program)
    .command('import')
    .description(
      'Import candles and funding rates of other programs: CSV, JSON, Parquet, Feather, also as gzip or zip. ' +
        'Format, columns, time unit, symbol and interval are recognized.',
    )
    .argument('<files...>', 'files, or folders with files')
    .option('--symbol <symbol>', 'symbol (default: by the file name)', values.parseSymbol)
    .option(
      '--interval <interval>',
      'interval of the candles (default: by the name and the times)',
      values.parseInterval,
    )
    .option(
      '--kind <kind>',
      `${DATASET_KINDS.join(', ')} (default: by name and columns)`,
      values.oneOf(DATASET_KINDS),
    )
    .option(
      '--format <format>',
      `${FOREIGN_FORMATS.join(', ')} (default: by the content)`,
      values.oneOf(FOREIGN_FORMATS),
    )
    .option(
      '--columns <columns>',
      'columns that are not recognized, such as time=Date,volume=Qty or time=1',
      parseColumns,
    )
    .option(
      '--time-unit <unit>',
      `${TIME_UNITS.join(', ')} (default: by the size)`,
      values.oneOf(TIME_UNITS),
    )
    .option('--sort', 'sort the rows by time and drop repeated ones', false)
    .option('--overwrite', 'replace rows of the catalogue that differ', false)
    .option('--dry-run', 'read and check, and write nothing', false);
  withCatalog(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice data import btcusdt-1m.csv.gz',
        'sluice data import BTCUSDT-1m-2024-*.zip',
        'sluice data import user_data/data/binance/futures',
        'sluice data import own.csv --symbol BTCUSDT --columns time=Date,volume=Qty --dry-run',
      ),
    )
    .action((paths: readonly string[], options: Omit<DataImportOptions, 'paths'>) =>
      action({ ...options, paths }),
    );
}

/** `time=Date,volume=5`: a column by its name, or by its number from 1. */
function parseColumns(text: string): ReadonlyMap<string, string | number> {
  const columns = new Map<string, string | number>();
  for (const pair of text.split(',')) {
    const [name = '', column = ''] = values.splitAtEquals(pair.trim()) ?? [];
    const field = FIELDS.find((each) => each === name.trim().toLowerCase());
    if (field === undefined)
      values.expected(`pairs such as time=Date, with one of ${FIELDS.join(', ')}`, pair);
    else {
      const key = field === 'time' ? 'open_time' : field;
      columns.set(key, /^[1-9]\d{0,3}$/.test(column.trim()) ? Number(column) - 1 : column.trim());
    }
  }
  return columns;
}
