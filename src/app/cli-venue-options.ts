import type { Command } from 'commander';
import { DEBUG_TEXT, JSON_TEXT } from './cli-help.js';
import * as values from './cli-values.js';

/** Options that several commands of an account share. */

/** A write acts for a configuration. */
export const withConfig = (command: Command, debug: boolean): Command =>
  command
    .option('--config <file>', 'the YAML configuration, as `run` takes it (required)')
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug);

export const withCurrency = (command: Command): Command =>
  command.option(
    '--currency <currency>',
    "USDT or INR (default: the configuration's)",
    values.currency,
  );

/** A read needs no more than the venue and a key. */
export const withVenue = (command: Command, debug: boolean): Command =>
  withCurrency(command)
    .option('--config <file>', 'the YAML configuration, as `run` takes it')
    .option('--base-url <url>', 'instead of a configuration')
    .option('--ws-url <url>', 'default: made from --base-url')
    .option('--secret-file <file>', 'file of the API secret, mode 0600')
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug);

export const withConsent = (command: Command): Command =>
  command.option('--yes', 'go on without the typed confirmation', false);
