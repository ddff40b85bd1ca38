import { numberFromFixed } from '../core/fixed/fixed.js';
import { closeTimeOf } from '../core/interval.js';
import type { Engine } from '../engine/engine.js';
import { finishCandle, openCandle, simulateCandle } from '../exchange/price/candle-path.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { fundingEventsOf } from './data/funding-rates.js';
import type { BacktestEffectSink } from './backtest-effect-sink.js';
import { MarketDataEventQueue } from './data/market-data-events.js';
import { marketsOf, type BacktestMarket, type BacktestPlan } from './plan.js';
import { unwatchedHeartbeat, PHASE, HEARTBEAT_CELL, STOP } from './heartbeat.js';
import { earliestOpenTime, SymbolRun } from './symbol-run.js';

export interface CandleRunResult {
  /** Close times, ms UTC: one for each open time of any symbol. */
  readonly times: Float64Array;
  /** Equity at each of them, in the run's currency. */
  readonly equity: Float64Array;
  /** Candles in which another order of prices may change the result. */
  readonly ambiguousCandles: number;
  /** Candles passed to the strategy, each of one symbol. */
  readonly candles: number;
  /** Stopped before the last candle. */
  readonly interrupted: boolean;
}

export interface RunContext {
  readonly engine: Engine;
  readonly sink: BacktestEffectSink;
  readonly exchange: SimulatedExchange;
}

/** Runs each candle over the exchange, then passes it to the engine. Symbols that open together close together. */
export function runCandles(
  plan: BacktestPlan,
  { engine, sink, exchange }: RunContext,
): CandleRunResult {
  const { base, currency, intrabar } = plan;
  const runs = marketsOf(plan).map((market, ordinal) =>
    createSymbolRun(market, ordinal, { engine, sink, exchange }),
  );
  const maxCount = marketsOf(plan).reduce((sum, { columns }) => sum + columns.length, 0);
  const times = new Float64Array(maxCount);
  const equity = new Float64Array(maxCount);
  let bars = 0;
  let ambiguous = 0;
  let candles = 0;
  const { heartbeat = unwatchedHeartbeat() } = plan;
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.run;
  const events = new MarketDataEventQueue([
    ...fundingEventsOf(plan.funding ?? {}),
    ...(plan.marketEvents ?? []),
  ]);
  let openTime = earliestOpenTime(runs);
  for (; openTime < Infinity; openTime = earliestOpenTime(runs)) {
    if (heartbeat[HEARTBEAT_CELL.stop] === STOP) break;
    exchange.setTime(openTime);
    const closeTime = closeTimeOf(base, openTime);
    const isLive = openTime >= (plan.liveFromMs ?? -Infinity);
    if (events.nextAt < closeTime) {
      ambiguous += runCandleWithEvents(runs, openTime, closeTime, {
        plan,
        sink,
        exchange,
        events,
        isLive,
      });
    } else {
      for (const run of runs) {
        if (run.next !== openTime) continue;
        if (simulateCandle(exchange, run.symbol, run.candle(), intrabar, run.onOpen))
          ambiguous += 1;
        sink.drain();
      }
    }
    exchange.setTime(closeTime);
    sink.fireDueTimers();
    // Effects of the new time: funding, and liquidations by it.
    if (sink.hasPendingJobs) sink.drain();
    if (events.nextAt <= closeTime) emitAtClose(closeTime, { sink, exchange, events, isLive });
    engine.setTime(closeTime, closeTime);
    engine.markAccountCurrent();
    if (runs.length > 1) setClosePrices(runs, openTime, engine, closeTime);
    for (const run of runs) {
      if (run.next !== openTime) continue;
      heartbeat[HEARTBEAT_CELL.openTime] = openTime;
      heartbeat[HEARTBEAT_CELL.symbol] = run.ordinal;
      heartbeat[HEARTBEAT_CELL.candles] = candles += 1;
      engine.onCandle(run.series, run.index, isLive);
      sink.drain();
      run.advance();
    }
    engine.onCandlesClosed(closeTime);
    sink.drain();
    const now = exchange.equity(currency);
    times[bars] = closeTime;
    equity[bars] = numberFromFixed(now);
    bars += 1;
  }
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.own;
  return {
    times: times.subarray(0, bars),
    equity: equity.subarray(0, bars),
    ambiguousCandles: ambiguous,
    candles,
    interrupted: openTime < Infinity,
  };
}

interface EventContext {
  readonly sink: BacktestEffectSink;
  readonly exchange: SimulatedExchange;
  readonly events: MarketDataEventQueue;
  readonly isLive: boolean;
}

/**
 * Events within a candle come after its open, and before its extremes and its close.
 * @returns the number of candles in which another order of prices may change the result
 */
function runCandleWithEvents(
  runs: readonly SymbolRun[],
  openTime: number,
  closeTime: number,
  { plan, ...context }: EventContext & { readonly plan: BacktestPlan },
): number {
  const { exchange, sink, events, isLive } = context;
  const open = runs.filter(({ next }) => next === openTime);
  let ambiguous = 0;
  for (const run of open) openCandle(exchange, run.symbol, run.candle(), run.onOpen);
  for (let next = events.next(closeTime - 1); next; next = events.next(closeTime - 1)) {
    exchange.setTime(Math.max(next.at, exchange.nowMs));
    sink.fireDueTimers();
    const { symbol } = next.event;
    if (next.last !== undefined) exchange.gapTo(symbol, next.last, next.last);
    matchAtCurrentPrice(exchange, sink, symbol);
    if (isLive || next.event.kind === 'funding') sink.emitMarketEvent(next.event);
    matchAtCurrentPrice(exchange, sink, symbol);
  }
  for (const run of open) {
    if (finishCandle(exchange, run.symbol, run.candle(), plan.intrabar)) ambiguous += 1;
    sink.drain();
  }
  return ambiguous;
}

/** Events at the close of a candle. Orders decided on them fill like those decided on the candle. */
function emitAtClose(closeTime: number, { sink, events, isLive }: EventContext): void {
  for (let next = events.next(closeTime); next; next = events.next(closeTime)) {
    if (isLive || next.event.kind === 'funding') sink.emitMarketEvent(next.event);
    sink.drain();
  }
}

/** Matches at the current price, with the orders that the fills cause. */
function matchAtCurrentPrice(
  exchange: SimulatedExchange,
  sink: BacktestEffectSink,
  symbol: string,
): void {
  sink.drain();
  exchange.matchPending(symbol);
  matchOpen(exchange, sink, symbol);
}

/** Sets the close of every symbol before the first decision, which may use all of them. */
function setClosePrices(
  runs: readonly SymbolRun[],
  openTime: number,
  { prices }: Engine,
  closeTime: number,
): void {
  for (const run of runs) {
    if (run.next !== openTime) continue;
    prices.setLast(run.symbol, run.close, closeTime);
  }
}

function createSymbolRun(
  market: BacktestMarket,
  ordinal: number,
  { engine, sink, exchange }: RunContext,
): SymbolRun {
  const { columns } = market;
  const { symbol } = market.instrument;
  const onOpen = (): void => matchOpen(exchange, sink, symbol);
  const { mark } = market;
  const series = engine.series.attach(symbol, columns);
  return new SymbolRun({ symbol, ordinal, ...(mark !== undefined && { mark }) }, series, onOpen);
}

/** Matches until the fills of this open cause no further order. */
function matchOpen(exchange: SimulatedExchange, sink: BacktestEffectSink, symbol: string): void {
  while (sink.hasPendingJobs) {
    sink.drain();
    exchange.matchPending(symbol);
  }
}
