import { finishCandle, openCandle } from '../exchange/price/candle-path.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { BacktestEffectSink } from './effects/backtest-effect-sink.js';
import { CandleWalk } from './latency.js';
import type { MarketDataEvent, MarketDataEventQueue } from './data/market-data-events.js';
import type { BacktestPlan } from './plan.js';
import type { SymbolRun } from './symbol-run.js';

/** The parts that act inside a candle. */
interface StepContext {
  readonly sink: BacktestEffectSink;
  readonly exchange: SimulatedExchange;
  readonly events: MarketDataEventQueue;
  readonly isLive: boolean;
}

/**
 * Runs a candle with events or arrivals of requests inside it. Events come after its open, and before its extremes and
 * its close. A request arrives at the price of its time on the assumed path.
 * @returns the number of candles in which another order of prices may change the result
 */
export function runCandleInSteps(
  runs: readonly SymbolRun[],
  openTime: number,
  closeTime: number,
  { plan, ...context }: StepContext & { readonly plan: BacktestPlan },
): number {
  const { exchange, sink, events } = context;
  const open = runs
    .filter(({ next }) => next === openTime)
    .map((run) => ({ run, candle: run.candle() }));
  // Requests of a gap before this candle are there at its open.
  deliver(sink);
  for (const { run, candle } of open) openCandle(exchange, run.symbol, candle, run.onOpen);
  const walks =
    plan.latencyMs === undefined
      ? undefined
      : open.map(({ run, candle }) => ({
          symbol: run.symbol,
          walk: new CandleWalk(exchange, run.symbol, candle, plan.intrabar),
        }));
  for (let at = nextStep(context); at < closeTime; at = nextStep(context)) {
    exchange.setTime(Math.max(at, exchange.nowMs));
    const share = (exchange.nowMs - openTime) / (closeTime - openTime);
    for (const { walk } of walks ?? []) walk.moveTo(share);
    sink.fireDueTimers();
    if (sink.nextArrivalAt <= exchange.nowMs) {
      deliver(sink);
      for (const { run } of open) matchAtCurrentPrice(exchange, sink, run.symbol);
    }
    const next = events.next(at);
    if (next !== undefined) emitInside(next, context);
  }
  let ambiguous = 0;
  for (const [index, { run, candle }] of open.entries()) {
    const walk = walks?.[index]?.walk;
    if (walk?.finish() ?? finishCandle(exchange, run.symbol, candle, plan.intrabar)) ambiguous += 1;
    sink.drain();
  }
  return ambiguous;
}

const nextStep = ({ sink, events }: StepContext): number =>
  Math.min(events.nextAt, sink.nextArrivalAt);

function deliver(sink: BacktestEffectSink): void {
  sink.deliverArrivals();
  sink.drain();
}

function emitInside(
  { event, last }: MarketDataEvent,
  { exchange, sink, isLive }: StepContext,
): void {
  const { symbol } = event;
  if (last !== undefined) exchange.gapTo(symbol, last, last);
  matchAtCurrentPrice(exchange, sink, symbol);
  if (isLive || event.kind === 'funding') sink.emitMarketEvent(event);
  matchAtCurrentPrice(exchange, sink, symbol);
}

/** Events at the close of a candle. Orders decided on them fill like those decided on the candle. */
export function emitAtClose(closeTime: number, { sink, events, isLive }: StepContext): void {
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

/** Matches until the fills of this open cause no further order. */
export function matchOpen(
  exchange: SimulatedExchange,
  sink: BacktestEffectSink,
  symbol: string,
): void {
  while (sink.hasPendingJobs) {
    sink.drain();
    exchange.matchPending(symbol);
  }
}
