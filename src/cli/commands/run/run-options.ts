import type { Command } from 'commander';
import {
  examples,
  JSON_HELP,
  withConfigFile,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export interface RunOptions extends OutputOptions {
  /** Path of the YAML file. */
  readonly config: string;
  /** Real ms. Absent: until a signal. */
  readonly durationMs?: number;
  /** false: writes no report of the session. */
  readonly report?: boolean;
  /** Opens the report in the browser at the end. */
  readonly open?: boolean;
  /** Runs a live configuration without sending anything. */
  readonly observe?: boolean;
  /** Symbols and client order ids to accept though the journal does not explain them; or `history`. */
  readonly adopt?: readonly string[];
  /** Withdraws a flatten that a previous run did not finish. */
  readonly dropFlatten?: boolean;
  /** Symbols to trade to their target again after their position changed outside the strategy. */
  readonly resume?: readonly string[];
}

type RawRun = Omit<RunOptions, 'config' | 'durationMs'> & { readonly duration?: number };

export function addRun(program: Command, debug: boolean, action: CommandAction<RunOptions>): void {
  const command = withConfigFile(program.command('run'))
    .description('Run the configured strategies until Ctrl-C, or for a given time.')
    .option('--duration <time>', 'stop after 30s, 10m, 2h … of real time', values.parseDuration);
  command
    .option('--no-report', 'write no report.html into the state folder at the end')
    .option('--open', 'open the report in the browser at the end');
  command.option(
    '--observe',
    'run a configuration of mode: live and send nothing: every order that would leave is logged',
  );
  addRecoveryOptions(command);
  withOutput(command, debug, `${JSON_HELP}; the summary is the last line`)
    .addHelpText(
      'after',
      examples(
        'sluice run --config config/demo.yaml',
        'sluice run --config config/demo.yaml --duration 30s --json',
      ),
    )
    .action((config: string, { duration, ...options }: RawRun) =>
      action({
        ...options,
        config,
        ...(duration === undefined ? {} : { durationMs: duration }),
      }),
    );
}

/** Options for a start after a halt, an unfinished flatten or manual trading. */
const addRecoveryOptions = (command: Command): Command =>
  command
    .option(
      '--adopt <what...>',
      'accept what the journal does not explain: SYMBOL for its whole position, CLIENT_ORDER_ID for an order, `history` for all orders of the order history',
    )
    .option('--drop-flatten', 'withdraw a flatten that a previous run did not finish')
    .option(
      '--resume <symbol...>',
      'trade to the target of a symbol again after its position was closed or reduced manually or by a stop',
      values.appendSymbol,
    );
