import type { Command } from 'commander';
import type { OperatorTargetOptions } from '../../operator-target.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import { CONFIG_HELP, STATE_DIR_HELP } from '../status/status-options.js';

export type AcknowledgeOptions = OutputOptions & OperatorTargetOptions;

export function addAcknowledge(
  program: Command,
  debug: boolean,
  action: CommandAction<AcknowledgeOptions>,
): void {
  const command = program
    .command('acknowledge')
    .description(
      'End the repetition of the raised alerts of a running bot, as /ack in Telegram does. An alert that ends and comes ' +
        'back is raised again.',
    )
    .argument('[state-dir]', STATE_DIR_HELP)
    .option('--config <file>', CONFIG_HELP);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples('sluice acknowledge', 'sluice acknowledge --config config/sandbox.yaml'),
    )
    .action((stateDir: string | undefined, options: Omit<AcknowledgeOptions, 'stateDir'>) =>
      action({ ...options, ...(stateDir !== undefined && { stateDir }) }),
    );
}
