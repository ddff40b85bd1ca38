import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import { Fifo } from '../../core/table/fifo.js';
import type { Reply, RequestOf, VenueRequest } from '../../core/request.js';
import type { Usdt } from '../../core/fixed/fixed.js';
import { codeOfId } from '../../core/table/id-code.js';
import { OrdinalMap } from '../../core/table/ordinal-map.js';
import type { Engine } from '../../engine/engine.js';
import type { ExchangeEvent, SimulatedExchange } from '../../exchange/simulated-exchange.js';
import { createExchangeGateway } from '../../exchange/exchange-gateway.js';
import type { EffectSink, Note, TimerClock } from '../../execution/effects.js';
import { DecisionRows, type OrderDecision } from '../rows/decision-rows.js';
import { ExitReasonTracker } from './exit-reason-tracker.js';
import { RequestDelay, type Arrival } from './request-delay.js';
import { RunFills, type FillListener, type RunFill, type RunFunding } from './run-fills.js';
import { VenueTimers } from './venue-timers.js';
import type { MarketDataEvent } from '../data/market-data-events.js';

type Job =
  | { readonly kind: 'slot'; readonly requestId: number }
  | { readonly kind: 'reply'; readonly requestId: number; readonly reply: Reply }
  | { readonly kind: 'timer'; readonly key: string }
  | ReportedEvent;

/** An event of the exchange that the engine hears of. */
type ReportedEvent = Extract<ExchangeEvent, { readonly kind: 'order' | 'fill' | 'funding' }>;

/** The engine hears of an order that is accepted by the reply to its request. */
const isReported = (event: ExchangeEvent): event is ReportedEvent =>
  event.kind === 'fill' ||
  event.kind === 'funding' ||
  (event.kind === 'order' && event.order.status !== 'created');

export interface EffectSinkOptions {
  /** Stops trail the price. Default: false. */
  readonly hasTrailingStop?: boolean | undefined;
  /** Venue ms that a request takes to the exchange. Default: 0. */
  readonly latencyMs?: number | undefined;
  readonly onFill?: FillListener;
}

/**
 * The effect sink of a backtest. The simulated exchange answers at the same venue time, but through a queue,
 * so that the engine finishes a step before it handles the consequences.
 *
 * Monotonic timers are dropped: they wait for lost answers, and this exchange loses none. Two kinds fire at
 * once: timers that are due, and timers that wait for a stop, take profit or margin change to show.
 */
export class BacktestEffectSink implements EffectSink {
  readonly journaling = false;
  readonly reportsOrders = true;
  readonly #fills: RunFills;
  readonly notes: Note[] = [];
  readonly #exchange: SimulatedExchange;
  readonly #currency: Currency;
  readonly #gateway: ReturnType<typeof createExchangeGateway>;
  /** Keys of the open orders, by the codes of their ids at the exchange: these count up. */
  readonly #keys = new OrdinalMap<number>();
  readonly #decisions = new DecisionRows();
  readonly #exits: ExitReasonTracker;
  readonly #jobs = new Fifo<Job>();
  readonly #timers = new VenueTimers();
  readonly #delay: RequestDelay;
  #engine: Engine | undefined;
  /** The engine is handling the reply to a stop, take profit or margin change. */
  #isChanging = false;
  #tick = 0;
  #tickedAt = 0;

  constructor(
    exchange: SimulatedExchange,
    currency: Currency,
    { hasTrailingStop = false, latencyMs = 0, onFill }: EffectSinkOptions = {},
  ) {
    this.#exits = new ExitReasonTracker(hasTrailingStop);
    this.#delay = new RequestDelay(latencyMs);
    this.#fills = new RunFills(this.#exits, onFill);
    this.#exchange = exchange;
    this.#currency = currency;
    this.#gateway = createExchangeGateway(exchange, { ids: false });
    exchange.listen((event) => {
      this.#fills.record(event);
      if (isReported(event)) this.#jobs.add(event);
    });
  }

  attach(engine: Engine): void {
    this.#engine = engine;
  }

  /** Draws them at each read. */
  fills(): readonly RunFill[] {
    return this.#fills.drawn(this.#exchange.executions());
  }

  /** Cost of slippage in USDT: each fill is rounded once, so that the rows of `fills.csv` sum to it. */
  get slippage(): Usdt {
    return this.#fills.slippage;
  }

  get fundings(): readonly RunFunding[] {
    return this.#fills.fundings;
  }

  /** The decision behind an order, by its id at the exchange. */
  decisionOf(orderId: string): OrderDecision | undefined {
    return this.#decisions.of(orderId);
  }

  journal(): never {
    throw new TypeError('A backtest has no journal to write to');
  }

  requestPermit(requestId: number): void {
    this.#jobs.add({ kind: 'slot', requestId });
  }

  send(requestId: number, request: VenueRequest): void {
    const isDelayed = this.#delay.delay(requestId, request, this.#exchange.nowMs);
    if (!isDelayed) this.#deliver(requestId, request);
  }

  /** Venue ms of the next request that arrives at the exchange; Infinity without one. */
  get nextArrivalAt(): number {
    return this.#delay.nextAt;
  }

  /** Hands the exchange the requests that have arrived by its time. */
  deliverArrivals(): void {
    const next = (): Arrival | undefined => this.#delay.takeArrived(this.#exchange.nowMs);
    for (let arrival = next(); arrival !== undefined; arrival = next())
      this.#deliver(arrival.requestId, arrival.request);
  }

  #deliver(requestId: number, request: VenueRequest): void {
    if (request.kind === 'move-leg' && request.slot === 'stopLoss')
      this.#exits.onStopMoved(request.positionId);
    if (request.kind === 'place') this.#place(requestId, request);
    else this.#jobs.add({ kind: 'reply', requestId, reply: this.#gateway.reply(request) });
  }

  #place(requestId: number, request: RequestOf<'place'>): void {
    const key = request.orderKey;
    assert(key !== undefined, 'The engine names the order that it places');
    const intent = this.#engine?.ledger.byKey(key).intent;
    this.#exits.beforePlace(intent);
    const reply = this.#gateway.reply(request);
    if (reply.to === 'place' && reply.outcome.kind === 'yes') {
      const { orderId } = reply.outcome.value;
      this.#keys.add(codeOfId(orderId), key);
      if (intent !== undefined) this.#decisions.add(orderId, intent);
      this.#exits.afterPlace(orderId);
    }
    this.#exits.afterPlace();
    this.#jobs.add({ kind: 'reply', requestId, reply });
  }

  timer(clock: TimerClock, at: number, key: string): void {
    if (clock === 'monotonic') {
      if (this.#isChanging || at < this.#exchange.nowMs + 1) this.#jobs.add({ kind: 'timer', key });
      return;
    }
    this.#timers.add(at, key);
  }

  notify(note: Note): void {
    if (note.level !== 'info') this.notes.push(note);
  }

  /** Whether `drain` has work to do. */
  get hasPendingJobs(): boolean {
    return !this.#jobs.isEmpty;
  }

  /** Lets the engine handle all pending jobs, and the jobs that these cause. */
  drain(): void {
    for (let job = this.#jobs.take(); job !== undefined; job = this.#jobs.take()) this.#runJob(job);
  }

  /** Venue ms of the next timer; Infinity without one. */
  get nextTimerAt(): number {
    return this.#timers.nextAt;
  }

  /** Fires the timers that are due by the exchange's time. */
  fireDueTimers(): void {
    while (this.nextTimerAt <= this.#exchange.nowMs) {
      this.#step().onTimer(this.#timers.take());
      this.drain();
    }
  }

  /** Passes market data other than closed candles to the engine. */
  emitMarketEvent(event: MarketDataEvent['event']): void {
    const engine = this.#step();
    engine.markAccountCurrent();
    const { nowMs } = this.#exchange;
    engine.handle({ ...event, venueTime: nowMs, monotonic: this.#monotonic() });
  }

  /** Passes a wallet snapshot to the engine. */
  emitWallet(): void {
    const engine = this.#step();
    engine.onAccountSnapshot({
      kind: 'wallet',
      currency: this.#currency,
      startedAt: this.#monotonic(),
      wallet: this.#exchange.futuresWallet(this.#currency),
    });
  }

  #runJob(job: Job): void {
    const engine = this.#step();
    switch (job.kind) {
      case 'slot':
        engine.onPermitGranted(job.requestId);
        return;
      case 'reply':
        this.#isChanging = CHANGES.has(job.reply.to);
        engine.onReply(job.requestId, job.reply);
        this.#isChanging = false;
        return;
      case 'timer':
        engine.onTimer(job.key);
        return;
      case 'order':
      case 'fill':
      case 'funding':
        this.#onExchangeEvent(engine, job);
    }
  }

  #onExchangeEvent(engine: Engine, event: ReportedEvent): void {
    if (event.kind === 'funding') {
      this.emitWallet();
      return;
    }
    const { order } = event;
    const code = codeOfId(order.orderId);
    const key = this.#keys.get(code);
    if (key !== undefined) engine.onOrderReport(key, order);
    // Its last event: the engine lets the order go.
    if (event.kind === 'order' && order.endedAt !== undefined) this.#keys.delete(code);
    if (event.kind !== 'fill') return;
    this.emitWallet();
    if (key === undefined) this.#emitPositions();
  }

  /** A stop, take profit or liquidation filled: the engine receives positions as if from a poll. */
  #emitPositions(): void {
    const engine = this.#step();
    engine.onAccountSnapshot({
      kind: 'positions',
      currency: this.#currency,
      startedAt: this.#monotonic(),
      positions: this.#exchange.positions(this.#currency),
    });
  }

  /** Each step has a later monotonic time than the previous one, even at the same venue time. */
  #step(): Engine {
    assert(this.#engine !== undefined, 'An engine is attached');
    const now = this.#exchange.nowMs;
    this.#tick = now === this.#tickedAt ? this.#tick + 1 : 1;
    this.#tickedAt = now;
    this.#engine.setTime(now, this.#monotonic());
    return this.#engine;
  }

  #monotonic(): number {
    return this.#tickedAt + this.#tick / STEPS_PER_MS;
  }
}

const CHANGES: ReadonlySet<Reply['to']> = new Set(['set-leg', 'move-leg', 'change-margin']);

/**
 * Distinct monotonic times within one venue millisecond: the finest step that a double holds until the year 2109. A finer
 * one is lost in the sum, and a stop of the same millisecond as its entry would seem to be older than the entry.
 */
const STEPS_PER_MS = 2_048;
