import { numberFromFixed, textFromFixed } from '../core/fixed.js';
import type { Interval } from '../core/interval.js';
import type { StrategySeat } from '../engine/engine.js';
import { operatorSeat, type OperatorDesk } from '../engine/operator/operator-seat.js';
import { CutForm } from '../strategy/form/cut-form.js';
import type { StrategyDefinition } from '../strategy/definition.js';
import { createHost, type StrategyHost } from '../strategy/host/host.js';
import { makeForm } from '../strategy/form/make-form.js';
import type { FormOpener, HostSettings, HostWatch } from '../strategy/host/strategy-host.js';
import { DEFAULT_TAKER_FEE, type TradeCosts } from '../strategy/size/room.js';
import { ThreadForm, type Loss } from '../strategy/thread/thread-form.js';
import type { StrategyWorld } from '../strategy/world.js';
import { LIVE_BASE } from './bot-market.js';
import type { SluiceConfig, StrategyConfig } from './config.js';
import type { StrategyThread } from './thread/strategy-thread.js';

/** A configured strategy with its loaded code and checked parameters. */
export interface LoadedStrategy {
  readonly config: StrategyConfig;
  readonly definition: StrategyDefinition;
  readonly params: unknown;
  /** Interval of the candles that its own are made of. Default: 1m. */
  readonly base?: Interval;
  /** Default: the usual taker fee and no slippage. */
  readonly costs?: Pick<TradeCosts, 'takerFee' | 'slippage'>;
}

/** A configured strategy whose code runs on a thread of its own. */
export interface ThreadedStrategy {
  readonly config: StrategyConfig;
  readonly thread: StrategyThread;
}

/** Who sits in an engine, live and in a replay alike. */
export interface SeatInputs {
  readonly config: Pick<SluiceConfig, 'venue'>;
  readonly strategies: readonly (LoadedStrategy | ThreadedStrategy)[];
  /** A session of a person's own, with the symbol to trade, if any. No strategy runs in it. */
  readonly operator?: { readonly desk?: OperatorDesk };
  /** For whoever explains a replay. */
  readonly watch?: HostWatch;
  /** Told of a strategy that no longer answers: the event of it is to come. */
  readonly lost?: (strategy: ThreadedStrategy, loss: Loss) => void;
  /** In a replay: the first call that a strategy did not answer. */
  readonly cuts?: ReadonlyMap<string, number>;
}

export function seatsOf({
  config,
  strategies,
  operator,
  ...inputs
}: SeatInputs): readonly StrategySeat[] {
  if (operator !== undefined)
    return operator.desk === undefined ? [] : [operatorSeat(operator.desk)];
  const usdtRate = usdtPerUnit(config.venue);
  return strategies.map((strategy) =>
    'thread' in strategy
      ? threadSeat(strategy, inputs, usdtRate)
      : seatOf(strategy, usdtRate, inputs.watch, inputs.cuts?.get(strategy.config.id)),
  );
}

/** What a unit of the wallet is worth in a size: an INR wallet counts at its rate less the haircut. */
export const usdtPerUnit = ({
  tradeCurrency,
  inrRate,
}: SluiceConfig['venue']): number | undefined =>
  tradeCurrency === 'INR' && inrRate !== undefined
    ? 1 / (numberFromFixed(inrRate.value) * (1 + inrRate.haircutPct / 100))
    : undefined;

/** What surrounds a strategy, wherever its code runs. */
interface SeatFacts {
  readonly base: Interval;
  /** USDT per unit of a wallet that is not in USDT. */
  readonly usdtRate: number | undefined;
  readonly costs?: LoadedStrategy['costs'];
  readonly watch: HostWatch | undefined;
}

/**
 * @param usdtRate USDT per unit of a wallet that is not in USDT
 * @param cutAt the first call of it that is not made, from 1
 */
export function seatOf(
  { config, definition, params, base = LIVE_BASE, costs }: LoadedStrategy,
  usdtRate?: number,
  watch?: HostWatch,
  cutAt?: number,
): StrategySeat {
  const facts = { base, usdtRate, watch, ...(costs !== undefined && { costs }) };
  const cut: FormOpener = (settings, outbox, ends) =>
    new CutForm(makeForm({ ...settings, definition, params }, outbox, ends), cutAt ?? Infinity);
  return seatWith(config, facts, (settings) =>
    createHost({
      ...settings,
      definition,
      params,
      ...(cutAt !== undefined && { openForm: cut }),
    }),
  );
}

function threadSeat(
  strategy: ThreadedStrategy,
  { watch, lost = unheard }: Pick<SeatInputs, 'watch' | 'lost'>,
  usdtRate: number | undefined,
): StrategySeat {
  const { config, thread } = strategy;
  const budgets = { makeMs: MAKE_MS, hookMs: config.hookTimeoutMs ?? HOOK_MS };
  const openForm: FormOpener = (settings, outbox, ends) =>
    new ThreadForm({
      ...{ settings, outbox, ends, budgets },
      line: thread.line,
      lost: (loss) => {
        lost(strategy, loss);
      },
    });
  return seatWith(config, { base: LIVE_BASE, usdtRate, watch }, (settings) =>
    createHost({ ...settings, definition: thread.face, openForm }),
  );
}

/** Real ms for a strategy to be made, which may read files and compile. */
const MAKE_MS = 30_000;
/** Real ms for a call: long for what computes, short for what waits for it. */
const HOOK_MS = 2_000;

const unheard = ({ config }: ThreadedStrategy, { reason }: Loss): never => {
  throw new Error(`nobody hears that ${config.id} was lost: ${reason}`);
};

const NO_SLIPPAGE = { takerFee: DEFAULT_TAKER_FEE, slippage: 0 } as const;

const seatWith = (
  config: StrategyConfig,
  { base, usdtRate, watch, costs = NO_SLIPPAGE }: SeatFacts,
  create: (settings: HostSettings) => StrategyHost,
): StrategySeat => ({
  id: config.id,
  symbols: config.symbols,
  interval: config.interval,
  leverage: config.leverage,
  create: (world: StrategyWorld) =>
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
      world,
      ...(usdtRate !== undefined && { usdtPerUnit: () => usdtRate }),
      ...(watch !== undefined && { watch }),
    }),
});
