import { fixedFromNumber, numberFromFixed, ZERO } from '../core/fixed/fixed.js';
import { closeTimeOf } from '../core/interval.js';
import type { Engine } from '../engine/engine.js';
import { simulateCandle } from '../exchange/price/candle-path.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { emitAtClose, matchOpen, runCandleInSteps } from './candle-steps.js';
import { fundingEventsOf } from './data/funding-rates.js';
import { HedgeRateQueue } from './data/hedge-rates.js';
import type { BarOf } from './fill-clock.js';
import type { BacktestEffectSink } from './effects/backtest-effect-sink.js';
import { MarketDataEventQueue } from './data/market-data-events.js';
import { marketsOf, type BacktestMarket, type BacktestPlan } from './plan.js';
import { unwatchedHeartbeat, PHASE, HEARTBEAT_CELL, STOP } from './heartbeat.js';
import { EquityRows } from './equity-rows.js';
import type { RowTimes } from '../report/statistics/equity-curve.js';
import { QuietCandles } from './quiet-candles.js';
import { earliestOpenTime, setClosePrices, SymbolRun } from './symbol-run.js';

export interface CandleRunResult {
  /** Close times: one for each open time of any symbol. */
  readonly times: RowTimes;
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
  /** Receives the source of the candle behind the exchange's prices. */
  readonly watchBars: (barOf: BarOf) => void;
}

/** Runs each candle over the exchange, then passes it to the engine. Symbols that open together close together. */
export function runCandles(
  plan: BacktestPlan,
  { engine, sink, exchange, watchBars }: RunContext,
): CandleRunResult {
  const { base, currency, intrabar } = plan;
  const runs = marketsOf(plan).map((market, ordinal) =>
    createSymbolRun(market, ordinal, { engine, sink, exchange }),
  );
  const bars = new Map(runs.map((run) => [run.symbol, run]));
  watchBars((symbol) => bars.get(symbol)?.read ?? -Infinity);
  const rows = equityRowsOf(plan);
  const hedgeRates = new HedgeRateQueue(plan.hedgeRates);
  const { heartbeat = unwatchedHeartbeat(), untilMs = Infinity } = plan;
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.run;
  const events = new MarketDataEventQueue([
    ...fundingEventsOf(plan.funding ?? {}),
    ...(plan.marketEvents ?? []),
  ]);
  const parts = { plan, runs, engine, sink, exchange, events, hedgeRates, heartbeat, rows };
  const quiet = new QuietCandles(parts);
  let openTime = earliestOpenTime(runs);
  for (; openTime < Infinity; openTime = earliestOpenTime(runs)) {
    openTime = quiet.pass(openTime);
    if (openTime === Infinity) break;
    if (heartbeat[HEARTBEAT_CELL.stop] === STOP || openTime > untilMs) break;
    heartbeat[HEARTBEAT_CELL.simulated] = openTime;
    exchange.setTime(openTime);
    const rate = hedgeRates.next(openTime);
    if (rate !== undefined) exchange.setHedgeRate(rate);
    if (plan.maxVolumeShare !== undefined)
      limitVolumes(runs, openTime, exchange, plan.maxVolumeShare);
    const closeTime = closeTimeOf(base, openTime);
    const isLive = openTime >= (plan.liveFromMs ?? -Infinity);
    if (events.nextAt < closeTime || sink.nextArrivalAt < closeTime) {
      rows.ambiguous += runCandleInSteps(runs, openTime, closeTime, {
        plan,
        sink,
        exchange,
        events,
        isLive,
      });
    } else {
      for (const run of runs) {
        if (run.next !== openTime || (!sink.hasPendingJobs && run.passIdle())) continue;
        if (simulateCandle(exchange, run.symbol, run.candle(), intrabar, run.onOpen))
          rows.ambiguous += 1;
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
    if (runs.length > 1) setClosePrices(runs, openTime, closeTime);
    for (const run of runs) {
      if (run.next !== openTime) continue;
      heartbeat[HEARTBEAT_CELL.openTime] = openTime;
      heartbeat[HEARTBEAT_CELL.symbol] = run.ordinal;
      heartbeat[HEARTBEAT_CELL.candles] = rows.candles += 1;
      engine.onCandle(run.series, run.index, isLive);
      sink.drain();
      run.advance();
    }
    engine.onCandlesClosed(closeTime, isLive);
    sink.drain();
    rows.add(openTime, numberFromFixed(exchange.equity(currency)));
  }
  heartbeat[HEARTBEAT_CELL.phase] = PHASE.own;
  return {
    times: rows.times,
    equity: rows.equity,
    ambiguousCandles: rows.ambiguous,
    candles: rows.candles,
    interrupted: openTime < Infinity,
  };
}

/** Most rows are those of the symbol with the most candles. */
function equityRowsOf(plan: BacktestPlan): EquityRows {
  const openTimes = marketsOf(plan).map(({ columns }) =>
    columns.openTime.subarray(0, columns.length),
  );
  const longest = openTimes.reduce((most, each) => (each.length > most.length ? each : most));
  const capacity = openTimes.reduce((sum, { length }) => sum + length, 0);
  return new EquityRows(capacity, longest, plan.base);
}

/** A symbol without a candle now has no volume: nothing of it fills. */
function limitVolumes(
  runs: readonly SymbolRun[],
  openTime: number,
  exchange: SimulatedExchange,
  share: number,
): void {
  for (const run of runs)
    exchange.limitVolume(
      run.symbol,
      run.next === openTime ? fixedFromNumber(run.volume * share) : ZERO,
    );
}

function createSymbolRun(
  market: BacktestMarket,
  ordinal: number,
  { engine, sink, exchange }: Omit<RunContext, 'watchBars'>,
): SymbolRun {
  const { columns } = market;
  const { symbol } = market.instrument;
  const onOpen = (): void => matchOpen(exchange, sink, symbol);
  const { mark } = market;
  const series = engine.series.attach(symbol, columns);
  const of = {
    symbol,
    ordinal,
    market: exchange.market(symbol),
    price: engine.prices.of(symbol),
  };
  return new SymbolRun({ ...of, ...(mark !== undefined && { mark }) }, series, onOpen);
}
