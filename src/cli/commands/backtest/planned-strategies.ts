import { PHASE, HEARTBEAT_CELL, type Heartbeat } from '../../../backtest/heartbeat.js';
import type { BacktestMarket } from '../../../backtest/plan.js';
import type { SluiceConfig } from '../../../config/config.js';
import type { StrategyConfig } from '../../../config/config-strategy.js';
import { UsageError } from '../../../core/command-errors.js';
import { fixedFromText, ONE, times, type Ratio } from '../../../core/fixed/fixed.js';
import type { Interval } from '../../../core/interval.js';
import type { Size } from '../../../strategy/target/size/sizing.js';
import { checkBacktestLeverage, checkStop, rejectUnavailableStreams } from './backtest-checks.js';
import type { BacktestOptions } from './backtest-options.js';
import { selectStrategy, type SelectedStrategy } from './strategy-selection.js';

const DEFAULT_SIZE: Size = { kind: 'notional', notional: 1_000 };

/** The strategies to run; one without a configuration where no configuration has it. @throws UsageError */
export function configuredStrategies(
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
  readonly sizeFactor: number | undefined;
}

/** The candles of a strategy. */
interface StrategyMarkets {
  readonly base: Interval;
  readonly symbols: readonly string[];
}

export async function planStrategy(
  configured: StrategyConfig | undefined,
  markets: StrategyMarkets,
  { options, config, heartbeat, sizeFactor = 1 }: StrategyPlanning,
): Promise<PlannedStrategy> {
  const selected = await selectStrategy(options, config, configured, () => {
    heartbeat[HEARTBEAT_CELL.phase] = PHASE.load;
  });
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.own;
  rejectUnavailableStreams(selected.definition, options);
  const own = strategyConfigOf(options, configured, markets, selected);
  checkStop(own);
  const scaled = { ...own, size: scaledSize(own.size, sizeFactor) };
  return { config: scaled, selected, configured };
}

export function checkStrategyLeverage(
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
    leverage: leverageOf(options, configured),
    size: options.size ?? configured?.size ?? DEFAULT_SIZE,
    protect: configured?.protect ?? {},
    entry: configured?.entry ?? { kind: 'market' },
    params: given,
    ...(configured?.onError !== undefined && { onError: configured.onError }),
  };
}

const leverageOf = (
  { leverage }: BacktestOptions,
  configured: StrategyConfig | undefined,
): Ratio =>
  leverage === undefined ? (configured?.leverage ?? ONE) : fixedFromText<'ratio'>(leverage);

/** Sizes in per cent follow the equity by themselves. */
function scaledSize(size: Size, factor: number): Size {
  if (size.kind === 'quantity') return { ...size, quantity: times(size.quantity, factor) };
  return size.kind === 'notional' ? { ...size, notional: size.notional * factor } : size;
}
