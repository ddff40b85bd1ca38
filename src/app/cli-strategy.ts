import type { Command } from 'commander';
import { DEBUG_TEXT, examples, JSON_TEXT } from './cli-help.js';
import * as values from './cli-values.js';
import type { CheckOptions } from './strategy/check-command.js';
import type { ListOptions } from './strategy/list-command.js';
import type { NewOptions } from './strategy/new-command.js';

export interface StrategyCommands {
  strategyNew(options: NewOptions): Promise<number>;
  strategyList(options: ListOptions): Promise<number>;
  strategyCheck(options: CheckOptions): Promise<number>;
}

/** Runs a command and keeps its exit code. */
export type Act = <Options>(
  command: (options: Options) => Promise<number>,
) => (options: Options) => Promise<void>;

const HANG_MS = 10_000;

/** `sluice strategy`: make one, list them, look one over. */
export function addStrategy(
  program: Command,
  debug: boolean,
  commands: StrategyCommands,
  act: Act,
): void {
  const group = program
    .command('strategy')
    .description('Make a strategy, list what there is, look one over.')
    .addHelpText(
      'after',
      examples(
        'sluice strategy new my-trend',
        'sluice strategy list',
        'sluice strategy check strategies/my-trend.ts',
      ),
    );
  addNew(group, debug, act(commands.strategyNew));
  addList(group, debug, act(commands.strategyList));
  addCheck(group, debug, act(commands.strategyCheck));
}

const directoryOption = ['--dir <folder>', 'the folder of strategies', 'strategies'] as const;

function addNew(group: Command, debug: boolean, act: (options: NewOptions) => Promise<void>): void {
  group
    .command('new')
    .description('Write a strategy that runs as it is, and its test.')
    .argument('<name>', 'small letters, digits and "-"')
    .option('--stream', 'in the stream form (RxJS) instead of hooks', false)
    .option(...directoryOption)
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples('sluice strategy new my-trend', 'sluice strategy new my-flow --stream'),
    )
    .action((name: string, { dir, ...options }: Omit<NewOptions, 'name'> & { dir: string }) =>
      act({ ...options, name, directory: dir }),
    );
}

function addList(
  group: Command,
  debug: boolean,
  act: (options: ListOptions) => Promise<void>,
): void {
  group
    .command('list')
    .description('The strategies that come with Sluice and those of the project, with parameters.')
    .option(...directoryOption)
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText('after', examples('sluice strategy list', 'sluice strategy list --json'))
    .action(({ dir, ...options }: ListOptions & { dir: string }) =>
      act({ ...options, directory: dir }),
    );
}

type RawCheck = Omit<CheckOptions, 'use' | 'params' | 'symbols' | 'interval' | 'hangMs'> & {
  readonly param: Readonly<Record<string, string>>;
  readonly symbols?: readonly string[];
  readonly interval?: CheckOptions['interval'];
  readonly hang?: number;
};

function addCheck(
  group: Command,
  debug: boolean,
  act: (options: CheckOptions) => Promise<void>,
): void {
  group
    .command('check')
    .description(
      'Load a strategy, check its types where the project has TypeScript, and run it on 2,000 hostile ' +
        'candles: NaN, throws, look-ahead, floods, growing memory, runs that differ. Exit code 1 with findings.',
    )
    .argument('<file>', 'a file, a folder, a package or a shipped name')
    .option('--param <k=v>', 'a parameter of the strategy; repeat for more', values.parameter, {})
    .option(
      '--symbols <list>',
      'symbols with commas between (default: one, or two for a strategy that sees all)',
      values.symbolList,
    )
    .option('--interval <interval>', 'of the candles that it sees (default: 1m)', values.interval)
    .option(
      '--candles <number>',
      'hostile candles of each symbol, for a long warm-up (default: 2000)',
      values.wholeNumber(100, 100_000),
    )
    .option('--hang <time>', 'in one call, after which it hangs (default: 10s)', values.durationMs)
    .option('--json', JSON_TEXT, false)
    .option('--debug', DEBUG_TEXT, debug)
    .addHelpText(
      'after',
      examples(
        'sluice strategy check strategies/my-trend.ts',
        'sluice strategy check ./pairs.ts --symbols BTCUSDT,ETHUSDT --param lookback=50 --json',
      ),
    )
    .action((use: string, { param, symbols, interval, hang, ...options }: RawCheck) =>
      act({
        ...options,
        use,
        params: param,
        symbols: symbols ?? [],
        interval: interval ?? '1m',
        hangMs: hang ?? HANG_MS,
      }),
    );
}
