import type { Command } from 'commander';
import type { OwnershipRequest } from '../../../live/plan/ownership-decision.js';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  JSON_HELP,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';
import { REASON_HELP } from './control-options.js';
import { strategyGroup } from './strategy-options.js';

/** A decision on what a strategy id of the journal holds. */
export interface OwnershipOptions extends OutputOptions, OperatorTargetOptions {
  readonly request: OwnershipRequest;
  /** Journaled with the decision. */
  readonly reason: string;
}

interface Raw extends OutputOptions {
  readonly config?: string;
  readonly reason?: string;
}

const JOURNALED_ID_HELP = 'its id in the journal; `sluice plan` names it';

const decisionCommand = (program: Command, name: string, description: string): Command =>
  strategyGroup(program)
    .command(name)
    .description(`${description} The bot must not run: its next start reads the decision.`);

const withTarget = (command: Command, debug: boolean): Command =>
  withOutput(
    command
      .argument('[state-dir]', STATE_DIR_HELP)
      .option('--config <file>', CONFIG_HELP)
      .option('--reason <text>', REASON_HELP),
    debug,
    `${JSON_HELP}; the decision`,
  );

function optionsOf(
  request: OwnershipRequest,
  stateDir: string | undefined,
  { reason, ...raw }: Raw,
): OwnershipOptions {
  return {
    ...raw,
    request,
    reason: reason ?? `sluice strategy ${request.decision}`,
    ...(stateDir !== undefined && { stateDir }),
  };
}

export function addStrategyRename(
  program: Command,
  debug: boolean,
  action: CommandAction<OwnershipOptions>,
): void {
  const command = decisionCommand(
    program,
    'rename',
    'Say that a configured strategy is the one that had another id: it gets the position, orders, durable state, ' +
      'profit and loss of the old id.',
  )
    .argument('<old>', JOURNALED_ID_HELP)
    .argument('<new>', 'its id in the configuration now');
  withTarget(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice strategy rename my-trend trend --config config/sandbox.yaml',
        'sluice strategy rename my-trend trend .sluice/sandbox --json',
      ),
    )
    .action((id: string, to: string, stateDir: string | undefined, raw: Raw) =>
      action(optionsOf({ decision: 'rename', id, to }, stateDir, raw)),
    );
}

export function addStrategyAdopt(
  program: Command,
  debug: boolean,
  action: CommandAction<OwnershipOptions>,
): void {
  const command = decisionCommand(
    program,
    'adopt',
    'Give the positions and unfinished orders of an id to the configured strategies that trade their symbols. Profit ' +
      'and loss until now stay with the id. Of a configured id: accept its changed leverage for its open positions.',
  ).argument('<id>', JOURNALED_ID_HELP);
  withTarget(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice strategy adopt my-trend --config config/sandbox.yaml',
        'sluice strategy adopt my-trend .sluice/sandbox --json',
      ),
    )
    .action((id: string, stateDir: string | undefined, raw: Raw) =>
      action(optionsOf({ decision: 'adopt', id }, stateDir, raw)),
    );
}

export function addStrategyRetire(
  program: Command,
  debug: boolean,
  action: CommandAction<OwnershipOptions>,
): void {
  const command = decisionCommand(
    program,
    'retire',
    'Give up an id that is not configured any more: its entries are canceled, its state is dropped, and its positions ' +
      'have no owner, as those of an external hand. With --close the next start closes them.',
  )
    .argument('<id>', JOURNALED_ID_HELP)
    .option('--close', 'close its positions at the next start', false);
  withTarget(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice strategy retire my-trend --close --config config/sandbox.yaml',
        'sluice strategy retire my-trend .sluice/sandbox --json',
      ),
    )
    .action(
      (id: string, stateDir: string | undefined, { close, ...raw }: Raw & { close: boolean }) =>
        action(optionsOf({ decision: 'retire', id, close }, stateDir, raw)),
    );
}
