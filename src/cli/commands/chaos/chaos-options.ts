import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export interface ChaosOptions extends OutputOptions {
  readonly seed: number;
  /** Does not delete the folder of the run. */
  readonly keep: boolean;
}

export function addChaos(
  program: Command,
  debug: boolean,
  action: CommandAction<ChaosOptions>,
): void {
  const command = program
    .command('chaos')
    .description(
      'Kill a bot between request and answer, restart it, and show that each order exists once.',
    )
    .option('--seed <number>', 'seed of the synthetic market', values.wholeNumber(0, 2 ** 31), 1)
    .option('--keep', 'do not delete the folder with journals, logs and configurations', false);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples('sluice chaos', 'sluice chaos --seed 7 --keep', 'sluice chaos --json'),
    )
    .action((options: ChaosOptions) => action(options));
}
