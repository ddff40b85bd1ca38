import { numberFromFixed, textFromFixed } from '../../core/fixed/fixed.js';
import type { Interval } from '../../core/interval.js';
import type { StrategyInstance } from '../../engine/engine.js';
import { manualTrading, type ManualSymbol } from '../../engine/operator/manual-trading.js';
import { TruncatedAdapter } from '../../strategy/adapter/truncated-adapter.js';
import type { StrategyDefinition } from '../../strategy/contract/definition.js';
import { createHost, type StrategyHost } from '../../strategy/host/host.js';
import { createAdapter } from '../../strategy/adapter/create-adapter.js';
import type {
  AdapterOpener,
  HostSettings,
  HostObserver,
} from '../../strategy/host/strategy-host.js';
import {
  DEFAULT_TAKER_FEE,
  type TradeCosts,
} from '../../strategy/target/size/affordable-notional.js';
import {
  WorkerStrategyProxy,
  type WorkerFailure,
} from '../../strategy/isolation/worker-strategy-proxy.js';
import type { StrategyPort } from '../../strategy/contract/strategy-port.js';
import { LIVE_BASE } from '../bot/live-base.js';
import type { SluiceConfig } from '../../config/config.js';
import type { StrategyConfig } from '../../config/config-strategy.js';
import type { StrategyThread } from '../../strategy/isolation/strategy-thread.js';

/** A configured strategy with its loaded code and checked parameters. */
export interface LoadedStrategy {
  readonly config: StrategyConfig;
  readonly definition: StrategyDefinition;
  readonly params: unknown;
  /** Base interval from which its candles are aggregated. Default: 1m. */
  readonly base?: Interval;
  /** Default: the usual taker fee and no slippage. */
  readonly costs?: Pick<TradeCosts, 'takerFee' | 'slippage'>;
}

/** A configured strategy whose code runs on a thread of its own. */
export interface ThreadedStrategy {
  readonly config: StrategyConfig;
  readonly thread: StrategyThread;
  /** As in `start-strategy`; absent: since the start of the session. */
  readonly run?: number;
}

/** Strategies of an engine, the same in a live run and in its replay. */
export interface StrategyInstanceInputs {
  readonly config: Pick<SluiceConfig, 'venue'>;
  readonly strategies: readonly (LoadedStrategy | ThreadedStrategy)[];
  /** An operator's session; `desk` is the symbol that it trades, if any. No strategy runs in it. */
  readonly operator?: { readonly desk?: ManualSymbol };
  /** Observes a replay for its explanation. */
  readonly observer?: HostObserver;
  /** Called when a strategy no longer answers; the engine's event follows. */
  readonly onFailed?: (strategy: ThreadedStrategy, failure: WorkerFailure) => void;
  /** In a replay: the first call that a strategy did not answer. */
  readonly stopAtCalls?: ReadonlyMap<string, number>;
}

export function strategyInstancesOf({
  config,
  strategies,
  operator,
  ...inputs
}: StrategyInstanceInputs): readonly StrategyInstance[] {
  if (operator !== undefined)
    return operator.desk === undefined ? [] : [manualTrading(operator.desk)];
  const usdtRate = usdtPerUnit(config.venue);
  return strategies.map((strategy) =>
    'thread' in strategy
      ? workerInstance(strategy, inputs, usdtRate)
      : strategyInstanceOf(
          strategy,
          usdtRate,
          inputs.observer,
          inputs.stopAtCalls?.get(strategy.config.id),
        ),
  );
}

/** USDT per unit of the wallet, for sizes: an INR wallet counts at its rate less the haircut. */
export const usdtPerUnit = ({
  tradeCurrency,
  inrRate,
}: Pick<SluiceConfig['venue'], 'tradeCurrency' | 'inrRate'>): number | undefined =>
  tradeCurrency === 'INR' && inrRate !== undefined
    ? 1 / (numberFromFixed(inrRate.value) * (1 + inrRate.haircutPct / 100))
    : undefined;

/** Environment of a strategy, wherever its code runs. */
interface InstanceSettings {
  readonly base: Interval;
  /** USDT per unit of a wallet that is not in USDT. */
  readonly usdtRate: number | undefined;
  readonly costs?: LoadedStrategy['costs'];
  readonly observer: HostObserver | undefined;
}

/**
 * @param usdtRate USDT per unit of a wallet that is not in USDT
 * @param stopAtCall the first call of it that is not made, from 1
 */
export function strategyInstanceOf(
  { config, definition, params, base = LIVE_BASE, costs }: LoadedStrategy,
  usdtRate?: number,
  observer?: HostObserver,
  stopAtCall?: number,
): StrategyInstance {
  const instanceSettings = { base, usdtRate, observer, ...(costs !== undefined && { costs }) };
  const openTruncated: AdapterOpener = (settings, outbox, ends) =>
    new TruncatedAdapter(
      createAdapter({ ...settings, definition, params }, outbox, ends),
      stopAtCall ?? Infinity,
    );
  return createInstance(config, instanceSettings, (settings) =>
    createHost({
      ...settings,
      definition,
      params,
      ...(stopAtCall !== undefined && { openAdapter: openTruncated }),
    }),
  );
}

function workerInstance(
  strategy: ThreadedStrategy,
  {
    observer,
    onFailed = throwUnhandledFailure,
  }: Pick<StrategyInstanceInputs, 'observer' | 'onFailed'>,
  usdtRate: number | undefined,
): StrategyInstance {
  const { config, thread } = strategy;
  const budgets = { makeMs: INIT_TIMEOUT_MS, hookMs: config.hookTimeoutMs ?? HOOK_TIMEOUT_MS };
  const openAdapter: AdapterOpener = (settings, intentSink, streamEnd) =>
    new WorkerStrategyProxy({
      ...{ settings, intentSink, streamEnd, budgets },
      channel: thread.channel,
      onFailed: (failure) => {
        onFailed(strategy, failure);
      },
    });
  return createInstance(config, { base: LIVE_BASE, usdtRate, observer }, (settings) =>
    createHost({ ...settings, definition: thread.metadata, openAdapter }),
  );
}

/** Real ms for the creation of a strategy, which may read files and compile. */
const INIT_TIMEOUT_MS = 30_000;
/** Real ms for a call: long enough to compute, short for everything that waits for it. */
const HOOK_TIMEOUT_MS = 2_000;

const throwUnhandledFailure = ({ config }: ThreadedStrategy, { reason }: WorkerFailure): never => {
  throw new Error(`no handler for the failure of strategy ${config.id}: ${reason}`);
};

const NO_SLIPPAGE = { takerFee: DEFAULT_TAKER_FEE, slippage: 0 } as const;

const createInstance = (
  config: StrategyConfig,
  { base, usdtRate, observer, costs = NO_SLIPPAGE }: InstanceSettings,
  create: (settings: HostSettings) => StrategyHost,
): StrategyInstance => ({
  id: config.id,
  symbols: config.symbols,
  interval: config.interval,
  leverage: config.leverage,
  create: (port: StrategyPort) =>
    create({
      id: config.id,
      symbols: config.symbols,
      interval: config.interval,
      base,
      size: config.size,
      protection: config.protect,
      entry: config.entry,
      leverage: textFromFixed(config.leverage),
      source: config.use,
      costs: { leverage: numberFromFixed(config.leverage), ...costs },
      ...(config.onError !== undefined && { onError: config.onError }),
      ...(config.apply !== undefined && { apply: config.apply }),
      port,
      ...(usdtRate !== undefined && { usdtPerUnit: () => usdtRate }),
      ...(observer !== undefined && { observer }),
    }),
});
