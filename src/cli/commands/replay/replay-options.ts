import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface ReplayOptions extends OutputOptions {
  /** The state directory of a run, or a folder of such directories. */
  readonly stateDir: string;
}

export function addReplay(
  program: Command,
  debug: boolean,
  action: CommandAction<ReplayOptions>,
): void {
  const command = program
    .command('replay')
    .description('Replay the recorded events of a run on a new engine and compare its decisions.')
    .argument(
      '<state-dir>',
      'the state directory of a run, or a folder of such directories: the newest is used',
    );
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples('sluice replay .sluice/demo', 'sluice replay .sluice/demo --json'),
    )
    .action((stateDir: string, options: OutputOptions) => action({ stateDir, ...options }));
}
