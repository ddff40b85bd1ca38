import { readCatalogCandles } from '../../../backtest/data/catalog-candles.js';
import { readCandles, type LoadedCandles } from '../../../backtest/data/candle-loader.js';
import { readIfFile } from '../../../backtest/data/data-file.js';
import { readFunding, type LoadedFunding } from '../../../backtest/data/funding-loader.js';
import { readCatalogMark, readMark, type LoadedMark } from '../../../backtest/data/mark-prices.js';
import type { DataCatalog } from '../../../catalog/catalog.js';
import type { BacktestMarket } from '../../../backtest/plan.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
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
  catalog?: DataCatalog,
): Promise<Sources> {
  const own = configured.flatMap((each) => each?.symbols ?? []);
  const symbols =
    options.symbol?.split(',') ?? (own.length === 0 ? [undefined] : [...new Set(own)]);
  const intervals =
    options.interval === undefined
      ? [...new Set(configured.flatMap((each) => each?.interval ?? []))]
      : [options.interval];
  if (catalog !== undefined && (symbols[0] === undefined || intervals.length === 0))
    throw new UsageError('--catalog needs --symbol and --interval, or a --config that names them');
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
    sources.push(
      catalog === undefined || symbol === undefined
        ? await readCandles(candleRequest, io.files)
        : await readCatalogCandles(
            { ...candleRequest, symbol, intervals, allowGaps: options.allowGaps },
            catalog,
          ),
    );
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
  { symbol, columns, base, missing }: LoadedCandles,
  options: BacktestOptions,
  io: Io,
  catalog?: DataCatalog,
): Promise<PlannedMarket> {
  const described = await describeInstrument(options.instrument, symbol, io.files);
  const run = { columns, base };
  const found = await findMark(symbol, run, options, io, catalog);
  const market = { ...described, columns, ...(missing !== undefined && { missing }) };
  if (found === undefined) return market;
  const { warnings, ...mark } = found;
  return { ...market, ...mark, warnings: [...described.warnings, ...warnings] };
}

/** The value of `--mark` for a run on last prices. */
const NO_MARK = 'none';

/** The mark prices of `--mark`, else of the catalogue; undefined: the last price serves. */
async function findMark(
  symbol: string,
  run: Pick<LoadedCandles, 'columns' | 'base'>,
  { mark }: BacktestOptions,
  io: Io,
  catalog: DataCatalog | undefined,
): Promise<LoadedMark | undefined> {
  if (mark === NO_MARK) return undefined;
  if (mark !== undefined) return readMark(mark, symbol, run, io.files);
  return catalog === undefined ? undefined : readCatalogMark(symbol, run, catalog);
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
