import { readCandles, type CandleSource } from '../backtest/candle-source.js';
import { readFunding, type FundingSource, type FundingWish } from '../backtest/funding-source.js';
import type { BacktestMarket, BacktestPlan } from '../backtest/plan.js';
import { noPulse, PHASE, PULSE } from '../backtest/pulse.js';
import { fixed, fixedFromText, numberFromFixed, SCALE, type Amount } from '../core/fixed.js';
import type { Instrument } from '../core/instrument.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import { createGate } from '../risk/gate.js';
import { riskSchema, type RiskSettings } from '../risk/risk-config.js';
import type { StrategyDefinition } from '../strategy/definition.js';
import { describeInstrument } from './backtest-instrument.js';
import { chosenStrategy } from './backtest-strategy.js';
import type { BacktestOptions, Io } from './command-options.js';
import { loadConfig, type SluiceConfig, type StrategyConfig } from './config.js';
import { ConfigError, UsageError } from './failure.js';
import { leverageFault } from './listed-symbols.js';
import { seatOf } from './seats.js';
import { readBlock } from './yaml-block.js';

export interface PlannedBacktest {
  readonly plan: BacktestPlan;
  /** Of the run's folder. */
  readonly name: string;
  readonly origin: string;
  readonly warnings: readonly string[];
}

const DEFAULTS = {
  cash: '10000',
  takerFee: '0.00059',
  makerFee: '0.00023',
  notional: 1_000,
  hedgeRate: '90',
} as const;

/** Options over config over defaults. @throws UsageError, ConfigError, CandleFileError, … */
export async function planBacktest(
  options: BacktestOptions,
  io: Io,
  pulse = noPulse(),
): Promise<PlannedBacktest> {
  refuseWhatIsNotThere(options);
  checkRange(options);
  const config =
    options.config === undefined
      ? undefined
      : await loadConfig(options.config, io.files, 'backtest');
  const configured = strategyOf(options, config);
  const interval = options.interval ?? configured?.interval;
  const symbols = options.symbol?.split(',') ?? configured?.symbols ?? [undefined];
  const sources = await readAll(symbols, interval, options, io);
  const [source] = sources;
  pulse[PULSE.phase] = PHASE.load;
  const { use, given, definition, params } = await chosenStrategy(options, config, configured);
  pulse[PULSE.phase] = PHASE.own;
  refuseStreams(definition, options);
  const strategy: StrategyConfig = {
    id: configured?.id ?? definition.name,
    use,
    symbols: sources.map((each) => each.symbol),
    interval: interval ?? source.base,
    leverage: decimal<'ratio'>(options.leverage, configured?.leverage ?? fixed<'ratio'>(SCALE)),
    size: options.size ?? configured?.size ?? { kind: 'notional', notional: DEFAULTS.notional },
    protect: configured?.protect ?? {},
    entry: configured?.entry ?? { kind: 'market' },
    params: given,
    ...(configured?.onError !== undefined && { onError: configured.onError }),
  };
  const markets = await Promise.all(sources.map((each) => marketOf(each, options, io)));
  const [market, ...others] = markets as [PlannedMarket, ...PlannedMarket[]];
  const funding = await fundingOf(options, markets, source.base, io);
  for (const { instrument } of markets) checkLeverage(strategy, instrument, config, configured);
  checkStop(strategy);
  const takerFeeRate = decimal<'ratio'>(options.takerFee, fixedFromText(DEFAULTS.takerFee));
  const slippageBps = typeof options.slippage === 'object' ? options.slippage.bps : 0;
  const costs = { takerFee: numberFromFixed(takerFeeRate), slippage: slippageBps / 10_000 };
  const plan: BacktestPlan = {
    seat: seatOf({ config: strategy, definition, params, base: source.base, costs }),
    instrument: market.instrument,
    maintenanceRate: market.maintenanceRate,
    base: source.base,
    columns: market.columns,
    ...(others.length > 0 && { others }),
    ...(funding !== undefined && { funding: funding.rates }),
    currency: options.currency ?? config?.venue.tradeCurrency ?? 'USDT',
    cash: decimal<'USDT'>(options.cash, fixedFromText(DEFAULTS.cash)) as Amount,
    hedgeRate: config?.venue.inrRate?.value ?? fixedFromText(DEFAULTS.hedgeRate),
    takerFeeRate,
    makerFeeRate: decimal<'ratio'>(options.makerFee, fixedFromText(DEFAULTS.makerFee)),
    slippageBps,
    limitFill: options.fill ?? 'through',
    intrabar: options.intrabar ?? 'pessimistic',
    gate: createGate(await settingsOf(options, config, io)),
    pulse,
    trails: strategy.protect.trailingPct !== undefined,
  };
  return {
    plan,
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

type Sources = readonly [CandleSource, ...CandleSource[]];

/** The candles of every symbol, of one interval. */
async function readAll(
  symbols: readonly (string | undefined)[],
  interval: Interval | undefined,
  options: BacktestOptions,
  io: Io,
): Promise<Sources> {
  const sources: CandleSource[] = [];
  for (const symbol of symbols) {
    const wish = {
      ...(options.data !== undefined && { data: options.data }),
      ...(symbol !== undefined && { symbol }),
      ...(interval !== undefined && { interval }),
      ...(options.fromMs !== undefined && { fromMs: options.fromMs }),
      ...(options.toMs !== undefined && { toMs: options.toMs }),
    };
    sources.push(await readCandles(wish, io.files));
  }
  const files = new Set(sources.map(({ origin }) => origin));
  if (options.data !== undefined && files.size < sources.length) {
    throw new UsageError(
      `--data ${options.data} is the candles of one symbol, and there are ${sources.length} (${symbols.join(', ')}): ` +
        'give a folder with a file for each, or one of them with --symbol',
    );
  }
  const bases = new Set(sources.map(({ base }) => base));
  if (bases.size > 1) {
    throw new UsageError(
      `the candles are of different intervals (${[...bases].join(', ')}); give data of one`,
    );
  }
  return sources as readonly CandleSource[] as Sources;
}

interface PlannedMarket extends BacktestMarket {
  readonly warnings: readonly string[];
}

async function marketOf(
  { symbol, columns }: CandleSource,
  options: BacktestOptions,
  io: Io,
): Promise<PlannedMarket> {
  return { ...(await describeInstrument(options.instrument, symbol, io.files)), columns };
}

/** What the command line may ask for and this version cannot do is said, not passed over. */
function refuseWhatIsNotThere(options: BacktestOptions): void {
  if (options.mark !== undefined) {
    throw new UsageError('--mark: a mark price apart from the last price is not simulated yet');
  }
  if (options.journal) {
    throw new UsageError('--journal: a backtest writes no journal yet; leave it out');
  }
}

/** A strategy that waits for what never comes would look like one that does not trade. */
function refuseStreams(
  { name, streams = [] }: StrategyDefinition,
  { funding }: BacktestOptions,
): void {
  const others = streams.filter((stream) => stream !== 'funding');
  if (others.length > 0) {
    throw new UsageError(
      `strategy ${name} asks for ${others.join(', ')}: a backtest has candles of trades only, ` +
        'no one-second and no mark data; run it against a sandbox instead (sluice run)',
    );
  }
  if (streams.length === 0 || wishOf(funding) !== undefined) return;
  throw new UsageError(
    `strategy ${name} asks for funding: say which with --funding FILE|FOLDER|RATE ` +
      '(settled rates, files named like btcusdt-funding-2025.csv.gz)',
  );
}

const wishOf = (funding: BacktestOptions['funding']): FundingWish | undefined =>
  funding?.kind === 'rate' || funding?.kind === 'file' ? funding : undefined;

/** What is exchanged and told; undefined: none. */
async function fundingOf(
  { funding }: BacktestOptions,
  markets: readonly BacktestMarket[],
  base: Interval,
  io: Io,
): Promise<FundingSource | undefined> {
  const wish = wishOf(funding);
  if (wish === undefined) return undefined;
  const ranges = markets.map(({ instrument: { symbol }, columns }) => ({
    symbol,
    fromMs: columns.openTime[0] as number,
    toMs: closeTimeOf(base, columns.openTime[columns.length - 1] as number),
  }));
  return readFunding(wish, ranges, io.files);
}

/** Before any data is read. */
function checkRange({ fromMs, toMs }: BacktestOptions): void {
  if (fromMs === undefined || toMs === undefined || fromMs < toMs) return;
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  throw new UsageError(`--from ${from} is not before --to ${to}: the range is empty`);
}

/** What the exchange would refuse at the first candle. */
function checkLeverage(
  { leverage }: StrategyConfig,
  instrument: Instrument,
  config: SluiceConfig | undefined,
  configured: StrategyConfig | undefined,
): void {
  const fault = leverageFault(leverage, instrument);
  if (fault === undefined) return;
  if (config === undefined || leverage !== configured?.leverage) {
    throw new UsageError(`--leverage: ${fault}`);
  }
  const index = config.strategies.indexOf(configured);
  const where = config.where(['strategies', index, 'leverage']);
  throw new ConfigError([`${where} strategies[${index}].leverage: ${fault}`]);
}

function checkStop({ size, protect }: StrategyConfig): void {
  if (size.kind !== 'risk-pct' || (protect.stopLossPct ?? protect.trailingPct) !== undefined)
    return;
  throw new UsageError(
    '--size risk_pct counts the risk to the stop: give a --config file with protect: { stop_loss_pct: … }',
  );
}

function modelWarnings(options: BacktestOptions): readonly string[] {
  const warnings: string[] = [];
  if (options.slippage === undefined || options.slippage === 'auto') {
    warnings.push(
      'slippage is counted as 0: there is no model for it yet (--slippage BPS sets one)',
    );
  }
  if (options.funding === undefined || options.funding.kind === 'auto') {
    warnings.push(
      'funding is left out: --funding FILE|FOLDER|RATE counts it (none says that it is meant so)',
    );
  }
  return warnings;
}

function strategyOf(
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

async function settingsOf(
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
