import type { FundingRequest } from '../../../backtest/data/funding-loader.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
import { ConfigError, UsageError } from '../../../core/command-errors.js';
import type { Instrument } from '../../../core/instrument.js';
import { leverageFault } from '../../../live/checks/listed-symbols.js';
import type { StrategyDefinition } from '../../../strategy/contract/definition.js';
import type { BacktestOptions } from './backtest-options.js';

/** Checks of the options and the strategy of a backtest. */

/** Runs before any data is read. @throws UsageError for an empty range */
export function checkRange({ fromMs, toMs }: BacktestOptions): void {
  if (fromMs === undefined || toMs === undefined || fromMs < toMs) return;
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  throw new UsageError(`--from ${from} is not before --to ${to}: the range is empty`);
}

/** @throws UsageError for a time outside of the data */
export function checkHoldout(
  { holdout }: BacktestOptions,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  if (holdout === undefined || (holdout > Date.parse(from) && holdout < Date.parse(to))) return;
  const at = new Date(holdout).toISOString();
  throw new UsageError(`--holdout ${at} is not within the data, which runs from ${from} to ${to}`);
}

/** Without its stream a strategy would only look as if it does not trade. @throws UsageError */
export function rejectUnavailableStreams(
  { name, streams = [] }: StrategyDefinition,
  { funding }: BacktestOptions,
): void {
  const others = streams.filter((stream) => stream !== 'funding');
  if (others.length > 0) {
    throw new UsageError(
      `strategy ${name} needs ${others.join(', ')}: a backtest has candles of trades only, ` +
        'no one-second and no mark data; run it on a sandbox instead (sluice run)',
    );
  }
  if (streams.length === 0 || fundingRequestOf(funding) !== undefined) return;
  throw new UsageError(
    `strategy ${name} needs funding: add --funding FILE|FOLDER|RATE ` +
      '(settled rates, files named like btcusdt-funding-2025.csv.gz)',
  );
}

export const fundingRequestOf = (
  funding: BacktestOptions['funding'],
): FundingRequest | undefined =>
  funding === undefined || funding.kind === 'auto' || funding.kind === 'none' ? undefined : funding;

/** The exchange would reject such a leverage at the first candle. @throws UsageError, ConfigError */
export function checkBacktestLeverage(
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
  const where = config.locate(['strategies', index, 'leverage']);
  throw new ConfigError([`${where} strategies[${index}].leverage: ${fault}`]);
}

export function checkStop({ size, protect }: StrategyConfig): void {
  if (size.kind !== 'risk-pct' || (protect.stopLossPct ?? protect.trailingPct) !== undefined)
    return;
  throw new UsageError(
    '--size risk_pct counts the risk to the stop: give a --config file with protect: { stop_loss_pct: … }',
  );
}

/** Warnings about effects that the model of this version leaves out. */
export function modelWarnings(options: BacktestOptions): readonly string[] {
  const warnings: string[] = [];
  if (options.funding === undefined || options.funding.kind === 'auto') {
    warnings.push(
      'funding is left out: --funding FILE|FOLDER|RATE counts it (--funding none silences this)',
    );
  }
  return warnings;
}
