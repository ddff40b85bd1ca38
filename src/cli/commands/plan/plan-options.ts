import type { Command } from 'commander';
import {
  examples,
  withConfigFile,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface PlanOptions extends OutputOptions {
  /** Path of the YAML file. */
  readonly config: string;
}

export function addPlan(
  program: Command,
  debug: boolean,
  action: CommandAction<PlanOptions>,
): void {
  const command = withConfigFile(program.command('plan')).description(
    'Compare a configuration with its journal and show what the first candle could send. Changes nothing.',
  );
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples('sluice plan config/sandbox.yaml', 'sluice plan bot.yaml --json'),
    )
    .action((_config: string, options: PlanOptions) => action(options));
}
