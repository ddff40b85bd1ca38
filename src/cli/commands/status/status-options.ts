import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  JSON_HELP,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface StatusOptions extends OutputOptions, OperatorTargetOptions {
  /** Repeats until Ctrl-C. */
  readonly watch: boolean;
  /** Every limit and control in the text. */
  readonly all: boolean;
  /** Reads the profit of each strategy from the venue. */
  readonly profit: boolean;
}

export const STATE_DIR_HELP =
  'the state folder of a bot (default: the daemon that runs below .sluice/, else the newest run there)';
export const CONFIG_HELP = 'the YAML configuration of the bot, in place of its state folder';

export function addStatus(
  program: Command,
  debug: boolean,
  action: CommandAction<StatusOptions>,
): void {
  const command = program
    .command('status')
    .description(
      'Show a bot: modes with causes, positions, orders, unknown outcomes, ages of data, headroom of its limits. ' +
        'Without a daemon it shows what the journal holds. Changes nothing.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option('--all', 'every limit and control, not the tightest limits only', false)
    .option(
      '--profit',
      'realised profit by strategy, net of fees and funding, from the lists of the venue; from the journal while it is down',
      false,
    )
    .option('--watch', 'show it again every second until Ctrl-C', false);
  withOutput(command, debug, `${JSON_HELP}; one line for each status`)
    .addHelpText(
      'after',
      examples(
        'sluice status',
        'sluice status --config config/sandbox.yaml --watch',
        'sluice status --all',
        'sluice status --profit --config config/sandbox.yaml',
        'sluice status .sluice/sandbox --json',
      ),
    )
    .action((stateDir: string | undefined, options: Omit<StatusOptions, 'stateDir'>) =>
      action({ ...options, ...(stateDir !== undefined && { stateDir }) }),
    );
}
