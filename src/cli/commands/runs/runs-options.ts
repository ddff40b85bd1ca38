import type { Command } from 'commander';
import type { RunFilter, RunOrder } from '../../../report/run/indexed-run.js';
import { RUN_ORDERS } from '../../../report/run/indexed-run.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';

export type RunsTask =
  | {
      readonly what: 'list';
      readonly filter: RunFilter;
      readonly order: RunOrder;
      /** Rows to print; 0: all. */
      readonly limit: number;
    }
  | { readonly what: 'show'; readonly run: string }
  | {
      readonly what: 'compare';
      readonly runs: readonly string[];
      /** File of the page that compares them. */
      readonly html?: string;
      /** Opens the page in the browser. */
      readonly open: boolean;
    }
  | { readonly what: 'rm'; readonly runs: readonly string[]; readonly yes: boolean };

export type RunsOptions = OutputOptions &
  RunsTask & {
    /** Folder of the runs. */
    readonly directory: string;
  };

type RunsAction = CommandAction<RunsOptions>;
type Raw = OutputOptions & { readonly dir: string };

const MAX_COMPARED = 6;
const MAX_LIMIT = 1_000_000;
const RUN_HELP = 'name of a run, the first characters of its name or hash, or its folder';

/** `sluice runs`: the backtests of a folder. */
export function addRuns(program: Command, debug: boolean, action: RunsAction): void {
  const runs = program
    .command('runs')
    .description('List, show, compare and remove backtests.')
    .addHelpText(
      'after',
      examples(
        'sluice runs list --strategy sma-cross --symbol BTCUSDT --sort sharpe --limit 10',
        'sluice runs show 2026-11-23T17-14',
        'sluice runs compare 7d7ef446 c5c7ee87 --html comparison.html',
        'sluice runs rm 2026-11-23T17-14 --yes',
      ),
    );
  const common = (command: Command): Command =>
    withOutput(command.option('--dir <folder>', 'folder of the runs', 'backtests'), debug);
  addList(runs, common, action);
  addShow(runs, common, action);
  addCompare(runs, common, action);
  addRemove(runs, common, action);
}

type WithCommon = (command: Command) => Command;

interface RawList extends Raw {
  readonly strategy?: string;
  readonly symbol?: string;
  readonly interval?: string;
  readonly since?: number;
  readonly sort: RunOrder;
  readonly limit: number;
}

function addList(runs: Command, common: WithCommon, action: RunsAction): void {
  const command = runs
    .command('list')
    .description('List the runs of a folder, newest or best first.')
    .option('--strategy <name>', 'runs of this strategy: its id or its name')
    .option('--symbol <symbol>', 'runs with this symbol', values.parseSymbol)
    .option('--interval <interval>', 'runs of this candle interval', values.parseInterval)
    .option('--since <time>', 'runs made since, ISO 8601 in UTC', values.parseInstant)
    .option('--sort <key>', RUN_ORDERS.join(', '), values.oneOf(RUN_ORDERS), 'created')
    .option('--limit <count>', 'rows; 0 prints all', values.wholeNumber(0, MAX_LIMIT), 20);
  common(command)
    .addHelpText(
      'after',
      examples(
        'sluice runs list',
        'sluice runs list --symbol ETHUSDT --since 2026-11-01 --sort drawdown --limit 5 --json',
      ),
    )
    .action(({ dir, sort, limit, since, ...raw }: RawList) => {
      const { json, debug, strategy, symbol, interval } = raw;
      const filter: RunFilter = {
        ...(strategy !== undefined && { strategy }),
        ...(symbol !== undefined && { symbol }),
        ...(interval !== undefined && { interval }),
        ...(since !== undefined && { sinceMs: since }),
      };
      return action({ json, debug, directory: dir, what: 'list', filter, order: sort, limit });
    });
}

function addShow(runs: Command, common: WithCommon, action: RunsAction): void {
  const command = runs
    .command('show')
    .description('Show a run: its inputs, its figures, its hash and the command that repeats it.')
    .argument('<run>', RUN_HELP);
  common(command)
    .addHelpText(
      'after',
      examples('sluice runs show 7d7ef446', 'sluice runs show backtests/example'),
    )
    .action((run: string, { dir, ...output }: Raw) =>
      action({ ...output, directory: dir, what: 'show', run }),
    );
}

interface RawCompare extends Raw {
  readonly html?: string;
  readonly open: boolean;
}

function addCompare(runs: Command, common: WithCommon, action: RunsAction): void {
  const command = runs
    .command('compare')
    .description(`Show the differences of 2 to ${MAX_COMPARED} runs in inputs and results.`)
    .argument('<runs...>', RUN_HELP)
    .option('--html <file>', 'write one page with their curves and tables: a file ending in .html')
    .option('--open', 'open the page in the browser', false);
  common(command)
    .addHelpText(
      'after',
      examples(
        'sluice runs compare 7d7ef446 c5c7ee87 --json',
        'sluice runs compare 7d7ef446 c5c7ee87 --html comparison.html --open',
      ),
    )
    .action((given: readonly string[], { dir, ...rest }: RawCompare, self: Command) => {
      if (given.length < 2 || given.length > MAX_COMPARED)
        self.error(`error: compare takes 2 to ${MAX_COMPARED} runs, not ${given.length}`);
      if (rest.open && rest.html === undefined)
        self.error('error: --open needs the page to open: give --html FILE too');
      // Another name may be that of a run's own file.
      if (rest.html !== undefined && !/\.html?$/i.test(rest.html))
        self.error(`error: --html takes a file that ends in .html, not "${rest.html}"`);
      return action({ ...rest, directory: dir, what: 'compare', runs: given });
    });
}

function addRemove(runs: Command, common: WithCommon, action: RunsAction): void {
  const command = runs
    .command('rm')
    .description('Remove the files of runs. Other files in their folders stay.')
    .argument('<runs...>', RUN_HELP)
    .option('--yes', 'remove them; without it the runs are only named', false);
  common(command)
    .addHelpText('after', examples('sluice runs rm 7d7ef446 2026-11-23T17-14 --yes'))
    .action((given: readonly string[], { dir, yes, ...output }: Raw & { readonly yes: boolean }) =>
      action({ ...output, directory: dir, what: 'rm', runs: given, yes }),
    );
}
