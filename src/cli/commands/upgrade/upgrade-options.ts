import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

export type UpgradeOptions = OutputOptions & OperatorTargetOptions;

export function addUpgrade(
  program: Command,
  debug: boolean,
  action: CommandAction<UpgradeOptions>,
): void {
  const command = program
    .command('upgrade')
    .description(
      'Replay the recorded runs of a bot with this version of Sluice, before its first start. Exit code 0: every ' +
        'decision is identical; 1: the differences are named; 4: this version cannot read the state. Reads a copy, so ' +
        'the daemon of the old version may run.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option('--check', 'read and replay; nothing is written (required)', false);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice upgrade --check --config config/sandbox.yaml',
        'sluice upgrade --check .sluice/sandbox --json',
      ),
    )
    .action(
      (
        stateDir: string | undefined,
        { check, ...options }: Omit<UpgradeOptions, 'stateDir'> & { readonly check: boolean },
      ) => {
        if (!check) {
          return command.error(
            "error: option '--check' is missing: a package manager installs a version, and its first start is the upgrade",
          );
        }
        return action({ ...options, ...(stateDir !== undefined && { stateDir }) });
      },
    );
}
