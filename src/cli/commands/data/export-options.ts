import type { Command } from 'commander';
import { DATASET_KINDS, type DatasetKind } from '../../../catalog/dataset.js';
import type { Interval } from '../../../core/interval.js';
import { examples, type CommandAction } from '../../shared-options.js';
import * as values from '../../values.js';
import { dataGroup, withCatalog, type CatalogOptions } from './data-group.js';

export interface DataExportOptions extends CatalogOptions {
  readonly symbol: string;
  readonly kind: DatasetKind;
  readonly interval?: Interval;
  /** ms UTC; `from` ≤ time < `to`. */
  readonly from?: number;
  readonly to?: number;
  readonly out: string;
}

export function addDataExport(
  program: Command,
  debug: boolean,
  action: CommandAction<DataExportOptions>,
): void {
  const command = dataGroup(program)
    .command('export')
    .description('Write data of the catalogue into a new CSV or Parquet file.')
    .requiredOption('--symbol <symbol>', 'symbol', values.parseSymbol)
    .option(
      '--interval <interval>',
      'interval (default: the only one of the symbol)',
      values.parseInterval,
    )
    .option('--kind <kind>', DATASET_KINDS.join(', '), values.oneOf(DATASET_KINDS), 'klines')
    .option('--from <time>', 'first time, ISO 8601 in UTC', values.parseInstant)
    .option('--to <time>', 'end, not included, ISO 8601 in UTC', values.parseInstant)
    .requiredOption(
      '--out <file>',
      'new file; its end chooses the format: .csv, .csv.gz, .parquet',
    );
  withCatalog(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice data export --symbol BTCUSDT --interval 1m --out btcusdt-1m.parquet',
        'sluice data export --symbol BTCUSDT --kind funding --from 2025-01-01 --out btcusdt-funding-2025.csv',
      ),
    )
    .action((options: DataExportOptions) => action(options));
}
