import { add, numberFromFixed, ZERO, type Amount } from '../core/fixed/fixed.js';
import type { Currency } from '../core/currency.js';
import { closeTimeOf, type Interval } from '../core/interval.js';
import type { Engine } from '../engine/engine.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { BacktestEffectSink } from './backtest-effect-sink.js';
import type { EquityRows } from './equity-rows.js';
import type { MarketDataEventQueue } from './data/market-data-events.js';
import type { HedgeRateQueue } from './data/hedge-rates.js';
import { HEARTBEAT_CELL, STOP, type Heartbeat } from './heartbeat.js';
import type { BacktestPlan } from './plan.js';
import { earliestOpenTime, setClosePrices, type SymbolRun } from './symbol-run.js';

export interface QuietCandlesParts {
  readonly plan: BacktestPlan;
  readonly runs: readonly SymbolRun[];
  readonly engine: Engine;
  readonly sink: BacktestEffectSink;
  readonly exchange: SimulatedExchange;
  readonly events: MarketDataEventQueue;
  readonly hedgeRates: HedgeRateQueue;
  readonly heartbeat: Heartbeat;
  readonly rows: EquityRows;
}

/**
 * Passes the candles in which nothing but a strategy can act: no order, stop or liquidation lies within them, and no
 * event, request, timer or funding is due. The strategy gets each of them by the same call of the engine. The exchange
 * gets its price once, before it gets a request.
 */
export class QuietCandles {
  readonly #runs: readonly SymbolRun[];
  readonly #engine: Engine;
  readonly #sink: BacktestEffectSink;
  readonly #exchange: SimulatedExchange;
  readonly #events: MarketDataEventQueue;
  readonly #hedgeRates: HedgeRateQueue;
  readonly #heartbeat: Heartbeat;
  readonly #rows: EquityRows;
  readonly #base: Interval;
  readonly #currency: Currency;
  readonly #untilMs: number;
  readonly #liveFromMs: number;
  readonly #limitsVolume: boolean;
  /** Candles that close before it are quiet, as far as times go. */
  #quietUntil = -Infinity;
  /** Free and locked balance of the wallet. */
  #cash = ZERO as Amount;
  #hasActed = false;

  constructor({ plan, ...parts }: QuietCandlesParts) {
    this.#runs = parts.runs;
    this.#engine = parts.engine;
    this.#sink = parts.sink;
    this.#exchange = parts.exchange;
    this.#events = parts.events;
    this.#hedgeRates = parts.hedgeRates;
    this.#heartbeat = parts.heartbeat;
    this.#rows = parts.rows;
    this.#base = plan.base;
    this.#currency = plan.currency;
    this.#untilMs = plan.untilMs ?? Infinity;
    this.#liveFromMs = plan.liveFromMs ?? -Infinity;
    this.#limitsVolume = plan.maxVolumeShare !== undefined;
  }

  /**
   * Passes candles until something may act in the next one, or a strategy has acted.
   * @param from open time of the next candle of any symbol
   * @returns the same after them
   */
  pass(from: number): number {
    if (this.#sink.hasPendingJobs || !this.#begin()) return from;
    let openTime = from;
    let closeTime = closeTimeOf(this.#base, openTime);
    while (!this.#hasActed && this.#isQuiet(openTime, closeTime)) {
      this.#passTime(openTime, closeTime);
      openTime = earliestOpenTime(this.#runs);
      closeTime = closeTimeOf(this.#base, openTime);
    }
    this.#settle();
    return openTime;
  }

  /** @returns false: no candle is quiet */
  #begin(): boolean {
    const { nextArrivalAt } = this.#sink;
    const { dueMs } = this.#exchange;
    this.#quietUntil = Math.min(this.#events.nextAt, this.#hedgeRates.nextAt, nextArrivalAt, dueMs);
    for (const run of this.#runs)
      if (!run.beginQuiet(this.#currency, this.#limitsVolume)) return false;
    const { balance, locked } = this.#exchange.futuresWallet(this.#currency);
    this.#cash = add(balance, locked);
    this.#hasActed = false;
    return true;
  }

  #isQuiet(openTime: number, closeTime: number): boolean {
    if (openTime > this.#untilMs || closeTime >= this.#quietUntil) return false;
    if (this.#sink.nextTimerAt <= closeTime) return false;
    if (this.#heartbeat[HEARTBEAT_CELL.stop] === STOP) return false;
    for (const run of this.#runs) if (run.next === openTime && !run.isQuiet) return false;
    return true;
  }

  /** Passes the candles of one open time. */
  #passTime(openTime: number, closeTime: number): void {
    const heartbeat = this.#heartbeat;
    const engine = this.#engine;
    const rows = this.#rows;
    const isLive = openTime >= this.#liveFromMs;
    heartbeat[HEARTBEAT_CELL.simulated] = openTime;
    for (const run of this.#runs) if (run.next === openTime) run.passQuiet();
    this.#exchange.setTime(closeTime);
    engine.setTime(closeTime, closeTime);
    engine.markAccountCurrent();
    if (this.#runs.length > 1) setClosePrices(this.#runs, openTime, closeTime);
    for (const run of this.#runs) {
      if (run.next !== openTime) continue;
      heartbeat[HEARTBEAT_CELL.openTime] = openTime;
      heartbeat[HEARTBEAT_CELL.symbol] = run.ordinal;
      heartbeat[HEARTBEAT_CELL.candles] = rows.candles += 1;
      engine.onCandle(run.series, run.index, isLive);
      if (this.#sink.hasPendingJobs) this.#act();
      run.advance();
    }
    engine.onCandlesClosed(closeTime);
    if (this.#sink.hasPendingJobs) this.#act();
    rows.add(closeTime, numberFromFixed(this.#equity()));
  }

  #equity(): Amount {
    if (this.#hasActed) return this.#exchange.equity(this.#currency);
    let equity = this.#cash;
    for (const run of this.#runs) if (run.unrealised !== 0) equity = add(equity, run.unrealised);
    return equity;
  }

  /** A strategy has acted: the exchange has its prices before it hears of that. */
  #act(): void {
    this.#hasActed = true;
    this.#settle();
    this.#sink.drain();
  }

  #settle(): void {
    for (const run of this.#runs) run.settle();
  }
}
