import { readCandles, type LoadedCandles } from '../../../backtest/data/candle-loader.js';
import { readIfFile } from '../../../backtest/data/data-file.js';
import { readFunding, type LoadedFunding } from '../../../backtest/data/funding-loader.js';
import { readMark } from '../../../backtest/data/mark-prices.js';
import type { BacktestMarket } from '../../../backtest/plan.js';
import type { StrategyConfig } from '../../../config/config.js';
import { describeInstrument } from '../../../config/instrument-resolver.js';
import { UsageError } from '../../../core/command-errors.js';
import { closeTimeOf, type Interval } from '../../../core/interval.js';
import type { Io } from '../../command-io.js';
import { fundingRequestOf } from './backtest-checks.js';
import type { BacktestOptions } from './backtest-options.js';

/** The candles of each symbol. */
export type Sources = readonly [LoadedCandles, ...LoadedCandles[]];

/** Reads the candles of every symbol of the strategies; all must have one interval. */
export async function readAll(
  configured: readonly (StrategyConfig | undefined)[],
  options: BacktestOptions,
  io: Io,
): Promise<Sources> {
  const own = configured.flatMap((each) => each?.symbols ?? []);
  const symbols =
    options.symbol?.split(',') ?? (own.length === 0 ? [undefined] : [...new Set(own)]);
  const intervals =
    options.interval === undefined
      ? [...new Set(configured.flatMap((each) => each?.interval ?? []))]
      : [options.interval];
  const sources: LoadedCandles[] = [];
  for (const symbol of symbols) {
    const candleRequest = {
      ...(options.data !== undefined && { data: options.data }),
      ...(symbol !== undefined && { symbol }),
      ...(intervals.length > 0 && { intervals }),
      ...(options.detailInterval !== undefined && { detail: options.detailInterval }),
      ...(options.fromMs !== undefined && { fromMs: options.fromMs }),
      ...(options.toMs !== undefined && { toMs: options.toMs }),
    };
    sources.push(await readCandles(candleRequest, io.files));
  }
  const files = new Set(sources.map(({ origin }) => origin));
  if (
    options.mark !== undefined &&
    sources.length > 1 &&
    (await readIfFile(options.mark, io.files))
  )
    throw new UsageError(
      `--mark ${options.mark} holds the mark prices of one symbol, but there are ${sources.length} symbols: give a folder with one file per symbol`,
    );
  if (options.data !== undefined && files.size < sources.length) {
    throw new UsageError(
      `--data ${options.data} holds the candles of one symbol, but there are ${sources.length} symbols (${symbols.join(', ')}): ` +
        'give a folder with one file per symbol, or one symbol with --symbol',
    );
  }
  const bases = new Set(sources.map(({ base }) => base));
  if (bases.size > 1) {
    throw new UsageError(
      `the candles have different intervals (${[...bases].join(', ')}); give data of one interval, or choose it with --detail-interval`,
    );
  }
  return sources as readonly LoadedCandles[] as Sources;
}

export interface PlannedMarket extends BacktestMarket {
  readonly warnings: readonly string[];
}

export async function marketOf(
  { symbol, columns, base }: LoadedCandles,
  options: BacktestOptions,
  io: Io,
): Promise<PlannedMarket> {
  const described = await describeInstrument(options.instrument, symbol, io.files);
  if (options.mark === undefined) return { ...described, columns };
  const { warnings, ...mark } = await readMark(options.mark, symbol, { columns, base }, io.files);
  return { ...described, columns, ...mark, warnings: [...described.warnings, ...warnings] };
}

/** The funding rates of the range; undefined: no funding. */
export async function loadFunding(
  { funding }: BacktestOptions,
  markets: readonly BacktestMarket[],
  base: Interval,
  io: Io,
): Promise<LoadedFunding | undefined> {
  const fundingRequest = fundingRequestOf(funding);
  if (fundingRequest === undefined) return undefined;
  const ranges = markets.map(({ instrument: { symbol }, columns }) => ({
    symbol,
    fromMs: columns.openTime[0] as number,
    toMs: closeTimeOf(base, columns.openTime[columns.length - 1] as number),
  }));
  return readFunding(fundingRequest, ranges, io.files);
}
