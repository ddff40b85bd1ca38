import type { Command } from 'commander';
import {
  examples,
  withConfig,
  withConsent,
  withCurrency,
  withVenue,
  type CommandAction,
  type VenueOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

/** Lists of an account that are read page by page. */
export type AccountList =
  'orders' | 'history' | 'closes' | 'fees' | 'transactions' | 'positions' | 'instruments';

export interface PageOptions {
  /** Rows to print. */
  readonly limit: number;
  /** Reads every row instead. */
  readonly all: boolean;
}

interface WriteConsent {
  /** Skips the typed confirmation. */
  readonly yes: boolean;
  /** Skips the check that protects an open position or an unproved transfer. */
  readonly force: boolean;
}

export type AccountTask =
  | { readonly what: 'funds' }
  | ({ readonly what: AccountList } & PageOptions)
  | { readonly what: 'leverage'; readonly symbol: string }
  | ({
      readonly what: 'set-leverage';
      readonly symbol: string;
      /** Plain decimal text. */
      readonly leverage: string;
    } & WriteConsent)
  | ({
      readonly what: 'transfer';
      /** `deposit`: spot to futures. */
      readonly direction: 'deposit' | 'withdraw';
      /** Plain decimal text, above 0. */
      readonly amount: string;
    } & WriteConsent);

export type AccountOptions = VenueOptions & AccountTask;

type AccountAction = CommandAction<AccountOptions>;

const DEFAULT_ROWS = 20;
const MAX_ROWS = 100_000;

/** `sluice account`: its subcommands read and change one account. */
export function addAccount(program: Command, debug: boolean, action: AccountAction): void {
  const account = program
    .command('account')
    .description('Read an account, transfer between its wallets, set leverage.')
    .addHelpText(
      'after',
      examples(
        'sluice account funds --config config/sandbox.yaml',
        'sluice account fees --config config/sandbox.yaml --all --json',
        'sluice account positions --base-url http://127.0.0.1:8787 --secret-file secret',
      ),
    );
  addFunds(account, debug, action);
  for (const [list, description] of LISTS) addList(account, debug, { list, description }, action);
  addLeverage(account, debug, action);
  addTransfer(account, debug, action);
}

const LISTS: readonly (readonly [Exclude<AccountList, 'closes'>, string])[] = [
  ['positions', 'Open positions.'],
  ['orders', 'Open orders, including resting stops and targets.'],
  ['history', 'Orders that have ended, newest first.'],
  ['fees', 'Trading fees, rebates and funding.'],
  ['transactions', 'Transfers between the spot and the futures wallet.'],
  ['instruments', 'Tradable instruments, with their steps and limits.'],
];

const merged = (venue: VenueOptions, task: AccountTask): AccountOptions => ({ ...venue, ...task });

function addFunds(account: Command, debug: boolean, action: AccountAction): void {
  withVenue(account.command('funds'), debug)
    .description('Balances of the spot and the futures wallet.')
    .addHelpText('after', examples('sluice account funds --config config/sandbox.yaml'))
    .action((venue: VenueOptions) => action(merged(venue, { what: 'funds' })));
}

type RawList = VenueOptions & {
  readonly limit: number;
  readonly all: boolean;
  readonly closes?: true;
};

function addList(
  account: Command,
  debug: boolean,
  { list, description }: { readonly list: AccountList; readonly description: string },
  action: AccountAction,
): void {
  const command = withVenue(account.command(list), debug)
    .description(description)
    .option(
      '--limit <rows>',
      'largest number of rows',
      values.wholeNumber(1, MAX_ROWS),
      DEFAULT_ROWS,
    )
    .option('--all', 'read every row instead', false);
  if (list === 'history') command.option('--closes', 'list closed positions instead of orders');
  command
    .addHelpText(
      'after',
      examples(
        `sluice account ${list} --config config/sandbox.yaml`,
        `sluice account ${list} --config config/sandbox.yaml --all --json`,
      ),
    )
    .action(({ limit, all, closes, ...venue }: RawList) =>
      action(merged(venue, { what: closes === true ? 'closes' : list, limit, all })),
    );
}

function addLeverage(account: Command, debug: boolean, action: AccountAction): void {
  const command = account.command('leverage').description('Read or set the leverage of a symbol.');
  withVenue(command.command('show', { isDefault: true }), debug)
    .description('Read the leverage of a symbol.')
    .argument('<symbol>', 'such as BTCUSDT', values.parseSymbol)
    .addHelpText('after', examples('sluice account leverage BTCUSDT --config config/sandbox.yaml'))
    .action((symbol: string, venue: VenueOptions) =>
      action(merged(venue, { what: 'leverage', symbol })),
    );
  withConsent(withCurrency(withConfig(command.command('set'), debug)))
    .description('Set the leverage of a symbol and read it back.')
    .argument('<symbol>', 'such as BTCUSDT', values.parseSymbol)
    .argument('<leverage>', 'such as 2', values.parseLeverage)
    .option('--force', 'also while a position or an order is open', false)
    .addHelpText(
      'after',
      examples('sluice account leverage set BTCUSDT 2 --config config/sandbox.yaml'),
    )
    .action(
      (symbol: string, leverage: string, { yes, force, ...venue }: VenueOptions & WriteConsent) =>
        action(merged(venue, { what: 'set-leverage', symbol, leverage, yes, force })),
    );
}

const DIRECTIONS = { 'to-futures': 'deposit', 'to-spot': 'withdraw' } as const;

function addTransfer(account: Command, debug: boolean, action: AccountAction): void {
  withConsent(withCurrency(withConfig(account.command('transfer'), debug)))
    .description('Transfer between the spot and the futures wallet of one currency.')
    .argument('<direction>', 'to-futures or to-spot', values.oneOf(['to-futures', 'to-spot']))
    .argument('<amount>', 'such as 100', values.parseAmount)
    .option('--force', 'also when the outcome of an earlier transfer is not proved', false)
    .addHelpText(
      'after',
      examples('sluice account transfer to-futures 100 --config config/sandbox.yaml'),
    )
    .action(
      (
        direction: keyof typeof DIRECTIONS,
        amount: string,
        { yes, force, ...venue }: VenueOptions & WriteConsent,
      ) => {
        const task = { what: 'transfer', direction: DIRECTIONS[direction], amount } as const;
        return action(merged(venue, { ...task, yes, force }));
      },
    );
}
