import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface DriftOptions extends OutputOptions {
  /** The state directory of a run, or a folder of such directories. */
  readonly stateDir: string;
}

export function addDrift(
  program: Command,
  debug: boolean,
  action: CommandAction<DriftOptions>,
): void {
  const command = program
    .command('drift')
    .description(
      'Compare a recorded session with a backtest of its candles, and split the gap by its causes.',
    )
    .argument(
      '<state-dir>',
      'the state directory of a run, or a folder of such directories: the newest is used',
    );
  withOutput(command, debug)
    .addHelpText('after', examples('sluice drift .sluice/demo', 'sluice drift .sluice/demo --json'))
    .action((stateDir: string, options: OutputOptions) => action({ stateDir, ...options }));
}
