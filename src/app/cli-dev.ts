import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import * as values from './cli-values.js';
import type { DevOptions } from './dev/dev-options.js';

type RawDev = Omit<DevOptions, 'config' | 'durationMs'> & { readonly duration?: number };

/** `sluice dev`: sandbox and bot in one process, anew with each save. */
export function addDev(
  program: Command,
  debug: boolean,
  act: (options: DevOptions) => Promise<void>,
): void {
  program
    .command('dev')
    .description(
      'Run a bot on a sandbox of its own and reload its strategies when they are saved. Shows intents, ' +
        'explanations, refusals and fills as they come. Ctrl-C stops it.',
    )
    .argument('<config>', 'the YAML configuration')
    .option(
      '--on-reload <what>',
      'what becomes of the position: keep, or reset (closed first)',
      values.oneOf(['keep', 'reset']),
      'keep',
    )
    .option('--duration <time>', 'stop after 30s, 10m, 2h … of real time', values.durationMs)
    .option('--json', `${JSON_TEXT}; a line for each event, the summary last`, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples(
        'sluice dev config/sandbox.yaml',
        'sluice dev config/sandbox.yaml --on-reload reset --json',
      ),
    )
    .action((config: string, { duration, ...options }: RawDev) =>
      act({ config, ...options, ...(duration === undefined ? {} : { durationMs: duration }) }),
    );
}
