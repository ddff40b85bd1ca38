import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import type { InitOptions } from './init/init-command.js';

/** `sluice init`: a bot project of one's own. */
export function addInit(
  program: Command,
  debug: boolean,
  act: (options: InitOptions) => Promise<void>,
): void {
  program
    .command('init')
    .description('Make a bot project: a strategy, its test, configurations, package.json, README.')
    .argument('<dir>', 'a new or empty folder')
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText('after', examples('sluice init my-bot'))
    .action((directory: string, options: Omit<InitOptions, 'directory'>) =>
      act({ directory, ...options }),
    );
}
