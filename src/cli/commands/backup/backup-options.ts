import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

export interface BackupOptions extends OutputOptions, OperatorTargetOptions {
  readonly out: string;
}

export function addBackup(
  program: Command,
  debug: boolean,
  action: CommandAction<BackupOptions>,
): void {
  const command = program
    .command('backup')
    .description(
      'Copy a state folder into one file, with a checksum of each of its files. The daemon may run meanwhile.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option('--out <file>', 'the file to write, which must not exist (required)');
  withOutput(command, debug)
    .addHelpText('after', examples('sluice backup --config config/sandbox.yaml --out bot.tar.gz'))
    .action(
      (
        stateDir: string | undefined,
        { out, ...options }: Omit<BackupOptions, 'stateDir' | 'out'> & { readonly out?: string },
      ) => {
        if (out === undefined) return command.error("error: option '--out <file>' is missing");
        return action({ ...options, out, ...(stateDir !== undefined && { stateDir }) });
      },
    );
}

export interface RestoreOptions extends OutputOptions {
  readonly file: string;
  readonly into?: string;
  /** Path of the YAML file. */
  readonly config?: string;
}

export function addRestore(
  program: Command,
  debug: boolean,
  action: CommandAction<RestoreOptions>,
): void {
  const command = program
    .command('restore')
    .description(
      'Write a backup into an empty state folder, after a check of every checksum. The next `sluice run` compares the ' +
        'account with the venue before it trades, and says that it was restored.',
    )
    .argument('<file>', 'a file of `sluice backup`')
    .option('--into <folder>', 'the state folder to fill (default: that of --config)')
    .option(
      '--config <file>',
      'the YAML configuration of the bot: its account must be that of the backup',
    );
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice restore bot.tar.gz --config config/sandbox.yaml',
        'sluice restore bot.tar.gz --into .sluice/sandbox',
      ),
    )
    .action((file: string, options: Omit<RestoreOptions, 'file'>) => action({ file, ...options }));
}
