import type { Command } from 'commander';
import { examples, type CommandAction } from '../../shared-options.js';
import * as values from '../../values.js';
import { dataGroup, withCatalog, type CatalogOptions } from './data-group.js';

export interface DataListOptions extends CatalogOptions {
  readonly symbol?: string;
}

export type DataVerifyOptions = DataListOptions;

export function addDataList(
  program: Command,
  debug: boolean,
  action: CommandAction<DataListOptions>,
): void {
  const command = dataGroup(program)
    .command('list')
    .description('List the data of the catalogue: ranges, gaps, sizes and sources.')
    .option('--symbol <symbol>', 'the data of this symbol', values.parseSymbol);
  withCatalog(command, debug)
    .addHelpText('after', examples('sluice data list', 'sluice data list --symbol BTCUSDT --json'))
    .action((options: DataListOptions) => action(options));
}

export function addDataVerify(
  program: Command,
  debug: boolean,
  action: CommandAction<DataVerifyOptions>,
): void {
  const command = dataGroup(program)
    .command('verify')
    .description(
      'Find gaps, duplicates, bad candles and damaged files, each with the command that repairs it. Exit code 1: there are faults.',
    )
    .option('--symbol <symbol>', 'the data of this symbol', values.parseSymbol);
  withCatalog(command, debug)
    .addHelpText(
      'after',
      examples('sluice data verify', 'sluice data verify --symbol BTCUSDT --json'),
    )
    .action((options: DataVerifyOptions) => action(options));
}
