import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import type { PlanOptions } from './command-options.js';

/** `sluice plan`: what a start would meet and could do first. */
export function addPlan(
  program: Command,
  debug: boolean,
  act: (options: PlanOptions) => Promise<void>,
): void {
  program
    .command('plan')
    .description(
      'Compare a configuration with its journal and say what the first candle could send. Changes nothing.',
    )
    .argument('<config>', 'the YAML configuration')
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples('sluice plan config/sandbox.yaml', 'sluice plan bot.yaml --json'),
    )
    .action((config: string, options: Omit<PlanOptions, 'config'>) => act({ config, ...options }));
}
