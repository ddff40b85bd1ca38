import { leverageFailureOf } from '../engine/start-failure.js';
import { assert } from '../core/assert.js';
import type { Candle } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import { fixedFromText, numberFromFixed, type Amount } from '../core/fixed/fixed.js';
import { CandleColumns } from '../market/candles/candle-columns.js';
import { statisticsOf, type Statistics } from '../report/statistics/statistics.js';
import { createGate } from '../risk/gate.js';
import { riskSchema } from '../risk/limits/risk-config.js';
import { entrySchema } from '../strategy/contract/entry-style.js';
import { createHost, type HostState, type StrategyHost } from '../strategy/host/host.js';
import type { HostCounts } from '../strategy/target/order-factory.js';
import { parseParams } from '../strategy/contract/params.js';
import { protectionSchema } from '../strategy/contract/protection.js';
import { sizeSchema } from '../strategy/target/size/sizing.js';
import type { HostObserver } from '../strategy/host/strategy-host.js';
import type { StrategyPort } from '../strategy/contract/strategy-port.js';
import { tradesOf } from '../backtest/result.js';
import type { BacktestMarket, BacktestPlan } from '../backtest/plan.js';
import { runBacktest, type BacktestRun } from '../backtest/run.js';
import type { SimulateOptions } from './simulate-options.js';
import { instrumentOf } from './instrument.js';
import { eventLog } from './event-log.js';
import { bySymbol, fundingOf, marketEventsOf } from './streams.js';
import {
  SimulationRecorder,
  type SimulatedEvent,
  type SimulatedFill,
  type SimulatedIntent,
  type SimulatedOrder,
} from './simulation-recorder.js';

/** The result of a simulation. */
export interface Simulation extends Pick<Statistics, 'return_pct' | 'max_drawdown_pct'> {
  /** All events, in order. */
  readonly events: readonly SimulatedEvent[];
  /** Requests of the strategy. */
  readonly intents: readonly SimulatedIntent[];
  /** Orders from the intents, as submitted to the risk gate: sized, rounded and with protection. */
  readonly orders: readonly SimulatedOrder[];
  /** Executions, including those of stops and take profits. */
  readonly fills: readonly SimulatedFill[];
  /** Explanations of the strategy. */
  readonly explanations: readonly string[];
  /** Refusals with their reasons. */
  readonly refusals: readonly string[];
  /** Errors of the strategy, and the reason of its end if it ended. */
  readonly errors: readonly string[];
  /** Signed base units at each close of the first symbol, before the decision on it. */
  readonly positions: readonly number[];
  /** The same for any symbol; empty for one that the simulation lacks. */
  positionsOf(symbol: string): readonly number[];
  /** USDT at each close. */
  readonly equity: readonly number[];
  /** Closed round trips. */
  readonly trades: number;
  /** USDT, paid. */
  readonly fees: number;
  /** USDT, paid; below 0 if more was received. */
  readonly funding: number;
  /** Numbers of decisions, orders, refusals, waits and errors. */
  readonly counts: Readonly<HostCounts>;
  /** `running`, unless the strategy ended itself or was ended by its errors. */
  readonly state: HostState;
  /** All events as lines, for a snapshot. */
  eventLog(): string;
}

/** The wallet's currency. */
const CURRENCY: Currency = 'USDT';
const MAINTENANCE_RATE = '0.01';

/**
 * Runs a strategy over candles, on the engine and the simulated exchange of a backtest. A market order
 * decided at the close of candle i fills at the open of candle i + 1. By default there are no risk limits,
 * fees or slippage. Synchronous and deterministic.
 *
 * @throws StrategyParamsError, StrategyLoadError, RangeError for invalid candles, and Error with the
 *   `file:line` of an error of the strategy
 */
export function simulate(options: SimulateOptions): Simulation {
  const { strategy, onError = 'throw' } = options;
  const recorder = new SimulationRecorder(strategy.name);
  const plan = simulationPlan(options, recorder);
  const run = runBacktest({ ...plan, onExchangeEvent: recorder.onExchangeEvent });
  const { hosts, haltReason } = run.engine;
  const failure = haltReason ?? leverageFailureOf(run.engine);
  if (failure !== undefined) throw new RangeError(`The simulation was halted: ${failure}`);
  const [host] = hosts;
  assert(host !== undefined, 'A simulation has one host');
  const simulation = simulationOf(plan, run, host, recorder);
  const [first] = simulation.errors;
  if (first !== undefined && onError === 'throw') throw new Error(`${strategy.name}: ${first}`);
  host.stop();
  return simulation;
}

/** Observes a simulation. */
export interface SimulationListener {
  wrapPort(port: StrategyPort): StrategyPort;
  wrapHost(host: StrategyHost): StrategyHost;
  readonly observer: HostObserver;
}

/** The backtest plan of a simulation. */
export function simulationPlan(
  options: SimulateOptions,
  listener: SimulationListener,
): BacktestPlan {
  const { candleInterval = '1m', cash = 1_000_000, strategy } = options;
  const [first, ...others] = marketsOf(options);
  assert(first !== undefined, 'A simulation has a symbol');
  const { symbol } = first.instrument;
  const funding = fundingOf(options, symbol);
  return {
    ...first,
    others,
    strategies: [strategyInstanceOf(options, [first, ...others], listener)],
    base: candleInterval,
    marketEvents: marketEventsOf(options, strategy, symbol),
    liveFromMs: liveFrom(first, options.history ?? 0),
    ...(funding !== undefined && { funding }),
    currency: CURRENCY,
    cash: amountOf('cash', cash) as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: amountOf<'ratio'>('takerFee', options.takerFee ?? 0),
    makerFeeRate: amountOf<'ratio'>('makerFee', options.makerFee ?? 0),
    slippage: { kind: 'fixed', bps: options.slippageBps ?? 0 },
    limitFill: 'through',
    intrabar: 'pessimistic',
    hasTrailingStop: options.protect?.trailing_pct !== undefined,
    gate: createGate(riskSchema('backtest').parse({ preset: 'none', symbols_allow: '*' })),
  };
}

function strategyInstanceOf(
  options: SimulateOptions,
  markets: readonly BacktestMarket[],
  listener: SimulationListener,
): BacktestPlan['strategies'][number] {
  const { strategy, candleInterval = '1m', interval = candleInterval } = options;
  const symbols = markets.map(({ instrument }) => instrument.symbol);
  return {
    id: strategy.name,
    symbols,
    interval,
    leverage: amountOf<'ratio'>('leverage', options.leverage ?? 1),
    create: (port) =>
      listener.wrapHost(
        createHost({
          id: strategy.name,
          definition: strategy,
          params: parseParams(strategy, options.params),
          symbols,
          interval,
          base: candleInterval,
          size: sizeSchema.parse(options.size ?? { quantity: '1' }),
          protection: protectionSchema.parse(options.protect ?? {}),
          entry: entrySchema.parse(options.entry ?? 'market'),
          port: listener.wrapPort(port),
          observer: listener.observer,
        }),
      ),
  };
}

function marketsOf({ candles, instruments = {} }: SimulateOptions): readonly BacktestMarket[] {
  const markets = Object.entries(bySymbol(candles, DEFAULT_SYMBOL)).map(([symbol, list]) => {
    checkOrder(symbol, list);
    return {
      instrument: instrumentOf(symbol, instruments[symbol]),
      maintenanceRate: fixedFromText<'ratio'>(MAINTENANCE_RATE),
      columns: CandleColumns.from(list),
    };
  });
  if (markets.length === 0) throw new RangeError('candles: no symbol is given');
  return markets;
}

const DEFAULT_SYMBOL = 'TESTUSDT';

/** Open time of the first live candle. */
function liveFrom({ columns }: BacktestMarket, history: number): number {
  if (!Number.isSafeInteger(history) || history < 0 || history > columns.length)
    throw new RangeError(
      `history: ${history} is not a number of candles from 0 to ${columns.length}`,
    );
  return history === columns.length ? Infinity : (columns.openTime[history] as number);
}

function checkOrder(symbol: string, candles: readonly Candle[]): void {
  if (candles.length === 0) throw new RangeError(`candles: the list of ${symbol} is empty`);
  candles.forEach(({ openTime }, index) => {
    const before = candles[index - 1]?.openTime ?? -Infinity;
    if (openTime <= before)
      throw new RangeError(`candles of ${symbol}: number ${index} does not open after the last`);
  });
}

function simulationOf(
  plan: BacktestPlan,
  run: BacktestRun,
  host: StrategyHost,
  recorder: SimulationRecorder,
): Simulation {
  const { events } = recorder;
  const notes = (level: 'info' | 'warn' | 'error'): readonly string[] =>
    ofKind(events, 'note')
      .filter((note) => note.level === level)
      .map(({ text }) => text);
  const trades = tradesOf(run);
  const startTime = run.times[0] ?? 0;
  const curve = { times: run.times, equity: run.equity, length: run.times.length };
  const { return_pct, max_drawdown_pct } = statisticsOf({
    startEquity: numberFromFixed(plan.cash),
    startTime,
    curve,
    trades,
  });
  return {
    events,
    intents: ofKind(events, 'intent'),
    orders: ofKind(events, 'order'),
    fills: ofKind(events, 'fill'),
    explanations: notes('info'),
    refusals: notes('warn'),
    errors: notes('error'),
    positions: recorder.positionsOf(plan.instrument.symbol),
    positionsOf: (symbol) => recorder.positionsOf(symbol),
    equity: [...run.equity],
    trades: trades.length,
    fees: numberFromFixed(run.totals.fees),
    funding: numberFromFixed(run.totals.funding),
    counts: host.counts,
    state: host.state,
    return_pct,
    max_drawdown_pct,
    eventLog: () => eventLog(events),
  };
}

const ofKind = <Kind extends SimulatedEvent['kind']>(
  events: readonly SimulatedEvent[],
  kind: Kind,
): readonly Extract<SimulatedEvent, { kind: Kind }>[] =>
  events.filter((event): event is Extract<SimulatedEvent, { kind: Kind }> => event.kind === kind);

function amountOf<Unit extends string>(name: string, value: number) {
  try {
    return fixedFromText<Unit>(value.toFixed(8));
  } catch (cause) {
    throw new RangeError(`${name}: ${value} is not a number that can be used`, { cause });
  }
}
