import type { Command } from 'commander';
import {
  examples,
  withConfigFile,
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
  const command = withConfigFile(program.command('doctor'), { default: DEFAULT_CONFIG })
    .description(
      'Check whether a configuration could start: every interlock, with its mend. Asks the venue by reads alone.',
    )
    .option('--observe', 'check it as `sluice run --observe` would start it', false)
    .option(
      '--accept-account',
      'learn the account of the key anew, after you have seen that it is the account of this state folder',
      false,
    );
  withOutput(command, debug)
    .addHelpText('after', examples('sluice doctor bot.yaml', 'sluice doctor bot.yaml --json'))
    .action((_config: string, options: DoctorOptions) => action(options));
}
