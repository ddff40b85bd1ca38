import { InvalidArgumentError, Option, type Command } from 'commander';
import { CURRENCIES, type Currency } from '../../../core/currency.js';
import { isPlainDecimal } from '../../../core/fixed/decimal.js';
import { RETAINED_ORDERS } from '../../../sandbox/routes/retained-orders.js';
import {
  parseClockMode,
  SandboxOptionError,
  type ClockMode,
} from '../../../sandbox/sandbox-clock.js';
import {
  examples,
  JSON_HELP,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export interface SandboxCommandOptions extends OutputOptions {
  /** 0: the system picks a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly listen: string;
  /** Host names that control paths answer to, besides loopback and `listen`. */
  readonly allowHosts?: readonly string[];
  readonly seed: number;
  readonly clock: ClockMode;
  /** Venue ms UTC. Absent: now. */
  readonly startMs?: number;
  /** Directory of recorded candles to replay. */
  readonly replay?: string;
  readonly quirks: 'none' | 'field' | readonly string[];
  /** Assumption id → answer. */
  readonly assume: Readonly<Record<string, string>>;
  /** A file that `sluice probe` wrote. */
  readonly profile?: string;
  /** A file with the JSON list of `PUT /sandbox/faults`. */
  readonly faults?: string;
  /** How many orders that ended without a fill are retained; 0: all. */
  readonly retainOrders: number;
  /** false: no request rates and no cap on connections. */
  readonly limits: boolean;
  /** Absent: a new one is generated. */
  readonly secret?: string;
  /** Balances of the wallets at the start, as plain decimal texts. */
  readonly spot: Readonly<Record<Currency, string>>;
  readonly futures: Readonly<Record<Currency, string>>;
}

type RawSandbox = Omit<SandboxCommandOptions, 'startMs' | 'allowHosts'> & {
  readonly start?: number;
  readonly allowHost?: readonly string[];
};

const SPOT = { USDT: '100000', INR: '10000000' } as const;
const FUTURES = { USDT: '10000', INR: '1000000' } as const;
const MAX_RETAINED = 10_000_000;

export function addSandbox(
  program: Command,
  debug: boolean,
  action: CommandAction<SandboxCommandOptions>,
): void {
  const command = program
    .command('sandbox')
    .description('Run a local exchange that serves the documented interface, until Ctrl-C.');
  addServerOptions(command);
  addMarketOptions(command);
  addBehaviorOptions(command);
  addAccountOptions(command);
  withOutput(command, debug, `${JSON_HELP}; the first line holds the addresses and the secret`)
    .addHelpText(
      'after',
      examples(
        'sluice sandbox',
        'sluice sandbox --port 8787 --clock fast:60 --start 2025-05-05T00:00:00Z',
        'sluice sandbox --faults faults.json --json',
        'sluice sandbox --quirks field --assume exchange-stop-trigger=mark',
        'sluice sandbox --quirks sticky-partial,read-lag --no-limits',
      ),
    )
    .action(({ start, allowHost, ...options }: RawSandbox) =>
      action({
        ...options,
        ...(start === undefined ? {} : { startMs: start }),
        ...(allowHost === undefined ? {} : { allowHosts: allowHost }),
      }),
    );
}

const addServerOptions = (command: Command): Command =>
  command
    .option('--port <number>', 'TCP port; 0 picks a free one', values.wholeNumber(0, 65_535), 0)
    .option(
      '--listen <address>',
      'address to listen on; any address but loopback opens it to other machines',
      '127.0.0.1',
    )
    .option(
      '--allow-host <name>',
      'another host name that control paths answer to; repeat for more',
      appendHostName,
    );

const addMarketOptions = (command: Command): Command =>
  command
    .option(
      '--seed <number>',
      'seed of the synthetic market',
      values.wholeNumber(0, 2 ** 32 - 1),
      1,
    )
    .addOption(
      new Option('--clock <mode>', 'real, fast:60 (one minute a second) or manual')
        .argParser(parseClock)
        .default(parseClock('real'), 'real'),
    )
    .option(
      '--start <time>',
      'venue time at the start, ISO 8601 in UTC (default: now)',
      values.parseInstant,
    )
    .option('--replay <dir>', 'replay recorded candles instead of the synthetic market');

const addBehaviorOptions = (command: Command): Command =>
  command
    .option(
      '--quirks <which>',
      'behaviour of real venues that differs from the interface: none, field (all of it) or NAME,NAME',
      parseQuirks,
      'none',
    )
    .option(
      '--assume <id=answer>',
      'another answer where the interface leaves a question open; repeat for more (docs/assumptions.md)',
      appendAssumption,
      {},
    )
    .option('--profile <file>', 'behave like a probed venue; FILE comes from `sluice probe --out`')
    .option(
      '--faults <file>',
      'faults at the start: a JSON list in the format of PUT /sandbox/faults',
    )
    .option('--no-limits', 'lift the request rates and the cap on connections')
    .option(
      '--retain-orders <number>',
      'how many of the newest orders that ended without a fill are retained; 0 retains all',
      values.wholeNumber(0, MAX_RETAINED),
      RETAINED_ORDERS,
    );

const addAccountOptions = (command: Command): Command =>
  command
    .option('--secret <text>', 'the API secret (default: a new one)', parseSecret)
    .option(
      '--spot <balances>',
      'spot wallets (default: USDT=100000,INR=10000000)',
      parseBalances,
      SPOT,
    )
    .option(
      '--futures <balances>',
      'futures wallets (default: USDT=10000,INR=1000000)',
      parseBalances,
      FUTURES,
    );

/** A text that fits the authentication header. */
const parseSecret = values.optionParser('one word of printable ASCII', (text) =>
  /^[\x21-\x7e]+$/.test(text) ? text : undefined,
);

const parseHostName = values.optionParser(
  'a host name without a port, such as sandbox.local',
  (text) => (/^(?:[a-z\d_.-]{1,253}|\[[a-f\d:.]+\])$/i.test(text) ? text.toLowerCase() : undefined),
);

function appendHostName(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, parseHostName(text)];
}

function parseClock(text: string): ClockMode {
  try {
    return parseClockMode(text);
  } catch (error) {
    if (error instanceof SandboxOptionError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** `none`, `field`, or names with commas between. */
function parseQuirks(text: string): SandboxCommandOptions['quirks'] {
  if (text === 'none' || text === 'field') return text;
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => name !== '')
    ? names
    : values.expected('none, field or NAME,NAME', text);
}

/** `exchange-stop-trigger=mark`, once for each assumption. */
function appendAssumption(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [id, answer] = values.splitAtEquals(text) ?? values.expected('ID=ANSWER', text);
  if (Object.hasOwn(before, id)) throw new InvalidArgumentError(`"${id}" is given twice.`);
  return { ...before, [id]: answer };
}

/** `USDT=1000` or `USDT=1000,INR=5000`. A currency that is left out keeps its default. */
function parseBalances(
  text: string,
  before: Readonly<Record<Currency, string>>,
): Readonly<Record<Currency, string>> {
  const given = text.split(',').map((part) => {
    const [name = '', amount = ''] = part.split('=');
    const known = CURRENCIES.find((candidate) => candidate === name.trim());
    if (known === undefined || !isPlainDecimal(amount) || amount.startsWith('-')) {
      return values.expected('balances such as USDT=10000 or USDT=10000,INR=500000', text);
    }
    return [known, amount] as const;
  });
  return { ...before, ...Object.fromEntries(given) };
}
