import type { Command } from 'commander';
import { durationFromText } from '../../../core/time-text.js';
import {
  examples,
  withConfigFile,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { optionParser } from '../../values.js';

export interface SuperviseOptions extends OutputOptions {
  /** Path of the YAML file. */
  readonly config: string;
  /** Real ms without a sign of life. Default: `risk.dead_man_ms`. */
  readonly afterMs?: number;
}

type RawSupervise = OutputOptions & { readonly after?: number };

const MIN_AFTER_MS = 5_000;

const parseAfter = optionParser('a time of at least 5s, such as 60s', (text) => {
  const ms = durationFromText(text);
  return ms === undefined || ms < MIN_AFTER_MS ? undefined : ms;
});

export function addSupervise(
  program: Command,
  debug: boolean,
  action: CommandAction<SuperviseOptions>,
): void {
  const command = withConfigFile(program.command('supervise'))
    .description(
      'Watch the heartbeat of a daemon, until Ctrl-C. When it stops, cancel the entries that its journal knows, and ' +
        'nothing else: reduce-only orders and stops stay. It starts nothing, and it sends nothing while the daemon lives.',
    )
    .option(
      '--after <time>',
      'time without a heartbeat before it cancels (default: dead_man_ms of the risk block, 120s)',
      parseAfter,
    );
  withOutput(command, debug, 'print each cancel and its answer as a line of JSON')
    .addHelpText(
      'after',
      examples(
        'sluice supervise --config config/sandbox.yaml',
        'sluice supervise --config config/sandbox.yaml --after 30s --json',
      ),
    )
    .action((config: string, { after, ...options }: RawSupervise) =>
      action({ ...options, config, ...(after !== undefined && { afterMs: after }) }),
    );
}
