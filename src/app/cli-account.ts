import type { Command } from 'commander';
import type {
  AccountList,
  AccountOptions,
  AccountTask,
  VenueOptions,
} from './account/account-options.js';
import { examples } from './cli-help.js';
import * as values from './cli-values.js';
import { withConfig, withConsent, withCurrency, withVenue } from './cli-venue-options.js';

type Act = (options: AccountOptions) => Promise<void>;
const DEFAULT_ROWS = 20;
const MOST_ROWS = 100_000;

const withPage = (command: Command): Command =>
  command
    .option('--limit <rows>', 'rows at most', values.wholeNumber(1, MOST_ROWS), DEFAULT_ROWS)
    .option('--all', 'page to the end instead', false);

/** `sluice account …` */
export function addAccount(program: Command, debug: boolean, act: Act): void {
  const account = program
    .command('account')
    .description('Look at an account, move money between its wallets, set leverage.')
    .addHelpText(
      'after',
      examples(
        'sluice account funds --config config/sandbox.yaml',
        'sluice account fees --config config/sandbox.yaml --all --json',
        'sluice account positions --base-url http://127.0.0.1:8787 --secret-file secret',
      ),
    );
  addFunds(account, debug, act);
  for (const [list, description] of LISTS) addList(account, debug, { list, description }, act);
  addLeverage(account, debug, act);
  addTransfer(account, debug, act);
}

const LISTS: readonly (readonly [Exclude<AccountList, 'closes'>, string])[] = [
  ['positions', 'Open positions.'],
  ['orders', 'Open orders, resting stops and targets among them.'],
  ['history', 'Orders that have ended, newest first.'],
  ['fees', 'Trading fees, rebates and funding.'],
  ['transactions', 'Transfers between the spot and the futures wallet.'],
  ['instruments', 'What can be traded, with steps and bounds.'],
];

const merged = (venue: VenueOptions, task: AccountTask): AccountOptions => ({ ...venue, ...task });

function addFunds(account: Command, debug: boolean, act: Act): void {
  withVenue(account.command('funds'), debug)
    .description('Spot and futures wallet.')
    .addHelpText('after', examples('sluice account funds --config config/sandbox.yaml'))
    .action((venue: VenueOptions) => act(merged(venue, { what: 'funds' })));
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
  act: Act,
): void {
  const command = withPage(withVenue(account.command(list), debug)).description(description);
  if (list === 'history') command.option('--closes', 'closed positions instead of orders');
  command
    .addHelpText(
      'after',
      examples(
        `sluice account ${list} --config config/sandbox.yaml`,
        `sluice account ${list} --config config/sandbox.yaml --all --json`,
      ),
    )
    .action(({ limit, all, closes, ...venue }: RawList) =>
      act(merged(venue, { what: closes === true ? 'closes' : list, limit, all })),
    );
}

function addLeverage(account: Command, debug: boolean, act: Act): void {
  const command = account.command('leverage').description('Read or set the leverage of a symbol.');
  withVenue(command.command('show', { isDefault: true }), debug)
    .description('The leverage that is set.')
    .argument('<symbol>', 'such as BTCUSDT', values.symbol)
    .addHelpText('after', examples('sluice account leverage BTCUSDT --config config/sandbox.yaml'))
    .action((symbol: string, venue: VenueOptions) =>
      act(merged(venue, { what: 'leverage', symbol })),
    );
  withConsent(withCurrency(withConfig(command.command('set'), debug)))
    .description('Set it, and read it back.')
    .argument('<symbol>', 'such as BTCUSDT', values.symbol)
    .argument('<leverage>', 'such as 2', values.leverage)
    .option('--force', 'also while a position or an order is open', false)
    .addHelpText(
      'after',
      examples('sluice account leverage set BTCUSDT 2 --config config/sandbox.yaml'),
    )
    .action(
      (
        symbol: string,
        leverage: string,
        { yes, force, ...venue }: VenueOptions & { readonly yes: boolean; readonly force: boolean },
      ) => act(merged(venue, { what: 'set-leverage', symbol, leverage, yes, force })),
    );
}

const DIRECTIONS = { 'to-futures': 'deposit', 'to-spot': 'withdraw' } as const;

function addTransfer(account: Command, debug: boolean, act: Act): void {
  withConsent(withCurrency(withConfig(account.command('transfer'), debug)))
    .description('Move money between the spot and the futures wallet of one currency.')
    .argument('<direction>', 'to-futures or to-spot', values.oneOf(['to-futures', 'to-spot']))
    .argument('<amount>', 'such as 100', values.amount)
    .option('--force', 'also after a transfer whose outcome was never proved', false)
    .addHelpText(
      'after',
      examples('sluice account transfer to-futures 100 --config config/sandbox.yaml'),
    )
    .action(
      (
        direction: keyof typeof DIRECTIONS,
        amount: string,
        { yes, force, ...venue }: VenueOptions & { readonly yes: boolean; readonly force: boolean },
      ) =>
        act(
          merged(venue, {
            what: 'transfer',
            direction: DIRECTIONS[direction],
            amount,
            yes,
            force,
          }),
        ),
    );
}
