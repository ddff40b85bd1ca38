import type { Command } from 'commander';
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
import { strategyGroup } from './strategy-options.js';

/** A command on one strategy of a bot. */
export interface StrategyControlOptions extends OutputOptions, OperatorTargetOptions {
  /** Id in the configuration. */
  readonly strategy: string;
  /** Journaled with the command. */
  readonly reason: string;
}

export interface StopStrategyOptions extends StrategyControlOptions {
  /** Closes its positions. */
  readonly close: boolean;
  /** Real ms to wait until its entries are canceled and its positions closed. */
  readonly timeoutMs: number;
}

const TIMEOUT_MS = 30_000;
export const STRATEGY_ID_HELP = 'its id in the configuration';
export const REASON_HELP = 'a reason for the journal (default: the name of the command)';

type RawStop = Omit<StopStrategyOptions, 'strategy' | 'stateDir' | 'timeoutMs' | 'reason'> & {
  readonly timeout?: number;
  readonly reason?: string;
};

export function addStrategyStop(
  program: Command,
  debug: boolean,
  action: CommandAction<StopStrategyOptions>,
): void {
  const command = strategyGroup(program)
    .command('stop')
    .description(
      'Stop one strategy of a bot: it decides nothing more, and its entries are canceled. Its position stays with ' +
        'its stop, or is closed with --close. The stop stands over restarts until `sluice strategy start`. Without ' +
        'a daemon the next start stops it.',
    )
    .argument('<id>', STRATEGY_ID_HELP)
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option('--close', 'close its positions', false)
    .option('--reason <text>', REASON_HELP)
    .option(
      '--timeout <time>',
      'time to wait until everything is canceled and closed (default: 30s)',
      values.parseDuration,
    );
  withOutput(command, debug, `${JSON_HELP}; the last status, with \`done\` and \`left\``)
    .addHelpText(
      'after',
      examples(
        'sluice strategy stop my-trend',
        'sluice strategy stop my-trend --close --reason "the news at noon"',
        'sluice strategy stop my-trend --config config/sandbox.yaml --json',
      ),
    )
    .action(
      (strategy: string, stateDir: string | undefined, { timeout, reason, ...raw }: RawStop) =>
        action({
          ...raw,
          strategy,
          reason: reason ?? 'sluice strategy stop',
          timeoutMs: timeout ?? TIMEOUT_MS,
          ...(stateDir !== undefined && { stateDir }),
        }),
    );
}
