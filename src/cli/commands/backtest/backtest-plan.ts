import { BUNDLED_SEED } from '../../../backtest/data/candle-loader.js';
import { unwatchedHeartbeat, type Heartbeat } from '../../../backtest/heartbeat.js';
import type { BacktestPlan } from '../../../backtest/plan.js';
import { readHedgeRates } from '../../../backtest/data/hedge-rates.js';
import { recordFiles } from '../../../backtest/data/recorded-files.js';
import { AUTO_SLIPPAGE, slippageAllowance } from '../../../backtest/slippage.js';
import { candleCacheOf } from '../../../catalog/cache/candle-cache.js';
import { loadConfig, type SluiceConfig } from '../../../config/config.js';
import { DEFAULT_HAIRCUT_PCT } from '../../../config/config-schema.js';
import type { Files } from '../../../core/ports.js';
import { UsageError } from '../../../core/command-errors.js';
import { readBlock } from '../../../config/yaml-block.js';
import {
  fixedFromText,
  numberFromFixed,
  type Amount,
  type Fixed,
} from '../../../core/fixed/fixed.js';
import type { HostObserver } from '../../../strategy/host/strategy-host.js';
import { strategyInstanceOf, usdtPerUnit } from '../../../live/strategies/strategy-instances.js';
import type { RunInputs } from '../../../report/run/inputs-schema.js';
import { createGate } from '../../../risk/gate.js';
import { riskSchema, type RiskSettings } from '../../../risk/limits/risk-config.js';
import type { Io } from '../../command-io.js';
import { checkHoldout, checkRange, modelWarnings } from './backtest-checks.js';
import { inputsOf } from './backtest-inputs.js';
import type { BacktestOptions } from './backtest-options.js';
import { loadFunding, marketOf, readAll, type PlannedMarket } from './planned-markets.js';
import {
  checkStrategyLeverage,
  configuredStrategies,
  planStrategy,
  type PlannedStrategy,
} from './planned-strategies.js';
import { chooseData } from './chosen-data.js';
import { repeatCommand } from './repeat-command.js';

export interface PlannedBacktest {
  readonly plan: BacktestPlan;
  /** Part of the name of the run's folder. */
  readonly name: string;
  readonly origin: string;
  readonly warnings: readonly string[];
  /** Faults of the cache of candles, for `--verbose`. */
  readonly cacheNotes: readonly string[];
  readonly inputs: RunInputs;
  /** The command that repeats the run up to a time, ISO 8601. */
  readonly repeat: (to: string) => string;
}

const DEFAULTS = {
  cash: '10000',
  takerFee: '0.00059',
  makerFee: '0.00023',
  hedgeRate: '90',
} as const;

/** The circumstances of a run that no input of it names. */
export interface PlanContext {
  readonly heartbeat?: Heartbeat;
  /** Observes the strategy of an id. */
  readonly observerOf?: (id: string) => HostObserver;
  /** Sizes of a fixed quantity or value are this many times as large. Default: 1. */
  readonly sizeFactor?: number;
}

/** Options override the configuration, which overrides the defaults. @throws UsageError, ConfigError, CandleFileError */
export async function planBacktest(
  given: BacktestOptions,
  process: Io,
  { heartbeat = unwatchedHeartbeat(), observerOf, sizeFactor }: PlanContext = {},
): Promise<PlannedBacktest> {
  const cache = given.cache === false ? undefined : candleCacheOf(process);
  const files = recordFiles(process.files, cache);
  const io: Io = { ...process, files };
  checkRange(given);
  const { options, catalog } = await chooseData(given, io, process.files);
  const config =
    options.config === undefined
      ? undefined
      : await loadConfig(options.config, io.files, 'backtest');
  const configured = configuredStrategies(options, config);
  const sources = await readAll(configured, options, io, catalog);
  const [source] = sources;
  const seed = options.data === undefined && catalog === undefined ? BUNDLED_SEED : null;
  const strategies: PlannedStrategy[] = [];
  for (const each of configured) {
    // Alone it runs on all symbols: `--symbol` replaces those of the configuration.
    const own = configured.length === 1 ? undefined : each?.symbols;
    const of = { base: source.base, symbols: own ?? sources.map(({ symbol }) => symbol) };
    strategies.push(await planStrategy(each, of, { options, config, heartbeat, sizeFactor }));
  }
  const markets = await Promise.all(sources.map((each) => marketOf(each, options, io, catalog)));
  const [market, ...others] = markets as [PlannedMarket, ...PlannedMarket[]];
  const funding = await loadFunding(options, markets, source.base, io);
  for (const each of strategies) checkStrategyLeverage(each, markets, config);
  const start = Math.min(...markets.map(({ columns }) => columns.openTime[0] as number));
  const model = await modelOf(options, config, start, files);
  const costs = costsOf(model);
  const usdtRate = usdtRateOf(model, config);
  const risk = await riskSettingsOf(options, config, io);
  const plan: BacktestPlan = {
    ...model,
    strategies: strategies.map(({ config: of, selected: { definition, params } }) =>
      strategyInstanceOf(
        { config: of, definition, params, base: source.base, costs },
        usdtRate,
        observerOf?.(of.id),
      ),
    ),
    instrument: market.instrument,
    maintenanceRate: market.maintenanceRate,
    base: source.base,
    columns: market.columns,
    ...(market.missing !== undefined && { missing: market.missing }),
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
  checkHoldout(options, inputs.period);
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
    cacheNotes: cache?.notes ?? [],
    origin: sources.length === 1 ? source.origin : (options.data ?? source.origin),
    warnings: [
      ...sources.flatMap((each) => each.warnings),
      ...markets.flatMap((each) => each.warnings),
      ...(funding?.warnings ?? []),
      ...modelWarnings(options),
    ],
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
  | 'latencyMs'
  | 'maxVolumeShare'
  | 'rebates'
  | 'hedgeRates'
>;

/** The wallet, the costs and the fill rules. */
async function modelOf(
  options: BacktestOptions,
  config: SluiceConfig | undefined,
  startMs: number,
  files: Files,
): Promise<SimulationModel> {
  const { inrRate, latency = 0, maxVolumeShare, rebates } = options;
  const currency = options.currency ?? config?.venue.tradeCurrency ?? 'USDT';
  if (inrRate !== undefined && currency === 'USDT')
    throw new UsageError('--inr-rate: the wallet is in USDT; add --currency INR');
  const hedgeRates =
    inrRate?.kind === 'file' ? await readHedgeRates(inrRate.path, startMs, files) : undefined;
  const fixedRate = inrRate?.kind === 'rate' ? fixedFromText<'ratio'>(inrRate.rate) : undefined;
  return {
    currency,
    cash: decimal<'USDT'>(options.cash, fixedFromText(DEFAULTS.cash)) as Amount,
    hedgeRate:
      hedgeRates?.[0]?.rate ??
      fixedRate ??
      config?.venue.inrRate?.value ??
      fixedFromText(DEFAULTS.hedgeRate),
    takerFeeRate: decimal<'ratio'>(options.takerFee, fixedFromText(DEFAULTS.takerFee)),
    makerFeeRate: decimal<'ratio'>(options.makerFee, fixedFromText(DEFAULTS.makerFee)),
    slippage: options.slippage ?? AUTO_SLIPPAGE,
    limitFill: options.fill ?? 'through',
    intrabar: options.intrabar ?? 'pessimistic',
    ...(latency > 0 && { latencyMs: latency }),
    ...(maxVolumeShare !== undefined && { maxVolumeShare: Number(maxVolumeShare) / 100 }),
    ...(rebates === 'on' && { rebates: true }),
    ...(hedgeRates !== undefined && { hedgeRates }),
  };
}

/** USDT per unit of the wallet at the first candle, for sizes: the same as in a live run at that rate. */
const usdtRateOf = ({ currency, hedgeRate }: SimulationModel, config: SluiceConfig | undefined) =>
  usdtPerUnit({
    tradeCurrency: currency,
    inrRate: {
      value: hedgeRate,
      haircutPct: config?.venue.inrRate?.haircutPct ?? DEFAULT_HAIRCUT_PCT,
    },
  });

/** Costs of a market order, as shares of its value. */
const costsOf = ({ takerFeeRate, slippage }: SimulationModel) => ({
  takerFee: numberFromFixed(takerFeeRate),
  slippage: slippageAllowance(slippage),
});

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

const decimal = <Unit extends 'USDT' | 'ratio'>(
  text: string | undefined,
  fallback: Fixed<Unit>,
): Fixed<Unit> => (text === undefined ? fallback : fixedFromText<Unit>(text));
