import { leverageFailureOf } from '../engine/start-failure.js';
import { assert } from '../core/assert.js';
import { numberFromFixed } from '../core/fixed/fixed.js';
import { statisticsOf, type Statistics } from '../report/statistics/statistics.js';
import type { HostState, StrategyHost } from '../strategy/host/host.js';
import type { HostCounts } from '../strategy/target/order-factory.js';
import { tradesOf } from '../backtest/result.js';
import type { BacktestPlan } from '../backtest/plan.js';
import { runBacktest, type BacktestRun } from '../backtest/run.js';
import type { SimulateOptions } from './simulate-options.js';
import { eventLog } from './event-log.js';
import { simulationPlan } from './simulation-plan.js';
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
  const startTime = run.times.at(0) ?? 0;
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
