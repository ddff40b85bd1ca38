import type { Command } from 'commander';
import type { Interval } from '../../../core/interval.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export interface NewOptions extends OutputOptions {
  readonly name: string;
  readonly stream: boolean;
  /** Folder of the project's strategies. */
  readonly directory: string;
}

export interface ListOptions extends OutputOptions {
  /** Folder of the project's strategies. */
  readonly directory: string;
}

export interface CheckOptions extends OutputOptions {
  /** A shipped name, a file, a folder or a package. */
  readonly use: string;
  readonly params: Readonly<Record<string, string>>;
  readonly symbols: readonly string[];
  readonly interval: Interval;
  /** Candles per symbol. Absent: 2,000. */
  readonly candles?: number;
  /** Real ms after which one call counts as hung. */
  readonly hangMs: number;
}

const HANG_TIMEOUT_MS = 10_000;

/** The parent of the subcommands; the first of them creates it. */
export const strategyGroup = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'strategy') ??
  program
    .command('strategy')
    .description('Create, list and check strategies, and control those of a bot.')
    .addHelpText(
      'after',
      examples(
        'sluice strategy new my-trend',
        'sluice strategy list',
        'sluice strategy check strategies/my-trend.ts',
      ),
    );

const withDirectory = (command: Command): Command =>
  command.option('--dir <folder>', 'the folder of strategies', 'strategies');

export function addStrategyNew(
  program: Command,
  debug: boolean,
  action: CommandAction<NewOptions>,
): void {
  const command = strategyGroup(program)
    .command('new')
    .description('Write a working strategy and its test.')
    .argument('<name>', 'lowercase letters, digits and "-"')
    .option('--stream', 'use the stream form (RxJS) instead of hooks', false);
  withOutput(withDirectory(command), debug)
    .addHelpText(
      'after',
      examples('sluice strategy new my-trend', 'sluice strategy new my-flow --stream'),
    )
    .action((name: string, { dir, ...options }: Omit<NewOptions, 'name'> & { dir: string }) =>
      action({ ...options, name, directory: dir }),
    );
}

export function addStrategyList(
  program: Command,
  debug: boolean,
  action: CommandAction<ListOptions>,
): void {
  const command = strategyGroup(program)
    .command('list')
    .description('List the shipped strategies and those of the project, with their parameters.');
  withOutput(withDirectory(command), debug)
    .addHelpText('after', examples('sluice strategy list', 'sluice strategy list --json'))
    .action(({ dir, ...options }: ListOptions & { dir: string }) =>
      action({ ...options, directory: dir }),
    );
}

type RawCheck = Omit<CheckOptions, 'use' | 'params' | 'symbols' | 'interval' | 'hangMs'> & {
  readonly param: Readonly<Record<string, string>>;
  readonly symbols?: readonly string[];
  readonly interval?: Interval;
  readonly hang?: number;
};

export function addStrategyCheck(
  program: Command,
  debug: boolean,
  action: CommandAction<CheckOptions>,
): void {
  const command = strategyGroup(program)
    .command('check')
    .description(
      'Load a strategy, check its types where the project has TypeScript, and run it on 2,000 stress ' +
        'candles. Finds NaN, throws, look-ahead, floods, growing memory and runs that differ. Exit code 1 with findings.',
    )
    .argument('<file>', 'a file, a folder, a package or a shipped name');
  addCheckOptions(command);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice strategy check strategies/my-trend.ts',
        'sluice strategy check ./pairs.ts --symbols BTCUSDT,ETHUSDT --param lookback=50 --json',
      ),
    )
    .action((use: string, { param, symbols, interval, hang, ...options }: RawCheck) =>
      action({
        ...options,
        use,
        params: param,
        symbols: symbols ?? [],
        interval: interval ?? '1m',
        hangMs: hang ?? HANG_TIMEOUT_MS,
      }),
    );
}

const addCheckOptions = (command: Command): Command =>
  command
    .option(
      '--param <k=v>',
      'a parameter of the strategy; repeat for more',
      values.appendParameter,
      {},
    )
    .option(
      '--symbols <list>',
      'symbols with commas between (default: one, or two for a strategy that reads all symbols)',
      values.parseSymbolList,
    )
    .option(
      '--interval <interval>',
      'candle interval of the strategy (default: 1m)',
      values.parseInterval,
    )
    .option(
      '--candles <number>',
      'stress candles per symbol; raise it for a long warm-up (default: 2000)',
      values.wholeNumber(100, 100_000),
    )
    .option(
      '--hang <time>',
      'time after which one call counts as hung (default: 10s)',
      values.parseDuration,
    );
