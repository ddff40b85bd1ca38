import type { Command } from 'commander';
import {
  examples,
  JSON_HELP,
  withConfigFile,
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
  const notify = program
    .command('notify')
    .description('Alerts for a person: docs/notifications.md.')
    .addHelpText('after', examples('sluice notify test --config config/live.yaml'));
  withOutput(withConfigFile(notify.command('test')), debug, JSON_HELP)
    .description('Send one notice of each level by every channel, and report what has arrived.')
    .addHelpText('after', examples('sluice notify test --config config/live.yaml --json'))
    .action((_config: string, options: NotifyTestOptions) => action(options));
}
