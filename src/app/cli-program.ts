import { Command, Option } from 'commander';
import type { AccountOptions, OrderOptions, ProbeOptions } from './account/account-options.js';
import { addAccount } from './cli-account.js';
import { addOrder, addProbe } from './cli-order.js';
import { addChaos } from './cli-chaos.js';
import { addDev } from './cli-dev.js';
import { addInit } from './cli-init.js';
import { addPlan } from './cli-plan.js';
import { addStrategy, type StrategyCommands } from './cli-strategy.js';
import { addWhy } from './cli-why.js';
import { examples, JSON_TEXT } from './cli-help.js';
import type {
  BacktestOptions,
  ChaosOptions,
  PlanOptions,
  ReplayOptions,
  RunOptions,
  SandboxOptions,
  WhyOptions,
} from './command-options.js';
import type { DevOptions } from './dev/dev-options.js';
import type { InitOptions } from './init/init-command.js';
import { RETAINED_ORDERS } from '../sandbox/retained-orders.js';
import * as values from './cli-values.js';

/** What each command does, behind its options. The answer is the exit code. */
export interface Commands extends StrategyCommands {
  run(options: RunOptions): Promise<number>;
  sandbox(options: SandboxOptions): Promise<number>;
  backtest(options: BacktestOptions): Promise<number>;
  plan(options: PlanOptions): Promise<number>;
  replay(options: ReplayOptions): Promise<number>;
  why(options: WhyOptions): Promise<number>;
  account(options: AccountOptions): Promise<number>;
  order(options: OrderOptions): Promise<number>;
  probe(options: ProbeOptions): Promise<number>;
  chaos(options: ChaosOptions): Promise<number>;
  init(options: InitOptions): Promise<number>;
  dev(options: DevOptions): Promise<number>;
}

export interface ProgramOutput {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface Program {
  /** Runs the command that the arguments name. @throws CommanderError for usage, help and version */
  parse(args: readonly string[]): Promise<number>;
}

/** The command line of design part 8. */
export function createProgram(
  version: string,
  debug: boolean,
  commands: Commands,
  output: ProgramOutput,
): Program {
  let exitCode = 0;
  const act =
    <Options>(command: (options: Options) => Promise<number>) =>
    async (options: Options): Promise<void> => {
      exitCode = await command(options);
    };
  const program = new Command('sluice')
    .description(
      'Trading bots on linear perpetual futures: run them, backtest them, write your own.',
    )
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: output.stdout, writeErr: output.stderr })
    .configureHelp({ optionDescription: described })
    .showHelpAfterError('(add --help for the options)');
  addRun(program, debug, act(commands.run));
  addPlan(program, debug, act(commands.plan));
  addSandbox(program, debug, act(commands.sandbox));
  addBacktest(program, debug, act(commands.backtest));
  addReplay(program, debug, act(commands.replay));
  addWhy(program, debug, act(commands.why));
  addAccount(program, debug, act(commands.account));
  addOrder(program, debug, act(commands.order));
  addProbe(program, debug, act(commands.probe));
  addChaos(program, debug, act(commands.chaos));
  addInit(program, debug, act(commands.init));
  addStrategy(program, debug, commands, act);
  addDev(program, debug, act(commands.dev));
  return {
    async parse(args) {
      await program.parseAsync(args, { from: 'user' });
      return exitCode;
    },
  };
}

/** Defaults that say something: not that a flag is off. */
function described({ description, defaultValue, defaultValueDescription }: Option): string {
  const isWord = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  const shown = defaultValueDescription ?? (isWord ? String(defaultValue) : undefined);
  return shown === undefined ? description : `${description} (default: ${shown})`;
}

type RawRun = Omit<RunOptions, 'config' | 'durationMs'> & {
  readonly config?: string;
  readonly duration?: number;
};

function addRun(
  program: Command,
  debug: boolean,
  act: (options: RunOptions) => Promise<void>,
): void {
  const command = program
    .command('run')
    .description('Run strategies as a daemon until Ctrl-C, or for a while.')
    .option('--config <file>', 'the YAML configuration (required)')
    .option('--duration <time>', 'stop after 30s, 10m, 2h … of real time', values.durationMs)
    .option(
      '--adopt <what...>',
      'take up again a symbol that was halted; know an order that the journal did not send, by its id, or all with `history`',
    )
    .option('--drop-flatten', 'withdraw a flatten that an earlier run has not brought to its end')
    .option(
      '--resume <symbol...>',
      'trade to the target of a symbol again, after its position was closed or reduced by hand',
      values.moreSymbols,
    )
    .option('--json', `${JSON_TEXT}; the summary is its last line`, false)
    .option('--debug', 'stacks in messages and logs (also SLUICE_DEBUG=1)', debug)
    .addHelpText(
      'after',
      examples(
        'sluice run --config config/demo.yaml',
        'sluice run --config config/demo.yaml --duration 30s --json',
      ),
    )
    .action(({ config, duration, ...options }: RawRun) => {
      // A mandatory option of commander's own would hide the hint on `--confg`.
      if (config === undefined) return command.error("error: option '--config <file>' is missing");
      return act({
        config,
        ...options,
        ...(duration === undefined ? {} : { durationMs: duration }),
      });
    });
}

type RawSandbox = Omit<SandboxOptions, 'startMs' | 'allowHosts'> & {
  readonly start?: number;
  readonly allowHost?: readonly string[];
};

function addSandbox(
  program: Command,
  debug: boolean,
  act: (options: SandboxOptions) => Promise<void>,
): void {
  program
    .command('sandbox')
    .description('A local exchange that speaks the whole documented interface. Ctrl-C ends it.')
    .option('--port <number>', 'port; 0 takes a free one', values.wholeNumber(0, 65_535), 0)
    .option(
      '--listen <address>',
      'address to listen on; any but loopback opens it to other machines',
      '127.0.0.1',
    )
    .option(
      '--allow-host <name>',
      'another name of this machine to answer control paths under (again for more)',
      values.hostNames,
    )
    .option('--seed <number>', 'of the synthetic market', values.wholeNumber(0, 2 ** 32 - 1), 1)
    .addOption(clockOption())
    .option(
      '--start <time>',
      'venue time at the start, ISO 8601 in UTC (default: now)',
      values.instantMs,
    )
    .option('--replay <dir>', 'play recorded candles instead of the synthetic market')
    .option(
      '--quirks <which>',
      'behaviour seen in the field: none, field for all of it, or NAME,NAME',
      values.quirks,
      'none',
    )
    .option(
      '--assume <id=answer>',
      'the other answer where the interface is silent (again for more; docs/assumptions.md)',
      values.assumption,
      {},
    )
    .option('--profile <file>', 'a venue-profile.json: be like the venue that was probed')
    .option(
      '--faults <file>',
      'a JSON list of faults to begin with, as PUT /sandbox/faults takes it',
    )
    .option('--no-limits', 'lift the request rates and the cap on connections')
    .option(
      '--retain-orders <number>',
      'orders ended without a fill that are remembered, the newest; 0 keeps all',
      values.wholeNumber(0, MOST_RETAINED),
      RETAINED_ORDERS,
    )
    .option('--secret <text>', 'the API secret (default: a fresh one)', values.secret)
    .option(
      '--spot <balances>',
      'spot wallets (default: USDT=100000,INR=10000000)',
      values.balances,
      SPOT,
    )
    .option(
      '--futures <balances>',
      'futures wallets (default: USDT=10000,INR=1000000)',
      values.balances,
      FUTURES,
    )
    .option('--json', `${JSON_TEXT}; the first line holds the addresses and the secret`, false)
    .option('--debug', 'stacks in messages and logs (also SLUICE_DEBUG=1)', debug)
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
      act({
        ...options,
        ...(start === undefined ? {} : { startMs: start }),
        ...(allowHost === undefined ? {} : { allowHosts: allowHost }),
      }),
    );
}

const SPOT = { USDT: '100000', INR: '10000000' } as const;
const FUTURES = { USDT: '10000', INR: '1000000' } as const;

const MOST_RETAINED = 10_000_000;

const clockOption = (): Option =>
  new Option('--clock <mode>', 'real, fast:60 (a minute a second) or manual')
    .argParser(values.clockMode)
    .default(values.clockMode('real'), 'real');

type RawBacktest = Omit<BacktestOptions, 'fromMs' | 'toMs' | 'params'> & {
  readonly from?: number;
  readonly to?: number;
  readonly hookTimeout?: number;
  readonly param: Readonly<Record<string, string>>;
};

function addBacktest(
  program: Command,
  debug: boolean,
  act: (options: BacktestOptions) => Promise<void>,
): void {
  const command = program
    .command('backtest')
    .description(
      'Run a strategy on historical candles. With no options: the demo strategy on a bundled market.',
    )
    .option('--config <file>', 'a YAML configuration; the other options win over it')
    .option('--strategy <name>', 'a shipped name, one of strategies/ here, or a file')
    .option('--symbol <symbol>', 'e.g. BTCUSDT; several with commas between', values.symbols)
    .option(
      '--interval <interval>',
      'of the candles that the strategy sees, e.g. 1m',
      values.interval,
    )
    .option('--data <path>', 'a CSV file (also gzip) or a directory of them')
    .option('--from <time>', 'first open time, ISO 8601 in UTC', values.instantMs)
    .option('--to <time>', 'end, exclusive', values.instantMs)
    .option('--param <k=v>', 'a parameter of the strategy; repeat for more', values.parameter, {});
  addMoneyOptions(command);
  command
    .option('--out <dir>', 'where the files of the run go')
    .option(
      '--hook-timeout <time>',
      'CPU time that the strategy may take for one candle, or to load; default 30s',
      values.durationMs,
    )
    .option('--journal', 'intents, verdicts and client order ids; refused: not there yet', false)
    .option('--json', JSON_TEXT, false)
    .option('--debug', 'stacks in messages and logs (also SLUICE_DEBUG=1)', debug)
    .addHelpText(
      'after',
      examples(
        'sluice backtest',
        'sluice backtest --strategy sma-cross --symbol BTCUSDT --data btc-1m.csv.gz --param fast=10 --param slow=50',
        'sluice backtest --config config/backtest.yaml --from 2025-05-01 --to 2025-06-01 --json',
      ),
    )
    .action(({ from, to, hookTimeout, param, ...options }: RawBacktest) =>
      act({
        ...options,
        params: param,
        ...(from === undefined ? {} : { fromMs: from }),
        ...(to === undefined ? {} : { toMs: to }),
        ...(hookTimeout === undefined ? {} : { hookTimeoutMs: hookTimeout }),
      }),
    );
}

function addMoneyOptions(command: Command): void {
  command
    .option('--size <rule>', values.SIZE_FORM, values.size)
    .option('--leverage <number>', 'default 1', values.leverage)
    .option('--currency <currency>', 'of the wallet: USDT (default) or INR', values.currency)
    .option('--cash <amount>', 'at the start; default 10000', values.amount)
    .option('--taker-fee <rate>', 'of the traded value; default 0.00059', values.rate)
    .option('--maker-fee <rate>', 'of the traded value; default 0.00023', values.rate)
    .option(
      '--slippage <bps>',
      'basis points of a market fill; auto (default) is 0 until there is a model',
      values.slippage,
    )
    .option(
      '--fill <rule>',
      'limit orders: through (default) or touch',
      values.oneOf(['through', 'touch']),
    )
    .option(
      '--intrabar <order>',
      'pessimistic (default), nearest or optimistic',
      values.oneOf(['pessimistic', 'nearest', 'optimistic']),
    )
    .option(
      '--funding <what>',
      'settled rates: a file, a folder with one for each symbol, or one rate; none, or auto (default: none, with a word)',
      values.funding,
    )
    .option('--mark <file>', 'candles of the mark price; refused: not simulated yet')
    .option('--instrument <file>', "the instrument's steps and bounds as JSON")
    .option(
      '--risk <what>',
      'research (default: limits recorded, not enforced), none, or a file',
      values.risk,
    );
}

function addReplay(
  program: Command,
  debug: boolean,
  act: (options: ReplayOptions) => Promise<void>,
): void {
  program
    .command('replay')
    .description('Feed the record of a run to a fresh engine and compare what it decides.')
    .argument('<state-dir>', 'the state directory of a run, or a folder of them: the newest')
    .option('--json', JSON_TEXT, false)
    .option('--debug', 'stacks in messages and logs (also SLUICE_DEBUG=1)', debug)
    .addHelpText('after', examples('sluice replay .sluice/demo'))
    .action((stateDir: string, options: Omit<ReplayOptions, 'stateDir'>) =>
      act({ stateDir, ...options }),
    );
}
