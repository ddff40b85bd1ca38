import type { Command } from 'commander';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface DoctorOptions extends OutputOptions {
  /** Path of the YAML file. */
  readonly config: string;
  /** Checks it as `sluice run --observe` would start it. */
  readonly observe: boolean;
  /** Learns the account of the key anew. */
  readonly acceptAccount: boolean;
}

/** The configuration of `npm start`. */
const DEFAULT_CONFIG = 'config/demo.yaml';

export function addDoctor(
  program: Command,
  debug: boolean,
  action: CommandAction<DoctorOptions>,
): void {
  const command = program
    .command('doctor')
    .description(
      'Check whether a configuration could start: every interlock, with its mend. Asks the venue by reads alone.',
    )
    .argument('[config]', 'the YAML configuration', DEFAULT_CONFIG)
    .option('--observe', 'check it as `sluice run --observe` would start it', false)
    .option(
      '--accept-account',
      'learn the account of the key anew, after you have seen that it is the account of this state folder',
      false,
    );
  withOutput(command, debug)
    .addHelpText('after', examples('sluice doctor bot.yaml', 'sluice doctor bot.yaml --json'))
    .action((config: string, options: Omit<DoctorOptions, 'config'>) =>
      action({ config, ...options }),
    );
}
