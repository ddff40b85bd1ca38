import type { Command } from 'commander';
import { KILL_LEVELS } from '../../../live/state/kill-file.js';
import type { KillLevel } from '../../../risk/mode.js';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  JSON_HELP,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

export interface KillOptions extends OutputOptions, OperatorTargetOptions {
  readonly level: KillLevel;
  /** Real ms to wait for the proof that everything is canceled or closed. */
  readonly timeoutMs: number;
}

type RawKill = Omit<KillOptions, 'stateDir' | 'level' | 'timeoutMs'> & {
  readonly level?: KillLevel;
  readonly timeout?: number;
};

const TIMEOUT_MS = 60_000;

export function addKill(
  program: Command,
  debug: boolean,
  action: CommandAction<KillOptions>,
): void {
  const command = program
    .command('kill')
    .description(
      'Set the kill switch of a bot: `pause` lets only exits leave, `cancel` cancels every order of the bot, ' +
        '`flatten` closes its positions too. With a daemon the daemon does it, otherwise this command. The level ' +
        'stands over restarts until `sluice resume`. Exit code 1 while something is left or unknown.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option('--level <level>', `${KILL_LEVELS.join(', ')} (required)`, values.oneOf(KILL_LEVELS))
    .option(
      '--timeout <time>',
      'time to wait until everything is proved (default: 60s)',
      values.parseDuration,
    );
  withOutput(command, debug, `${JSON_HELP}; the last status, with \`done\``)
    .addHelpText(
      'after',
      examples(
        'sluice kill --level pause',
        'sluice kill --config config/sandbox.yaml --level flatten',
        'sluice kill .sluice/sandbox --level cancel --json',
      ),
    )
    .action((stateDir: string | undefined, { level, timeout, ...options }: RawKill) => {
      if (level === undefined) {
        return command.error(
          `error: option '--level <level>' is missing: ${KILL_LEVELS.join(', ')}`,
        );
      }
      return action({
        ...options,
        level,
        timeoutMs: timeout ?? TIMEOUT_MS,
        ...(stateDir !== undefined && { stateDir }),
      });
    });
}
