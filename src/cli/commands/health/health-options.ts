import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

export interface HealthOptions extends OutputOptions, OperatorTargetOptions {
  /** Real ms that a candle may be late. */
  readonly maxLateMs: number;
}

type RawHealth = Omit<HealthOptions, 'stateDir' | 'maxLateMs'> & { readonly maxLate?: number };

const MAX_LATE_MS = 120_000;

export function addHealth(
  program: Command,
  debug: boolean,
  action: CommandAction<HealthOptions>,
): void {
  const command = program
    .command('health')
    .description(
      'Check that a daemon decides: exit code 0 while every strategy gets its candles in time, else 1. ' +
        'Reads one file of the state folder and sends nothing.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option(
      '--max-late <time>',
      'time that the next candle of a strategy may be late (default: 2m)',
      values.parseDuration,
    );
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples('sluice health', 'sluice health --config config/sandbox.yaml --max-late 5m --json'),
    )
    .action((stateDir: string | undefined, { maxLate, ...options }: RawHealth) =>
      action({
        ...options,
        maxLateMs: maxLate ?? MAX_LATE_MS,
        ...(stateDir !== undefined && { stateDir }),
      }),
    );
}
