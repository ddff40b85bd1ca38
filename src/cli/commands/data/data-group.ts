import type { Command } from 'commander';
import { examples, withOutput, type OutputOptions } from '../../shared-options.js';

/** The options of every command of the data catalogue. */
export interface CatalogOptions extends OutputOptions {
  /** Folder of the catalogue. Absent: SLUICE_CATALOG, else the user's data folder. */
  readonly catalog?: string;
}

/** The parent of the subcommands; the first of them creates it. */
export const dataGroup = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'data') ??
  program
    .command('data')
    .description('Keep market data in a catalogue of Arrow files, for backtests and for notebooks.')
    .addHelpText('after', examples('sluice data list', 'sluice data verify'));

export const CATALOG_DEFAULT = 'SLUICE_CATALOG, else sluice/catalog in the data folder of the user';

export const CATALOG_HELP = `folder of the catalogue; default: ${CATALOG_DEFAULT}`;

export const withCatalog = (command: Command, debug: boolean): Command =>
  withOutput(
    command.option('--catalog <folder>', `folder of the catalogue; default: ${CATALOG_DEFAULT}`),
    debug,
  );
