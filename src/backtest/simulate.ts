import { assert } from '../core/assert.js';
import type { Candle } from '../core/candle.js';
import type { Currency } from '../core/currency.js';
import { fixedFromText, numberFromFixed, type Amount } from '../core/fixed.js';
import { CandleColumns } from '../market/candle-columns.js';
import { statisticsOf, type Statistics } from '../report/statistics.js';
import { createGate } from '../risk/gate.js';
import { riskSchema } from '../risk/risk-config.js';
import { entrySchema } from '../strategy/entry.js';
import { createHost, type HostState, type StrategyHost } from '../strategy/host/host.js';
import type { HostCounts } from '../strategy/order-desk.js';
import { parseParams } from '../strategy/params.js';
import { protectionSchema } from '../strategy/protection.js';
import { sizeSchema } from '../strategy/size/sizing.js';
import type { HostWatch } from '../strategy/host/strategy-host.js';
import type { StrategyWorld } from '../strategy/world.js';
import { tradesOf } from './result.js';
import type { BacktestMarket, BacktestPlan } from './plan.js';
import { runBacktest, type BacktestRun } from './run.js';
import type { SimulateOptions } from './simulate-options.js';
import { instrumentOf } from './test-instrument.js';
import { storyOf } from './test-story.js';
import { bySymbol, fundingOf, newsOf } from './test-streams.js';
import {
  TestTape,
  type SimulatedEvent,
  type SimulatedFill,
  type SimulatedIntent,
  type SimulatedOrder,
} from './test-tape.js';

/** What became of a simulation. */
export interface Simulation extends Pick<Statistics, 'return_pct' | 'max_drawdown_pct'> {
  /** Everything below, in the order in which it happened. */
  readonly events: readonly SimulatedEvent[];
  /** What the strategy asked for. */
  readonly intents: readonly SimulatedIntent[];
  /** What became of it: sized, rounded and protected, as given to the gate. */
  readonly orders: readonly SimulatedOrder[];
  /** Executions, of stops and targets too. */
  readonly fills: readonly SimulatedFill[];
  /** What the strategy explained. */
  readonly explanations: readonly string[];
  /** What was refused, and why. */
  readonly refusals: readonly string[];
  /** What it threw, and why it ended if it did. */
  readonly errors: readonly string[];
  /** Signed base units at the close of each candle of the first symbol, before it was decided on. */
  readonly positions: readonly number[];
  /** The same of any symbol; empty for one that is not in the simulation. */
  positionsOf(symbol: string): readonly number[];
  /** USDT at each close. */
  readonly equity: readonly number[];
  /** Closed round trips. */
  readonly trades: number;
  /** USDT, paid. */
  readonly fees: number;
  /** USDT, paid; below 0 where more was received. */
  readonly funding: number;
  /** How often it decided, ordered, was refused, waited and threw. */
  readonly counts: Readonly<HostCounts>;
  /** `running`, unless it ended by itself or by its errors. */
  readonly state: HostState;
  /** All events as lines, for a snapshot. */
  story(): string;
}

/** The wallet's: sizes and sums of tests are in USDT. */
const CURRENCY: Currency = 'USDT';
const MAINTENANCE_RATE = '0.01';

/**
 * Runs a strategy over candles on the engine and the simulated exchange of a backtest: a decision at
 * the close of candle i fills, if it is a market order, at the open of candle i + 1. No risk limits,
 * no fees and no slippage unless told. Synchronous, and the same every time.
 *
 * @throws StrategyParamsError, StrategyLoadError, RangeError for candles that cannot be walked, and
 *   Error with `file:line` of what the strategy threw
 */
export function simulate(options: SimulateOptions): Simulation {
  const { strategy, onError = 'throw' } = options;
  const tape = new TestTape(strategy.name);
  const plan = simulationPlan(options, tape);
  const run = runBacktest({ ...plan, heard: tape.heard });
  const { haltReason, hosts } = run.engine;
  if (haltReason !== undefined) throw new RangeError(`The simulation was halted: ${haltReason}`);
  const [host] = hosts;
  assert(host !== undefined, 'A simulation has one host');
  const simulation = simulationOf(plan, run, host, tape);
  const [first] = simulation.errors;
  if (first !== undefined && onError === 'throw') throw new Error(`${strategy.name}: ${first}`);
  host.stop();
  return simulation;
}

/** Who listens to a simulation. */
export interface SimulationEars {
  over(world: StrategyWorld): StrategyWorld;
  at(host: StrategyHost): StrategyHost;
  readonly watch: HostWatch;
}

/** A backtest of what a simulation is told. */
export function simulationPlan(options: SimulateOptions, tape: SimulationEars): BacktestPlan {
  const { candleInterval = '1m', cash = 1_000_000, strategy } = options;
  const [first, ...others] = marketsOf(options);
  assert(first !== undefined, 'A simulation has a symbol');
  const { symbol } = first.instrument;
  const funding = fundingOf(options, symbol);
  return {
    ...first,
    others,
    seat: seatOf(options, [first, ...others], tape),
    base: candleInterval,
    news: newsOf(options, strategy, symbol),
    liveFromMs: liveFrom(first, options.history ?? 0),
    ...(funding !== undefined && { funding }),
    currency: CURRENCY,
    cash: amountOf('cash', cash) as Amount,
    hedgeRate: fixedFromText('90'),
    takerFeeRate: amountOf<'ratio'>('takerFee', options.takerFee ?? 0),
    makerFeeRate: amountOf<'ratio'>('makerFee', options.makerFee ?? 0),
    slippageBps: options.slippageBps ?? 0,
    limitFill: 'through',
    intrabar: 'pessimistic',
    trails: options.protect?.trailing_pct !== undefined,
    gate: createGate(riskSchema('backtest').parse({ preset: 'none', symbols_allow: '*' })),
  };
}

function seatOf(
  options: SimulateOptions,
  markets: readonly BacktestMarket[],
  tape: SimulationEars,
): BacktestPlan['seat'] {
  const { strategy, candleInterval = '1m', interval = candleInterval } = options;
  const symbols = markets.map(({ instrument }) => instrument.symbol);
  return {
    id: strategy.name,
    symbols,
    interval,
    leverage: amountOf<'ratio'>('leverage', options.leverage ?? 1),
    create: (world) =>
      tape.at(
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
          world: tape.over(world),
          watch: tape.watch,
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
  if (markets.length === 0) throw new RangeError('candles: there is no symbol');
  return markets;
}

const DEFAULT_SYMBOL = 'TESTUSDT';

/** Open time of the first candle to act on. */
function liveFrom({ columns }: BacktestMarket, history: number): number {
  if (!Number.isSafeInteger(history) || history < 0 || history > columns.length)
    throw new RangeError(
      `history: ${history} is not a number of candles from 0 to ${columns.length}`,
    );
  return history === columns.length ? Infinity : (columns.openTime[history] as number);
}

function checkOrder(symbol: string, candles: readonly Candle[]): void {
  if (candles.length === 0) throw new RangeError(`candles: there is none of ${symbol}`);
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
  tape: TestTape,
): Simulation {
  const { events } = tape;
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
    positions: tape.positionsOf(plan.instrument.symbol),
    positionsOf: (symbol) => tape.positionsOf(symbol),
    equity: [...run.equity],
    trades: trades.length,
    fees: numberFromFixed(run.totals.fees),
    funding: numberFromFixed(run.totals.funding),
    counts: host.counts,
    state: host.state,
    return_pct,
    max_drawdown_pct,
    story: () => storyOf(events),
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
