import { BUNDLED_SEED, readCandles, type LoadedCandles } from '../../../backtest/candle-loader.js';
import { readMark } from '../../../backtest/mark-prices.js';
import { readFunding, type LoadedFunding } from '../../../backtest/funding-loader.js';
import { readIfFile } from '../../../backtest/data-file.js';
import type { BacktestMarket, BacktestPlan } from '../../../backtest/plan.js';
import { AUTO_SLIPPAGE, slippageAllowance } from '../../../backtest/slippage.js';
import { recordFiles } from '../../../backtest/recorded-files.js';
import { unwatchedHeartbeat, PHASE, HEARTBEAT_CELL } from '../../../backtest/heartbeat.js';
import {
  fixed,
  fixedFromText,
  numberFromFixed,
  SCALE,
  type Amount,
} from '../../../core/fixed/fixed.js';
import { closeTimeOf, type Interval } from '../../../core/interval.js';
import { createGate } from '../../../risk/gate.js';
import { riskSchema, type RiskSettings } from '../../../risk/limits/risk-config.js';
import { describeInstrument } from '../../../config/instrument-resolver.js';
import {
  checkBacktestLeverage,
  checkRange,
  checkStop,
  fundingRequestOf,
  modelWarnings,
  rejectUnavailableStreams,
  rejectUnsupportedOptions,
} from './backtest-checks.js';
import type { RunInputs } from '../../../report/run/inputs-schema.js';
import { inputsOf } from './backtest-inputs.js';
import { repeatCommand } from './repeat-command.js';
import { selectStrategy, type SelectedStrategy } from './strategy-selection.js';
import type { BacktestOptions } from './backtest-options.js';
import type { Io } from '../../command-io.js';
import { loadConfig, type SluiceConfig, type StrategyConfig } from '../../../config/config.js';
import { UsageError } from '../../../core/command-errors.js';
import { strategyInstanceOf } from '../../../live/strategies/strategy-instances.js';
import { readBlock } from '../../../config/yaml-block.js';

export interface PlannedBacktest {
  readonly plan: BacktestPlan;
  /** Part of the name of the run's folder. */
  readonly name: string;
  readonly origin: string;
  readonly warnings: readonly string[];
  readonly inputs: RunInputs;
  /** The command that repeats the run up to a time, ISO 8601. */
  readonly repeat: (to: string) => string;
}

const DEFAULTS = {
  cash: '10000',
  takerFee: '0.00059',
  makerFee: '0.00023',
  notional: 1_000,
  hedgeRate: '90',
} as const;

/** Options override the configuration, which overrides the defaults. @throws UsageError, ConfigError, CandleFileError */
export async function planBacktest(
  options: BacktestOptions,
  process: Io,
  heartbeat = unwatchedHeartbeat(),
): Promise<PlannedBacktest> {
  const files = recordFiles(process.files);
  const io: Io = { ...process, files };
  rejectUnsupportedOptions(options);
  checkRange(options);
  const config =
    options.config === undefined
      ? undefined
      : await loadConfig(options.config, io.files, 'backtest');
  const configured = configuredStrategy(options, config);
  const interval = options.interval ?? configured?.interval;
  const symbols = options.symbol?.split(',') ?? configured?.symbols ?? [undefined];
  const sources = await readAll(symbols, interval, options, io);
  const [source] = sources;
  const seed = options.data === undefined ? BUNDLED_SEED : null;
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.load;
  const selected = await selectStrategy(options, config, configured);
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.own;
  const { definition, params } = selected;
  rejectUnavailableStreams(definition, options);
  const strategy = strategyConfigOf(options, configured, sources, selected);
  const markets = await Promise.all(sources.map((each) => marketOf(each, options, io)));
  const [market, ...others] = markets as [PlannedMarket, ...PlannedMarket[]];
  const funding = await fundingOf(options, markets, source.base, io);
  for (const { instrument } of markets)
    checkBacktestLeverage(strategy, instrument, config, configured);
  checkStop(strategy);
  const model = modelOf(options, config);
  const costs = costsOf(model);
  const risk = await riskSettingsOf(options, config, io);
  const plan: BacktestPlan = {
    ...model,
    strategy: strategyInstanceOf({
      config: strategy,
      definition,
      params,
      base: source.base,
      costs,
    }),
    instrument: market.instrument,
    maintenanceRate: market.maintenanceRate,
    base: source.base,
    columns: market.columns,
    ...(market.mark !== undefined && { mark: market.mark }),
    ...(market.settlementMarks !== undefined && { settlementMarks: market.settlementMarks }),
    ...(others.length > 0 && { others }),
    ...(funding !== undefined && { funding: funding.rates }),
    gate: createGate(risk),
    heartbeat,
    hasTrailingStop: strategy.protect.trailingPct !== undefined,
  };
  const inputs = inputsOf(
    { options, plan, config: strategy, selected, risk, reads: files.reads.values(), seed },
    io,
  );
  return {
    plan,
    inputs,
    repeat: (to) => repeatCommand(options, plan, strategy, { from: inputs.period.from, to }),
    name: [strategy.id, ...strategy.symbols].join('-'),
    origin: sources.length === 1 ? source.origin : (options.data ?? source.origin),
    warnings: [
      ...sources.flatMap((each) => each.warnings),
      ...markets.flatMap((each) => each.warnings),
      ...(funding?.warnings ?? []),
      ...modelWarnings(options),
    ],
  };
}

function strategyConfigOf(
  options: BacktestOptions,
  configured: StrategyConfig | undefined,
  sources: Sources,
  { use, given, definition }: SelectedStrategy,
): StrategyConfig {
  return {
    id: configured?.id ?? definition.name,
    use,
    symbols: sources.map((each) => each.symbol),
    interval: options.interval ?? configured?.interval ?? sources[0].base,
    leverage: decimal<'ratio'>(options.leverage, configured?.leverage ?? fixed<'ratio'>(SCALE)),
    size: options.size ?? configured?.size ?? { kind: 'notional', notional: DEFAULTS.notional },
    protect: configured?.protect ?? {},
    entry: configured?.entry ?? { kind: 'market' },
    params: given,
    ...(configured?.onError !== undefined && { onError: configured.onError }),
  };
}

type SimulationModel = Pick<
  BacktestPlan,
  | 'currency'
  | 'cash'
  | 'hedgeRate'
  | 'takerFeeRate'
  | 'makerFeeRate'
  | 'slippage'
  | 'limitFill'
  | 'intrabar'
>;

/** The wallet, the costs and the fill rules. */
const modelOf = (options: BacktestOptions, config: SluiceConfig | undefined): SimulationModel => ({
  currency: options.currency ?? config?.venue.tradeCurrency ?? 'USDT',
  cash: decimal<'USDT'>(options.cash, fixedFromText(DEFAULTS.cash)) as Amount,
  hedgeRate: config?.venue.inrRate?.value ?? fixedFromText(DEFAULTS.hedgeRate),
  takerFeeRate: decimal<'ratio'>(options.takerFee, fixedFromText(DEFAULTS.takerFee)),
  makerFeeRate: decimal<'ratio'>(options.makerFee, fixedFromText(DEFAULTS.makerFee)),
  slippage: options.slippage ?? AUTO_SLIPPAGE,
  limitFill: options.fill ?? 'through',
  intrabar: options.intrabar ?? 'pessimistic',
});

/** Costs of a market order, as shares of its value. */
const costsOf = ({ takerFeeRate, slippage }: SimulationModel) => ({
  takerFee: numberFromFixed(takerFeeRate),
  slippage: slippageAllowance(slippage),
});

type Sources = readonly [LoadedCandles, ...LoadedCandles[]];

/** Reads the candles of every symbol; all must have one interval. */
async function readAll(
  symbols: readonly (string | undefined)[],
  interval: Interval | undefined,
  options: BacktestOptions,
  io: Io,
): Promise<Sources> {
  const sources: LoadedCandles[] = [];
  for (const symbol of symbols) {
    const candleRequest = {
      ...(options.data !== undefined && { data: options.data }),
      ...(symbol !== undefined && { symbol }),
      ...(interval !== undefined && { interval }),
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
      `the candles have different intervals (${[...bases].join(', ')}); give data of one interval`,
    );
  }
  return sources as readonly LoadedCandles[] as Sources;
}

interface PlannedMarket extends BacktestMarket {
  readonly warnings: readonly string[];
}

async function marketOf(
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
async function fundingOf(
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

function configuredStrategy(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
): StrategyConfig | undefined {
  if (config === undefined) return undefined;
  const chosen = config.strategies.filter(
    (strategy) =>
      options.strategy === undefined ||
      strategy.id === options.strategy ||
      strategy.use === options.strategy,
  );
  if (chosen.length > 1) {
    throw new UsageError(
      `${config.path} has ${chosen.length} strategies; name one with --strategy: ${chosen.map(({ id }) => id).join(', ')}`,
    );
  }
  return chosen[0];
}

async function riskSettingsOf(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
  io: Io,
): Promise<RiskSettings> {
  const schema = riskSchema('backtest');
  if (options.risk?.kind === 'file')
    return readBlock(options.risk.path, schema, io.files, 'native');
  if (options.risk === undefined && config !== undefined) return config.riskSettings;
  return schema.parse({ preset: options.risk?.kind ?? 'research', symbols_allow: '*' });
}

function decimal<Unit extends 'USDT' | 'ratio'>(
  text: string | undefined,
  fallback: ReturnType<typeof fixed<Unit>>,
): ReturnType<typeof fixed<Unit>> {
  return text === undefined ? fallback : fixedFromText<Unit>(text);
}
