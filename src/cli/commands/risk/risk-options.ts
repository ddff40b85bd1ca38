import type { Command } from 'commander';
import type { OrderType, Side } from '../../../core/order.js';
import {
  examples,
  withConfigFile,
  withConsent,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';
import { addTighten, type TightenTask } from './tighten-options.js';

/** Facts that replace those of the venue. Decimal texts. */
export interface GivenFacts {
  /** Equity of the wallet, in the currency of the configuration. */
  readonly equity?: string;
  /** Last prices by symbol, USDT. */
  readonly prices: Readonly<Record<string, string>>;
  /** The venue is not asked. */
  readonly offline: boolean;
}

/** Terms of one order. Decimal texts: base units and USDT. */
export interface WhatIfTerms {
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: string;
  /** Absent: a market order. */
  readonly price?: string;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly reduceOnly: boolean;
}

export type RiskTask =
  | { readonly what: 'show'; readonly config: string; readonly equity?: string }
  | { readonly what: 'explain'; readonly name?: string }
  | ({ readonly what: 'test'; readonly config: string } & GivenFacts)
  | ({
      readonly what: 'what-if';
      readonly config: string;
      readonly terms: WhatIfTerms;
    } & GivenFacts)
  | { readonly what: 'accept'; readonly config: string; readonly yes: boolean }
  | TightenTask;

export type RiskOptions = OutputOptions & RiskTask;

type RiskAction = CommandAction<RiskOptions>;

/** `sluice risk`: its subcommands show and try the limits of a configuration. */
export function addRisk(program: Command, debug: boolean, action: RiskAction): void {
  const risk = program
    .command('risk')
    .description('Show, explain and try the limits of a configuration. No order is sent.')
    .addHelpText(
      'after',
      examples(
        'sluice risk show config/sandbox.yaml --equity 1000',
        'sluice risk explain max_drawdown_pct',
        'sluice risk test config/demo.yaml',
        'sluice risk what-if config/demo.yaml --symbol BTCUSDT --side buy --quantity 0.01',
        'sluice risk accept config/sandbox.yaml',
        'sluice risk tighten max_leverage=2 --config config/sandbox.yaml',
      ),
    );
  addShow(risk, debug, action);
  addExplain(risk, debug, action);
  addTest(risk, debug, action);
  addWhatIf(risk, debug, action);
  addAccept(risk, debug, action);
  addTighten(risk, debug, action);
}

const withEquity = (command: Command): Command =>
  command.option(
    '--equity <amount>',
    'equity of the wallet, in the currency of the configuration',
    values.parseAmount,
  );

const withFacts = (command: Command): Command =>
  withEquity(command).option(
    '--offline',
    'do not ask the venue: no position, no order, the rules of the built-in instruments',
    false,
  );

function addShow(risk: Command, debug: boolean, action: RiskAction): void {
  withOutput(withEquity(withConfigFile(risk.command('show'))), debug)
    .description('Every limit with its value, its origin and its class.')
    .addHelpText(
      'after',
      examples(
        'sluice risk show config/sandbox.yaml',
        'sluice risk show config/sandbox.yaml --equity 1000',
      ),
    )
    .action((config: string, options: OutputOptions & { readonly equity?: string }) =>
      action({ what: 'show', config, ...options }),
    );
}

function addExplain(risk: Command, debug: boolean, action: RiskAction): void {
  withOutput(risk.command('explain'), debug)
    .description('The page of a control: its limits, their argument, its end, an example.')
    .argument(
      '[control]',
      'an id such as R19, or a key such as max_drawdown_pct (default: list all)',
    )
    .addHelpText('after', examples('sluice risk explain', 'sluice risk explain R19'))
    .action((name: string | undefined, options: OutputOptions) =>
      action({ what: 'explain', ...options, ...(name !== undefined && { name }) }),
    );
}

type RawFacts = OutputOptions & { readonly equity?: string; readonly offline: boolean };

function addTest(risk: Command, debug: boolean, action: RiskAction): void {
  withOutput(withFacts(withConfigFile(risk.command('test'))), debug)
    .description(
      'Judge the entries of every strategy at its configured size, now. Exit code 4 if one is refused.',
    )
    .option(
      '--price <symbol=price>',
      'last price of a symbol in USDT, once for each',
      values.appendPrice,
      {},
    )
    .addHelpText(
      'after',
      examples(
        'sluice risk test config/demo.yaml',
        'sluice risk test config/sandbox.yaml --offline --equity 1000 --price BTCUSDT=60000',
      ),
    )
    .action(
      (
        config: string,
        { price, ...options }: RawFacts & { readonly price: Readonly<Record<string, string>> },
      ) => action({ what: 'test', config, prices: price, ...options }),
    );
}

type RawWhatIf = RawFacts & {
  readonly symbol?: string;
  readonly side?: Side;
  readonly quantity?: string;
  readonly type?: OrderType;
  readonly price?: string;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly reduceOnly: boolean;
  readonly lastPrice?: string;
};

function addWhatIf(risk: Command, debug: boolean, action: RiskAction): void {
  const command = withOutput(withFacts(withTerms(withConfigFile(risk.command('what-if')))), debug);
  command
    .description(
      'Judge one order by every control, without sending it. Exit code 4 if it is refused.',
    )
    .option('--last-price <price>', 'last price of the symbol in USDT', values.parseAmount)
    .addHelpText(
      'after',
      examples(
        'sluice risk what-if config/demo.yaml --symbol BTCUSDT --side buy --quantity 0.01',
        'sluice risk what-if config/sandbox.yaml --symbol BTCUSDT --side buy --quantity 0.01 --price 59000 --stop-loss 58000',
        'sluice risk what-if config/sandbox.yaml --symbol BTCUSDT --side sell --quantity 0.01 --offline --equity 1000 --last-price 60000',
      ),
    )
    .action((config: string, raw: RawWhatIf) => {
      const { symbol, side, quantity, type, price, lastPrice, ...rest } = raw;
      const { stopLoss, takeProfit, reduceOnly, ...options } = rest;
      if (symbol === undefined) return missing(command, '--symbol <symbol>');
      if (side === undefined) return missing(command, '--side <side>');
      if (quantity === undefined) return missing(command, '--quantity <units>');
      if (type !== undefined && (type === 'limit') !== (price !== undefined))
        return command.error('error: a limit order has a --price, a market order has none');
      const terms: WhatIfTerms = {
        ...{ symbol, side, quantity, reduceOnly },
        ...(price !== undefined && { price }),
        ...(stopLoss !== undefined && { stopLoss }),
        ...(takeProfit !== undefined && { takeProfit }),
      };
      const prices = lastPrice === undefined ? {} : { [symbol]: lastPrice };
      return action({ what: 'what-if', config, terms, prices, ...options });
    });
}

const missing = (command: Command, option: string): never =>
  command.error(`error: option '${option}' is missing`);

const withTerms = (command: Command): Command =>
  command
    .option('--symbol <symbol>', 'such as BTCUSDT (required)', values.parseSymbol)
    .option('--side <side>', 'buy or sell (required)', values.oneOf(['buy', 'sell']))
    .option('--quantity <units>', 'base units, such as 0.01 (required)', values.parseAmount)
    .option(
      '--type <type>',
      'market or limit (default: limit with --price)',
      values.oneOf(['market', 'limit']),
    )
    .option('--price <price>', 'limit price in USDT', values.parseAmount)
    .option('--stop-loss <price>', 'stop loss, sent with the order', values.parseAmount)
    .option('--take-profit <price>', 'take profit, sent with the order', values.parseAmount)
    .option('--reduce-only', 'only reduce an open position', false);

function addAccept(risk: Command, debug: boolean, action: RiskAction): void {
  withOutput(withConsent(withConfigFile(risk.command('accept'))), debug)
    .description('Accept limits that are looser than those of the last start, for the next start.')
    .addHelpText(
      'after',
      examples(
        'sluice risk accept config/sandbox.yaml',
        'sluice risk accept config/sandbox.yaml --yes',
      ),
    )
    .action((config: string, options: OutputOptions & { readonly yes: boolean }) =>
      action({ what: 'accept', config, ...options }),
    );
}
