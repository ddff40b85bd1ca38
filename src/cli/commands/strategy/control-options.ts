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

export interface StartStrategyOptions extends StrategyControlOptions {
  /** Reads its `use` and `params` from the configuration file. */
  readonly reload: boolean;
}

type RawStart = Omit<StartStrategyOptions, 'strategy' | 'stateDir' | 'reason' | 'reload'> & {
  readonly reason?: string;
};

const addStart =
  (name: 'start' | 'reload', description: string) =>
  (program: Command, debug: boolean, action: CommandAction<StartStrategyOptions>): void => {
    const command = strategyGroup(program)
      .command(name)
      .description(description)
      .argument('<id>', STRATEGY_ID_HELP)
      .argument('[state-dir]', STATE_DIR_HELP)
      .option('--config <file>', CONFIG_HELP)
      .option('--reason <text>', REASON_HELP);
    withOutput(command, debug)
      .addHelpText(
        'after',
        examples(
          `sluice strategy ${name} my-trend`,
          `sluice strategy ${name} my-trend --config config/sandbox.yaml --json`,
        ),
      )
      .action((strategy: string, stateDir: string | undefined, { reason, ...raw }: RawStart) =>
        action({
          ...raw,
          strategy,
          reload: name === 'reload',
          reason: reason ?? `sluice strategy ${name}`,
          ...(stateDir !== undefined && { stateDir }),
        }),
      );
  };

export const addStrategyStart = addStart(
  'start',
  'Start a stopped or failed strategy of a bot again: with its durable state, its targets and a new warm-up. Without a ' +
    'daemon the next start of the bot does it.',
);

export const addStrategyReload = addStart(
  'reload',
  'Stop one strategy of a running bot, read its code and its `params` anew from the configuration file, and start it ' +
    'with its durable state. A fault in them leaves the old one running (exit code 2).',
);
