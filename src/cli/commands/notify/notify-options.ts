import type { Command } from 'commander';
import {
  examples,
  JSON_HELP,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';

export interface NotifyTestOptions extends OutputOptions {
  /** Path of the YAML file. */
  readonly config: string;
}

export function addNotifyTest(
  program: Command,
  debug: boolean,
  action: CommandAction<NotifyTestOptions>,
): void {
  const command = program
    .command('notify')
    .description('Alerts for a person: docs/notifications.md.')
    .addHelpText('after', examples('sluice notify test --config config/live.yaml'))
    .command('test')
    .description('Send one notice of each level by every channel, and report what has arrived.')
    .option('--config <file>', 'the YAML configuration (required)');
  withOutput(command, debug, JSON_HELP)
    .addHelpText('after', examples('sluice notify test --config config/live.yaml --json'))
    .action(({ config, ...options }: Partial<NotifyTestOptions> & OutputOptions) => {
      if (config === undefined) return command.error("error: option '--config <file>' is missing");
      return action({ config, ...options });
    });
}
