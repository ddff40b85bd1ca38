import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP } from '../status/status-options.js';

export interface ResumeOptions extends OutputOptions {
  /** A state folder, a symbol, or both. */
  readonly words: readonly string[];
  readonly config?: string;
  /** Id of a strategy whose pause ends. */
  readonly strategy?: string;
  /** The whole position of the symbol is ours first. */
  readonly adopt: boolean;
  /** Journaled with the command. */
  readonly reason?: string;
}

export function addResume(
  program: Command,
  debug: boolean,
  action: CommandAction<ResumeOptions>,
): void {
  const command = program
    .command('resume')
    .description(
      'End the kill switch or the pause of a bot. With a symbol: trade to its target again after its position was ' +
        'changed by a person or by a stop.',
    )
    .usage('[options] [symbol] [state-dir]')
    .argument(
      '[words...]',
      'a symbol, and the state folder (default: the daemon that runs below .sluice/, else the newest run there)',
    )
    .option('--config <file>', CONFIG_HELP)
    .option(
      '--adopt',
      'with a symbol: its whole position is ours from now on, also the share of an external hand; its target decides',
      false,
    )
    .option('--strategy <id>', 'end the pause of this strategy alone')
    .option('--reason <text>', 'a reason for the journal');
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice resume',
        'sluice resume --config config/sandbox.yaml',
        'sluice resume --strategy my-trend',
        'sluice resume BTCUSDT .sluice/sandbox',
        'sluice resume BTCUSDT --adopt --reason "opened by hand"',
      ),
    )
    .action((words: readonly string[], options: Omit<ResumeOptions, 'words'>) =>
      action({ words, ...options }),
    );
}
