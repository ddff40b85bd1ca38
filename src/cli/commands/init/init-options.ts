import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface InitOptions extends OutputOptions {
  readonly directory: string;
}

export function addInit(
  program: Command,
  debug: boolean,
  action: CommandAction<InitOptions>,
): void {
  const command = program
    .command('init')
    .description(
      'Create a bot project: a strategy, its test, configurations, package.json and README.',
    )
    .argument('<dir>', 'a new or empty folder');
  withOutput(command, debug)
    .addHelpText('after', examples('sluice init my-bot'))
    .action((directory: string, options: OutputOptions) => action({ directory, ...options }));
}
