import { isAbsolute, join, relative } from 'node:path';
import type { FileRead } from '../../../backtest/data/recorded-files.js';
import type { BacktestMarket, BacktestPlan } from '../../../backtest/plan.js';
import { marketsOf } from '../../../backtest/plan.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
import { textFromFixed } from '../../../core/fixed/fixed.js';
import { closeTimeOf } from '../../../core/interval.js';
import type { DataFile, RunInputs } from '../../../report/run/inputs-schema.js';
import { limitsRecord } from '../../../risk/catalog/limits-record.js';
import type { RiskSettings } from '../../../risk/limits/risk-config.js';
import type { EntryStyle } from '../../../strategy/contract/entry-style.js';
import type { Protection } from '../../../strategy/contract/protection.js';
import { limitPolicyOf, type Size } from '../../../strategy/target/size/sizing.js';
import type { Io } from '../../command-io.js';
import { fundingRequestOf } from './backtest-checks.js';
import type { BacktestOptions } from './backtest-options.js';
import type { SelectedStrategy } from './strategy-selection.js';

/** A strategy as it ran. */
interface InputStrategy {
  readonly config: StrategyConfig;
  readonly selected: SelectedStrategy;
}

export interface InputSources {
  readonly options: BacktestOptions;
  readonly plan: BacktestPlan;
  readonly strategies: readonly InputStrategy[];
  readonly risk: RiskSettings;
  readonly reads: Iterable<FileRead>;
  /** Of the synthetic market; null: the candles came from files. */
  readonly seed: number | null;
}

/** Every input of a run, with the defaults. */
export function inputsOf(sources: InputSources, io: Pick<Io, 'version' | 'build'>): RunInputs {
  const { options, plan, strategies, risk, reads, seed } = sources;
  return {
    strategies: strategies.map(strategyInputs),
    period: periodOf(options, plan),
    base_interval: plan.base,
    currency: plan.currency,
    cash: textFromFixed(plan.cash),
    inr_rate: plan.currency === 'INR' ? textFromFixed(plan.hedgeRate) : null,
    taker_fee: textFromFixed(plan.takerFeeRate),
    maker_fee: textFromFixed(plan.makerFeeRate),
    slippage: plan.slippage,
    ...modelInputs(options, plan),
    limit_fill: plan.limitFill,
    intrabar: plan.intrabar,
    funding: fundingInputs(options),
    risk: { preset: risk.preset, limits: limitsRecord(risk, new Set()).limits },
    instruments: marketsOf(plan).map(instrumentInputs),
    data: [...reads].map((read) => dataFile(read, options)),
    seed,
    code: { version: io.version ?? 'unknown', build: io.build ?? null },
  };
}

/** Keys of rules that are off by default: a run without them keeps its hash. */
const modelInputs = (
  { maxVolumeShare, inrRate }: BacktestOptions,
  { latencyMs, rebates }: BacktestPlan,
): Pick<RunInputs, 'latency_ms' | 'max_volume_share_pct' | 'rebates' | 'inr_rates'> => ({
  ...(latencyMs !== undefined && { latency_ms: latencyMs }),
  ...(maxVolumeShare !== undefined && { max_volume_share_pct: maxVolumeShare }),
  ...(rebates === true && { rebates: 'on' }),
  ...(inrRate?.kind === 'file' && { inr_rates: 'file' }),
});

function strategyInputs({
  config,
  selected: { definition, files, params },
}: InputStrategy): RunInputs['strategies'][number] {
  return {
    id: config.id,
    name: definition.name,
    use: config.use,
    files: files.map(({ file, sha256 }) => ({ path: shownPath(file), sha256 })),
    symbols: [...config.symbols],
    interval: config.interval,
    leverage: textFromFixed(config.leverage),
    size: sizeInputs(config.size),
    protect: protectInputs(config.protect),
    entry: entryInputs(config.entry),
    on_error: config.onError ?? null,
    params: plainParams(params),
  };
}

/** Relative to the working directory for a file below it: the folder of a run may go to another machine. */
function shownPath(file: string): string {
  const path = relative('.', file);
  return path.startsWith('..') || isAbsolute(path) ? file : path.replaceAll('\\', '/');
}

/** Parameters as JSON. A value without a form in JSON is shown as text. */
const plainParams = (params: unknown): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(params ?? {}, (_key, value: unknown) =>
      typeof value === 'bigint' || typeof value === 'function' ? String(value) : value,
    ),
  ) as Record<string, unknown>;

function sizeInputs(size: Size): RunInputs['strategies'][number]['size'] {
  const policy = { on_limit: limitPolicyOf(size) };
  switch (size.kind) {
    case 'quantity':
      return { quantity: textFromFixed(size.quantity), ...policy };
    case 'notional':
      return { notional: String(size.notional), ...policy };
    case 'equity-pct':
      return { equity_pct: String(size.percent), ...policy };
    case 'risk-pct':
      return { risk_pct: String(size.percent), ...policy };
    case 'volatility-pct': {
      const { percent, lookback, maxEquityPct } = size;
      const bounds = { lookback, max_equity_pct: String(maxEquityPct) };
      return { volatility_pct: String(percent), ...bounds, ...policy };
    }
  }
}

const protectInputs = (protect: Protection): RunInputs['strategies'][number]['protect'] => ({
  stop_loss_pct: protect.stopLossPct ?? null,
  take_profit_pct: protect.takeProfitPct ?? null,
  trailing_pct: protect.trailingPct ?? null,
  break_even_pct: protect.breakEvenPct ?? null,
  max_hold_ms: protect.maxHoldMs ?? null,
});

const entryInputs = (entry: EntryStyle): RunInputs['strategies'][number]['entry'] =>
  entry.kind === 'market'
    ? 'market'
    : { marketable_limit: { bps: entry.bps, ttl_ms: entry.ttlMs } };

function periodOf({ fromMs, toMs }: BacktestOptions, plan: BacktestPlan): RunInputs['period'] {
  const columns = marketsOf(plan).map((market) => market.columns);
  const first = Math.min(...columns.map(({ openTime }) => openTime[0] as number));
  const last = Math.max(...columns.map(({ openTime, length }) => openTime[length - 1] as number));
  return {
    asked_from: fromMs === undefined ? null : instant(fromMs),
    asked_to: toMs === undefined ? null : instant(toMs),
    from: instant(first),
    to: instant(closeTimeOf(plan.base, last)),
  };
}

const instant = (ms: number): string => new Date(ms).toISOString();

function fundingInputs({ funding }: BacktestOptions): RunInputs['funding'] {
  const request = fundingRequestOf(funding);
  if (request === undefined) return { kind: 'none' };
  return request.kind === 'rate' ? { kind: 'rate', rate: request.rate } : { kind: 'file' };
}

const instrumentInputs = ({
  instrument,
  maintenanceRate,
}: BacktestMarket): RunInputs['instruments'][number] => ({
  symbol: instrument.symbol,
  quantity_step: textFromFixed(instrument.quantityStep),
  min_quantity: textFromFixed(instrument.minQuantity),
  max_quantity: textFromFixed(instrument.maxQuantity),
  max_market_quantity: textFromFixed(instrument.maxMarketQuantity),
  price_step: textFromFixed(instrument.priceStep),
  min_price: textFromFixed(instrument.minPrice),
  max_price: textFromFixed(instrument.maxPrice),
  min_notional: textFromFixed(instrument.minNotional),
  leverage_step: textFromFixed(instrument.leverageStep),
  min_leverage: textFromFixed(instrument.minLeverage),
  max_leverage: textFromFixed(instrument.maxLeverage),
  maintenance_rate: textFromFixed(maintenanceRate),
});

function dataFile({ path, sha256, bytes }: FileRead, options: BacktestOptions): DataFile {
  return { role: roleOf(path, options), path, sha256, bytes };
}

function roleOf(path: string, options: BacktestOptions): DataFile['role'] {
  const { config, risk, instrument, funding, mark, inrRate, catalog } = options;
  if (inrRate?.kind === 'file' && path === inrRate.path) return 'inr-rate';
  if (catalog !== undefined && path.startsWith(join(catalog, 'funding'))) return 'funding';
  if (catalog !== undefined && path.startsWith(join(catalog, 'mark-klines'))) return 'mark';
  if (path === config) return 'config';
  if (path === instrument) return 'instrument';
  if (risk?.kind === 'file' && path === risk.path) return 'risk';
  if (funding?.kind === 'file' && isOf(path, funding.path, 'funding')) return 'funding';
  return mark !== undefined && isOf(path, mark, 'mark') ? 'mark' : 'candles';
}

/** The folder of the candles may hold the other files too. */
const isOf = (path: string, given: string, kind: 'funding' | 'mark'): boolean =>
  path === given || (path.startsWith(`${given}/`) && path.toLowerCase().includes(`-${kind}-`));
