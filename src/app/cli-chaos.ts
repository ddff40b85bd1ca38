import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import * as values from './cli-values.js';
import type { ChaosOptions } from './command-options.js';

/** `sluice chaos`: kill -9 before the user's eyes, and the proof. */
export function addChaos(
  program: Command,
  debug: boolean,
  act: (options: ChaosOptions) => Promise<void>,
): void {
  program
    .command('chaos')
    .description(
      'Kill a bot between request and answer, start it again, and show that each order exists once.',
    )
    .option('--seed <number>', 'of the synthetic market', values.wholeNumber(0, 2 ** 31), 1)
    .option('--keep', 'leave the folder with journals, logs and configurations', false)
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples('sluice chaos', 'sluice chaos --seed 7 --keep', 'sluice chaos --json'),
    )
    .action((options: ChaosOptions) => act(options));
}
