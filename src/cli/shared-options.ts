import type { Command } from 'commander';
import type { Currency } from '../core/currency.js';
import * as values from './values.js';

/** Runs a command with the options of its command line. */
export type CommandAction<Options> = (options: Options) => Promise<void>;

/** The output options of every command. */
export interface OutputOptions {
  readonly json: boolean;
  /** Stack traces in messages and logs. */
  readonly debug: boolean;
}

/** How a command reaches the venue: by a configuration, or by its addresses and key alone. */
export interface VenueOptions extends OutputOptions {
  /** Path of the YAML file, as `run` takes it. Writes need it. */
  readonly config?: string;
  readonly baseUrl?: string;
  readonly wsUrl?: string;
  /** File of the API secret, mode 0600. */
  readonly secretFile?: string;
  /** Currency of the wallet. Absent: the currency of the configuration, else USDT. */
  readonly currency?: Currency;
}

export const JSON_HELP = 'print JSON alone on standard output; logs go to standard error';

export const withOutput = (command: Command, debug: boolean, jsonHelp = JSON_HELP): Command =>
  command
    .option('--json', jsonHelp, false)
    .option('--debug', 'add stack traces to messages and logs (also SLUICE_DEBUG=1)', debug);

/** For commands that write: the configuration names the account, its journal and its risk limits. */
export const withConfig = (command: Command, debug: boolean): Command =>
  withOutput(
    command.option('--config <file>', 'the YAML configuration, as `run` takes it (required)'),
    debug,
  );

export const RUN_CONFIG_HELP = 'the YAML configuration, as `run` takes it';

/**
 * The configuration is an argument or `--config`: a guess that is right for one command must not be wrong for the
 * next. The action gets it as its first argument and among its options.
 * @param absent `required`: none is an error; else the path that counts without one, or `optional`
 */
export const withConfigFile = (
  command: Command,
  absent: 'required' | 'optional' | { readonly default: string } = 'required',
): Command =>
  command
    .argument('[config]', `${RUN_CONFIG_HELP}${absentHelp(absent)}`)
    .option('--config <file>', 'the same as the argument')
    .hook('preAction', () => {
      const [argument] = command.args;
      const option = command.getOptionValue('config') as string | undefined;
      if (argument !== undefined && option !== undefined && argument !== option)
        command.error(
          `error: two configurations are named, ${argument} and --config ${option}: leave one out`,
        );
      const named = argument ?? option ?? (typeof absent === 'string' ? undefined : absent.default);
      if (named === undefined && absent === 'required')
        command.error("error: missing required argument 'config' (or --config <file>)");
      if (named === undefined) return;
      command.processedArgs[0] = named;
      command.setOptionValue('config', named);
    });

const absentHelp = (absent: 'required' | 'optional' | { readonly default: string }): string =>
  typeof absent === 'object' ? ` (default: ${absent.default})` : ABSENT_HELP[absent];

const ABSENT_HELP = { required: ' (required)', optional: '' } as const;

export const withCurrency = (command: Command): Command =>
  command.option(
    '--currency <currency>',
    'USDT or INR (default: the currency of the configuration)',
    values.parseCurrencyCode,
  );

/** For commands that read: a venue and a key are enough. */
export const withVenue = (command: Command, debug: boolean): Command =>
  withAddresses(command.option('--config <file>', RUN_CONFIG_HELP), debug);

/** The same for commands of a whole account: the configuration may also be their argument. */
export const withAccount = (command: Command, debug: boolean): Command =>
  withAddresses(withConfigFile(command, 'optional'), debug);

const withAddresses = (command: Command, debug: boolean): Command =>
  withOutput(
    withCurrency(command)
      .option('--base-url <url>', 'address of the REST API, instead of --config')
      .option('--ws-url <url>', 'address of the streams (default: derived from --base-url)')
      .option('--secret-file <file>', 'file that holds the API secret, mode 0600'),
    debug,
  );

export const withConsent = (command: Command): Command =>
  command.option('--yes', 'skip the typed confirmation', false);

export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
