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

export interface DevOptions extends OutputOptions {
  readonly config: string;
  /** Whether the position is kept or closed when the strategy is reloaded. */
  readonly onReload: 'keep' | 'reset';
  /** Real ms. Absent: until a signal. */
  readonly durationMs?: number;
}

type RawDev = Omit<DevOptions, 'config' | 'durationMs'> & { readonly duration?: number };

export function addDev(program: Command, debug: boolean, action: CommandAction<DevOptions>): void {
  const command = withConfigFile(program.command('dev'))
    .description(
      'Run a bot on its own sandbox and reload its strategies when their files are saved. Prints intents, ' +
        'explanations, refusals and fills as they happen. Ctrl-C stops it.',
    )
    .option(
      '--on-reload <what>',
      'keep the position, or reset (close it before the reload)',
      values.oneOf(['keep', 'reset']),
      'keep',
    )
    .option('--duration <time>', 'stop after 30s, 10m, 2h … of real time', values.parseDuration);
  withOutput(command, debug, `${JSON_HELP}; one line per event, the summary last`)
    .addHelpText(
      'after',
      examples(
        'sluice dev config/sandbox.yaml',
        'sluice dev config/sandbox.yaml --on-reload reset --json',
      ),
    )
    .action((config: string, { duration, ...options }: RawDev) =>
      action({ config, ...options, ...(duration === undefined ? {} : { durationMs: duration }) }),
    );
}
