import { BUNDLED_SEED, readCandles, type LoadedCandles } from '../../../backtest/candle-loader.js';
import { readMark } from '../../../backtest/mark-prices.js';
import { readFunding, type LoadedFunding } from '../../../backtest/funding-loader.js';
import { readIfFile } from '../../../backtest/data-file.js';
import type { BacktestMarket, BacktestPlan } from '../../../backtest/plan.js';
import { AUTO_SLIPPAGE, slippageAllowance } from '../../../backtest/slippage.js';
import { recordFiles } from '../../../backtest/recorded-files.js';
import {
  unwatchedHeartbeat,
  PHASE,
  HEARTBEAT_CELL,
  type Heartbeat,
} from '../../../backtest/heartbeat.js';
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
  const configured = configuredStrategies(options, config);
  const sources = await readAll(configured, options, io);
  const [source] = sources;
  const seed = options.data === undefined ? BUNDLED_SEED : null;
  const strategies: PlannedStrategy[] = [];
  for (const each of configured) {
    // Alone it runs on all symbols: `--symbol` replaces those of the configuration.
    const own = configured.length === 1 ? undefined : each?.symbols;
    const of = { base: source.base, symbols: own ?? sources.map(({ symbol }) => symbol) };
    strategies.push(await planStrategy(each, of, { options, config, heartbeat }));
  }
  const markets = await Promise.all(sources.map((each) => marketOf(each, options, io)));
  const [market, ...others] = markets as [PlannedMarket, ...PlannedMarket[]];
  const funding = await fundingOf(options, markets, source.base, io);
  for (const each of strategies) checkLeverage(each, markets, config);
  const model = modelOf(options, config);
  const costs = costsOf(model);
  const risk = await riskSettingsOf(options, config, io);
  const plan: BacktestPlan = {
    ...model,
    strategies: strategies.map(({ config: of, selected: { definition, params } }) =>
      strategyInstanceOf({ config: of, definition, params, base: source.base, costs }),
    ),
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
    hasTrailingStop: strategies.some(({ config: of }) => of.protect.trailingPct !== undefined),
  };
  const inputs = inputsOf(
    { options, plan, strategies, risk, reads: files.reads.values(), seed },
    io,
  );
  return {
    plan,
    inputs,
    repeat: (to) =>
      repeatCommand(
        options,
        plan,
        strategies.map((each) => each.config),
        { from: inputs.period.from, to },
      ),
    name: [
      ...strategies.map(({ config: of }) => of.id),
      ...markets.map(({ instrument }) => instrument.symbol),
    ].join('-'),
    origin: sources.length === 1 ? source.origin : (options.data ?? source.origin),
    warnings: [
      ...sources.flatMap((each) => each.warnings),
      ...markets.flatMap((each) => each.warnings),
      ...(funding?.warnings ?? []),
      ...modelWarnings(options),
    ],
  };
}

/** A strategy of the run, with the options applied. */
export interface PlannedStrategy {
  readonly config: StrategyConfig;
  readonly selected: SelectedStrategy;
  /** As the configuration has it. */
  readonly configured: StrategyConfig | undefined;
}

interface StrategyPlanning {
  readonly options: BacktestOptions;
  readonly config: SluiceConfig | undefined;
  readonly heartbeat: Heartbeat;
}

/** The candles of a strategy. */
interface StrategyMarkets {
  readonly base: Interval;
  readonly symbols: readonly string[];
}

async function planStrategy(
  configured: StrategyConfig | undefined,
  markets: StrategyMarkets,
  { options, config, heartbeat }: StrategyPlanning,
): Promise<PlannedStrategy> {
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.load;
  const selected = await selectStrategy(options, config, configured);
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.own;
  rejectUnavailableStreams(selected.definition, options);
  const own = strategyConfigOf(options, configured, markets, selected);
  checkStop(own);
  return { config: own, selected, configured };
}

function checkLeverage(
  { config: strategy, configured }: PlannedStrategy,
  markets: readonly BacktestMarket[],
  config: SluiceConfig | undefined,
): void {
  for (const { instrument } of markets)
    if (strategy.symbols.includes(instrument.symbol))
      checkBacktestLeverage(strategy, instrument, config, configured);
}

function strategyConfigOf(
  options: BacktestOptions,
  configured: StrategyConfig | undefined,
  { base, symbols }: StrategyMarkets,
  { use, given, definition }: SelectedStrategy,
): StrategyConfig {
  return {
    id: configured?.id ?? definition.name,
    use,
    symbols,
    interval: options.interval ?? configured?.interval ?? base,
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

/** Reads the candles of every symbol of the strategies; all must have one interval. */
async function readAll(
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

/** The strategies to run; one without a configuration where no configuration has it. @throws UsageError */
function configuredStrategies(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
): readonly (StrategyConfig | undefined)[] {
  const chosen = (config?.strategies ?? []).filter(
    (strategy) =>
      options.strategy === undefined ||
      strategy.id === options.strategy ||
      strategy.use === options.strategy,
  );
  if (chosen.length <= 1) return [chosen[0]];
  const given = STRATEGY_OPTIONS.filter((name) => options[name] !== undefined).map(String);
  if (Object.keys(options.params).length > 0) given.push('param');
  if (given.length > 0) {
    throw new UsageError(
      `--${given.join(', --')}: ${config?.path ?? ''} has ${chosen.length} strategies; name one with --strategy ${chosen.map(({ id }) => id).join('|')}, or set the keys in the file`,
    );
  }
  return chosen;
}

/** Options that replace a key of one strategy. */
const STRATEGY_OPTIONS = ['symbol', 'interval', 'size', 'leverage'] as const;

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
