import type { Command } from 'commander';
import {
  examples,
  withAccount,
  type CommandAction,
  type VenueOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

/** Options of every command about the books of an account. */
export interface BooksOptions extends VenueOptions {
  /** State folder whose journal names the owners of orders. */
  readonly stateDir?: string;
  /** IANA time zone, not yet checked. */
  readonly tz: string;
  /** A day in the zone, or a UTC time, not yet checked. Inclusive. */
  readonly from?: string;
  /** The same. A day is included, a time is not. */
  readonly to?: string;
  /** File that must not exist yet. */
  readonly out?: string;
  /** Reads the journal alone. */
  readonly offline: boolean;
}

export const GROUPS = ['day', 'strategy', 'symbol'] as const;
export type Group = (typeof GROUPS)[number];

export interface PnlOptions extends BooksOptions {
  readonly by: Group;
}

export interface LedgerOptions extends BooksOptions {
  /** Folder for a file of each finished day; true: `ledger` in the state folder. */
  readonly archive?: string | true;
}

const withBooks = (command: Command, debug: boolean): Command =>
  withAccount(command, debug)
    .option('--state-dir <folder>', 'journal that names the owners (default: of the configuration)')
    .option('--tz <zone>', 'time zone of days and local times, such as Asia/Kolkata', 'UTC')
    .option('--from <time>', 'first day in that zone, or a UTC time')
    .option('--to <time>', 'last day in that zone, or a UTC time that is not included')
    .option('--out <file>', 'write CSV into a new file')
    .option('--offline', "the journal's own fills, unconfirmed, without the venue", false);

export function addPnl(program: Command, debug: boolean, action: CommandAction<PnlOptions>): void {
  withBooks(program.command('pnl'), debug)
    .description(
      'Profit and loss of an account by day, strategy or symbol: price, liquidation, fees, rebates, funding. ' +
        'Reads the lists of the venue and changes nothing.',
    )
    .option('--by <group>', GROUPS.join(', '), values.oneOf(GROUPS), 'day')
    .addHelpText(
      'after',
      examples(
        'sluice pnl --config config/sandbox.yaml',
        'sluice pnl --config config/sandbox.yaml --by strategy --json',
        'sluice pnl --config config/sandbox.yaml --tz Asia/Kolkata --from 2025-04-01 --to 2025-04-30',
      ),
    )
    .action((_config: unknown, options: PnlOptions) => action(options));
}

export function addExport(
  program: Command,
  debug: boolean,
  action: CommandAction<LedgerOptions>,
): void {
  const group = program.command('export').description('Export records of an account.');
  withBooks(group.command('ledger'), debug)
    .description(
      'One row a fill, fee, rebate, funding, liquidation and transfer, as CSV or JSON. Opening + rows = closing, ' +
        'or the gap is a row.',
    )
    .option(
      '--archive [folder]',
      'write a file for each finished day that has none (default folder: ledger in the state folder)',
    )
    .addHelpText(
      'after',
      examples(
        'sluice export ledger --config config/sandbox.yaml --tz Asia/Kolkata --out ledger.csv',
        'sluice export ledger --config config/sandbox.yaml --from 2025-04-01 --to 2026-03-31 --json',
        'sluice export ledger --config config/sandbox.yaml --tz Asia/Kolkata --archive',
      ),
    )
    .action((_config: unknown, options: LedgerOptions) => action(options));
}
