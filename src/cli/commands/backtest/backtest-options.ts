import type { Command } from 'commander';
import type { Currency } from '../../../core/currency.js';
import type { Slippage } from '../../../backtest/slippage.js';
import { MAX_LATENCY_MS } from '../../../backtest/latency.js';
import type { Interval } from '../../../core/interval.js';
import type { Size } from '../../../strategy/target/size/sizing.js';
import {
  examples,
  withOutput,
  type CommandAction,
  type OutputOptions,
} from '../../shared-options.js';
import * as values from '../../values.js';
import { CATALOG_DEFAULT } from '../data/data-group.js';
import {
  parseFunding,
  parseInrRate,
  parseRisk,
  parseSize,
  parseSlippage,
  SIZE_FORM,
  type FundingOption,
  type InrRateOption,
  type RiskOption,
} from './backtest-values.js';

/** An option that is absent on the command line is absent here, so that `--config` may supply it. */
export interface BacktestOptions extends OutputOptions {
  readonly config?: string;
  /** A shipped name or a file. */
  readonly strategy?: string;
  /** One symbol, or several with commas between. */
  readonly symbol?: string;
  readonly interval?: Interval;
  /** Interval of the candles in the data. */
  readonly detailInterval?: Interval;
  /** A file or a directory, or `bundled`: the synthetic market. */
  readonly data?: string;
  /** Folder of the data catalogue. */
  readonly catalog?: string;
  /** Keeps large candle files in parsed form. Default: true. */
  readonly cache?: boolean;
  /** Runs over missing candles of the catalogue. */
  readonly allowGaps: boolean;
  /** ms UTC, inclusive. */
  readonly fromMs?: number;
  /** ms UTC, exclusive. */
  readonly toMs?: number;
  /** Texts as typed; the strategy's schema parses them. */
  readonly params: Readonly<Record<string, string>>;
  readonly size?: Size;
  /** Plain decimal text, as are cash and the fees. */
  readonly leverage?: string;
  readonly currency?: Currency;
  readonly cash?: string;
  readonly takerFee?: string;
  readonly makerFee?: string;
  readonly slippage?: Slippage;
  readonly rebates?: 'on' | 'off';
  /** INR per USDT: one rate as plain decimal text, or a file of them. */
  readonly inrRate?: InrRateOption;
  /** Ms that an order takes to the exchange. */
  readonly latency?: number;
  /** Percent of the volume of a candle that orders may trade, as plain decimal text. */
  readonly maxVolumeShare?: string;
  readonly fill?: 'through' | 'touch';
  readonly intrabar?: 'pessimistic' | 'nearest' | 'optimistic';
  readonly funding?: FundingOption;
  /** Candles of the mark price: a file, or a folder with one file per symbol; `none`: the last price. */
  readonly mark?: string;
  /** A file with the instrument's metadata. */
  readonly instrument?: string;
  readonly risk?: RiskOption;
  /** CPU ms that the hooks of one candle may take. */
  readonly hookTimeoutMs?: number;
  /** Directory of the run's files. */
  readonly out?: string;
  /** Runs again for the bounds of the final equity, if candles leave it open. */
  readonly bounds: boolean;
  /** Checks whether the strategy looks ahead, and whether a longer warm-up changes its decisions. */
  readonly check: boolean;
  /** Runs again with other starts, parameters, costs and sizes. */
  readonly robust: boolean;
  /** ms UTC: the figures before and after it stand apart. */
  readonly holdout?: number;
  /** Writes the HTML report of the run. */
  readonly report: boolean;
  /** Opens the report in the browser. */
  readonly open: boolean;
  /** Prints the returns by month. */
  readonly months: boolean;
  /** Prints every figure, those of the engine too. */
  readonly verbose: boolean;
}

type RawBacktest = Omit<BacktestOptions, 'fromMs' | 'toMs' | 'params'> & {
  readonly from?: number;
  readonly to?: number;
  readonly hookTimeout?: number;
  readonly param: Readonly<Record<string, string>>;
};

export function addBacktest(
  program: Command,
  debug: boolean,
  action: CommandAction<BacktestOptions>,
): void {
  const command = program
    .command('backtest')
    .description(
      'Run a strategy on historical candles. Without options: the demo strategy on a bundled market.',
    );
  addStrategyOptions(command);
  addMoneyOptions(command);
  addModelOptions(command);
  addRunOptions(command);
  withOutput(command, debug)
    .addHelpText(
      'after',
      examples(
        'sluice backtest',
        'sluice backtest --strategy sma-cross --symbol BTCUSDT --data btc-1m.csv.gz --param fast=10 --param slow=50',
        'sluice backtest --strategy sma-cross --symbol BTCUSDT --interval 1h --from 2025-05-01 --to 2025-06-01',
        'sluice backtest --config config/backtest.yaml --from 2025-05-01 --to 2025-06-01 --json',
      ),
    )
    .action(({ from, to, hookTimeout, param, ...options }: RawBacktest) =>
      action({
        ...options,
        params: param,
        ...(from === undefined ? {} : { fromMs: from }),
        ...(to === undefined ? {} : { toMs: to }),
        ...(hookTimeout === undefined ? {} : { hookTimeoutMs: hookTimeout }),
      }),
    );
}

const addStrategyOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'a YAML configuration; options on the command line override it')
    .option('--strategy <name>', 'a shipped name, a name in strategies/, or a file')
    .option('--symbol <symbol>', 'such as BTCUSDT; several with commas between', (text) =>
      values.parseSymbolList(text).join(','),
    )
    .option(
      '--interval <interval>',
      'candle interval of the strategy, such as 1m',
      values.parseInterval,
    )
    .option(
      '--detail-interval <interval>',
      'candles that the exchange runs on, such as 1m under a strategy of 1h; default: the coarsest files of a folder that fit',
      values.parseInterval,
    )
    .option(
      '--data <path>',
      'a CSV file (also gzip) or a directory of them, or bundled: a synthetic market; default: with --symbol and --interval the data catalogue, else bundled',
    )
    .option(
      '--catalog <folder>',
      `read from this catalogue; default of the folder: ${CATALOG_DEFAULT}`,
    )
    .option(
      '--no-cache',
      'parse the files of --data again instead of reading the cache (SLUICE_CACHE)',
    )
    .option('--allow-gaps', 'run although candles are missing in the catalogue', false)
    .option('--from <time>', 'open time of the first candle, ISO 8601 in UTC', values.parseInstant)
    .option('--to <time>', 'end of the range, exclusive', values.parseInstant)
    .option(
      '--param <k=v>',
      'a parameter of the strategy; repeat for more',
      values.appendParameter,
      {},
    );

const addMoneyOptions = (command: Command): Command =>
  command
    .option('--size <rule>', SIZE_FORM, parseSize)
    .option('--leverage <number>', 'default 1', values.parseLeverage)
    .option(
      '--currency <currency>',
      'currency of the wallet: USDT (default) or INR',
      values.parseCurrencyCode,
    )
    .option('--cash <amount>', 'balance at the start; default 10000', values.parseAmount)
    .option(
      '--taker-fee <rate>',
      'share of the traded value, GST included; default 0.00059',
      values.parseRate,
    )
    .option(
      '--maker-fee <rate>',
      'share of the traded value, GST included; default 0.00023',
      values.parseRate,
    )
    .option(
      '--rebates <switch>',
      'on: 40 % of each fee comes back; default off',
      values.oneOf(['on', 'off']),
    )
    .option(
      '--inr-rate <what>',
      'INR per USDT: a number, or a CSV file with the columns time and rate; default 90',
      parseInrRate,
    );

const addModelOptions = (command: Command): Command =>
  command
    .option(
      '--slippage <model>',
      'of market fills and stops: auto (default: the larger of 1 basis point and 5 % of the range of the candle), ' +
        'basis points, or volume=0.1 (0.1 x the square of the share of the volume)',
      parseSlippage,
    )
    .option(
      '--latency <ms>',
      `ms that an order takes to the exchange, at most ${MAX_LATENCY_MS}; default 0`,
      values.wholeNumber(0, MAX_LATENCY_MS),
    )
    .option(
      '--max-volume-share <percent>',
      'share of the volume of a candle that orders may trade; the rest stays open. Default: any',
      values.parsePercent,
    )
    .option(
      '--fill <rule>',
      'limit orders fill when the price trades through them (through, default) or touches them (touch)',
      values.oneOf(['through', 'touch']),
    )
    .option(
      '--intrabar <order>',
      'price path within a candle: pessimistic (default), nearest or optimistic',
      values.oneOf(['pessimistic', 'nearest', 'optimistic']),
    )
    .option(
      '--funding <what>',
      'settled rates: a file, a folder with one file per symbol, or one rate; none, or auto (default: the rates of the catalogue, else none with a warning)',
      parseFunding,
    )
    .option(
      '--mark <path>',
      'candles of the mark price, which triggers liquidations: a file, or a folder with one file per symbol; none: the last price; default: that of the catalogue, else the last price',
    )
    .option('--instrument <file>', 'steps and limits of the instrument, as JSON')
    .option(
      '--risk <what>',
      'research (default: limits are recorded, not enforced), none, or a file',
      parseRisk,
    );

const addRunOptions = (command: Command): Command =>
  command
    .option('--out <dir>', 'folder for the files of the run')
    .option(
      '--hook-timeout <time>',
      'CPU time that the strategy may take for one candle, or to load; default 30s',
      values.parseDuration,
    )
    .option(
      '--no-bounds',
      'leave out the second run, which answers the open order of prices inside candles for the better',
    )
    .option(
      '--check',
      'run again on changed data: does the strategy look ahead, and does a longer warm-up change its decisions',
      false,
    )
    .option(
      '--robust',
      'run again from 20 starts, with each parameter 20 % off, and with other costs and sizes, on all cores',
      false,
    )
    .option(
      '--holdout <time>',
      'split the figures at a time, ISO 8601 in UTC: before and after it',
      values.parseInstant,
    )
    .option('--no-report', 'write no report.html')
    .option('--open', 'open the report in the browser', false)
    .option('--months', 'print the return of each month', false)
    .option('--verbose', 'print every figure, those of the engine too', false);
