import { add, numberFromFixed, ZERO, type Amount } from '../core/fixed/fixed.js';
import type { Currency } from '../core/currency.js';
import { closeTimeOf, nominalMs, type Interval } from '../core/interval.js';
import type { Engine } from '../engine/engine.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import type { BacktestEffectSink } from './effects/backtest-effect-sink.js';
import type { EquityRows } from './equity-rows.js';
import type { MarketDataEventQueue } from './data/market-data-events.js';
import type { HedgeRateQueue } from './data/hedge-rates.js';
import { HEARTBEAT_CELL, STOP, type Heartbeat } from './heartbeat.js';
import type { BacktestPlan } from './plan.js';
import { earliestOpenTime, type SymbolRun } from './symbol-run.js';

/** Candles are read twice: they stay in the processor's cache. A strategy that acts often wastes few of them. */
const MOST_AT_ONCE = 16;

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
  /** Length of its candles; undefined: it varies. */
  readonly #lengthMs: number | undefined;
  readonly #currency: Currency;
  readonly #untilMs: number;
  readonly #liveFromMs: number;
  readonly #limitsVolume: boolean;
  /** Candles that close before it are quiet, as far as times go. */
  #quietUntil = -Infinity;
  /** Free and locked balance of the wallet. */
  #cash = ZERO as Amount;
  #hasActed = false;
  /** Symbols whose candles come next. */
  readonly #open: SymbolRun[] = [];
  /** Open time of the next candle of the other symbols. */
  #othersFrom = Infinity;
  /** Wallet and unrealised PnL of the other symbols. */
  #others = ZERO as Amount;

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
    this.#lengthMs = plan.base === '1M' ? undefined : nominalMs(plan.base);
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
    while (!this.#hasActed && this.#passStretch(this.#quietCount(openTime)) > 0)
      openTime = earliestOpenTime(this.#runs);
    return earliestOpenTime(this.#runs);
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

  /** Finds the symbols whose candles come next, and the number of their quiet candles that open together. */
  #quietCount(openTime: number): number {
    this.#open.length = 0;
    this.#othersFrom = Infinity;
    this.#others = this.#cash;
    let count = MOST_AT_ONCE;
    for (const run of this.#runs) {
      if (run.next === openTime) {
        this.#open.push(run);
        count = run.quietCount(this.#open[0] ?? run, count);
      } else {
        this.#othersFrom = Math.min(this.#othersFrom, run.next);
        if (run.isHeld) this.#others = add(this.#others, run.unrealised);
      }
    }
    return count;
  }

  /**
   * Passes candles of all open symbols until something has acted, or the next ones are not quiet.
   * @param count most of each symbol
   * @returns the number of each symbol
   */
  #passStretch(count: number): number {
    const [first] = this.#open;
    if (first === undefined) return 0;
    const heartbeat = this.#heartbeat;
    const engine = this.#engine;
    const sink = this.#sink;
    const { openTimes, index } = first;
    const untilMs = Math.min(this.#untilMs, this.#othersFrom - 1);
    let passed = 0;
    while (passed < count && !this.#hasActed) {
      const openTime = openTimes[index + passed] as number;
      const closeTime = this.#closeTimeOf(openTime);
      if (openTime > untilMs || closeTime >= this.#quietUntil) break;
      if (sink.nextTimerAt <= closeTime || heartbeat[HEARTBEAT_CELL.stop] === STOP) break;
      heartbeat[HEARTBEAT_CELL.simulated] = openTime;
      heartbeat[HEARTBEAT_CELL.openTime] = openTime;
      this.#exchange.setTime(closeTime);
      engine.setTime(closeTime, closeTime);
      engine.markAccountCurrent();
      const isLive = openTime >= this.#liveFromMs;
      this.#passTime(passed, isLive);
      engine.onCandlesClosed(closeTime, isLive);
      if (sink.hasPendingJobs) this.#act(passed);
      passed += 1;
    }
    if (passed > 0) this.#finish(first, passed);
    return passed;
  }

  /** Passes the candles of one close time. */
  #passTime(ahead: number, isLive: boolean): void {
    const open = this.#open;
    const heartbeat = this.#heartbeat;
    if (this.#runs.length > 1)
      for (const run of open) run.setClosePrice(ahead, this.#engine.stamp.monotonic);
    // Without an iterator: most runs have one symbol.
    for (let at = 0; at < open.length; at += 1) {
      const run = open[at] as SymbolRun;
      heartbeat[HEARTBEAT_CELL.symbol] = run.ordinal;
      heartbeat[HEARTBEAT_CELL.candles] = this.#rows.candles += 1;
      this.#engine.onCandle(run.series, run.index + ahead, isLive);
      if (this.#sink.hasPendingJobs) this.#act(ahead);
    }
  }

  /** A strategy has acted: the exchange has its prices before it hears of that. */
  #act(ahead: number): void {
    if (!this.#hasActed) for (const run of this.#open) run.settle(ahead);
    this.#hasActed = true;
    this.#sink.drain();
  }

  /** Writes the rows of passed candles. The last one is that of the exchange, if something has acted. */
  #finish({ openTimes, index }: SymbolRun, count: number): void {
    const open = this.#open;
    const rows = this.#rows;
    const last = count - 1;
    const quiet = this.#hasActed ? last : count;
    if (open.some(({ isHeld }) => isHeld)) {
      for (let ahead = 0; ahead < quiet; ahead += 1)
        rows.add(openTimes[index + ahead] as number, numberFromFixed(this.#equityAfter(ahead)));
    } else {
      const equity = numberFromFixed(this.#others);
      for (let ahead = 0; ahead < quiet; ahead += 1)
        rows.add(openTimes[index + ahead] as number, equity);
    }
    if (this.#hasActed) {
      const equity = this.#exchange.equity(this.#currency);
      rows.add(openTimes[index + last] as number, numberFromFixed(equity));
    } else for (const run of open) run.settle(last);
    for (const run of open) run.pass(count);
  }

  #equityAfter(ahead: number): Amount {
    const open = this.#open;
    let equity = this.#others;
    for (let at = 0; at < open.length; at += 1) {
      const run = open[at] as SymbolRun;
      if (run.isHeld) equity = add(equity, run.unrealisedAfter(ahead));
    }
    return equity;
  }

  #closeTimeOf(openTime: number): number {
    return this.#lengthMs === undefined
      ? closeTimeOf(this.#base, openTime)
      : openTime + this.#lengthMs;
  }
}
