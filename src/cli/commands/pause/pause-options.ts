import type { Command } from 'commander';
import {
  DURATION_FORM,
  durationFromText,
  INSTANT_FORM,
  instantFromText,
} from '../../../core/time-text.js';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

/** `at`: ms UTC at the venue. `afterMs`: from now, on the venue's clock. */
export type PauseEnd = { readonly at: number } | { readonly afterMs: number };

export interface PauseOptions extends OutputOptions, OperatorTargetOptions {
  /** Absent: until a resume. */
  readonly until?: PauseEnd;
  /** Id of a strategy; absent: the whole bot. */
  readonly strategy?: string;
  /** Journaled with the pause of a strategy. */
  readonly reason?: string;
}

const parseEnd = values.optionParser<PauseEnd>(`${INSTANT_FORM}, or ${DURATION_FORM}`, (text) => {
  const at = instantFromText(text);
  if (at !== undefined) return { at };
  const afterMs = durationFromText(text);
  return afterMs === undefined ? undefined : { afterMs };
});

export function addPause(
  program: Command,
  debug: boolean,
  action: CommandAction<PauseOptions>,
): void {
  const command = program
    .command('pause')
    .description(
      'Let only exits of a bot leave: `sluice kill --level pause`, with an end if you name one. It stands over ' +
        'restarts. With --strategy only the entries of that strategy are refused; those that rest stay.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP)
    .option(
      '--until <time>',
      `venue time at which it ends (${INSTANT_FORM}), or a duration`,
      parseEnd,
    )
    .option('--strategy <id>', 'pause this strategy alone')
    .option('--reason <text>', 'a reason for the journal, with --strategy');
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice pause',
        'sluice pause --until 2h',
        'sluice pause --strategy my-trend --until 2h',
        'sluice pause --config config/sandbox.yaml --until 2026-12-25T08:00:00Z',
      ),
    )
    .action((stateDir: string | undefined, options: Omit<PauseOptions, 'stateDir'>) =>
      action({ ...options, ...(stateDir !== undefined && { stateDir }) }),
    );
}
