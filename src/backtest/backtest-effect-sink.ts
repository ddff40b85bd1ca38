import type { FeeReport } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import { Fifo } from '../core/table/fifo.js';
import { add, subtract, ZERO, type Amount, type Usdt } from '../core/fixed/fixed.js';
import type { Side } from '../core/order.js';
import type { Reply, RequestOf, VenueRequest } from '../core/request.js';
import { codeOfId } from '../core/table/id-code.js';
import { OrdinalMap } from '../core/table/ordinal-map.js';
import type { Writable } from '../core/table/writable.js';
import type { Engine } from '../engine/engine.js';
import type { ExchangeEvent, Execution, TradedOrder } from '../exchange/simulated-exchange.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { executionOf } from '../exchange/account/execution-log.js';
import { createExchangeGateway } from '../exchange/exchange-gateway.js';
import type { EffectSink, Note, TimerClock } from '../execution/effects.js';
import type { ExitReason } from '../report/round-trips.js';
import { DecisionRows, type OrderDecision } from './rows/decision-rows.js';
import { ExitReasonTracker } from './exit-reason-tracker.js';
import { FillRows } from './rows/fill-rows.js';
import { slippageCost } from './slippage.js';
import type { MarketDataEvent } from './data/market-data-events.js';

/** One execution of the run: of an order, a stop, a take profit or a liquidation. */
export interface RunFill {
  readonly order: TradedOrder;
  /** Its fee is less its rebate. */
  readonly execution: Execution;
  readonly side: Side;
  /** PnL that the exchange booked, if the fill closed quantity. */
  readonly realisedPnl?: Amount;
  /** Why it closed quantity, if it did. */
  readonly reason: ExitReason;
}

/** A funding payment between two fills. */
export interface RunFunding {
  /** Number of fills before it. */
  readonly afterFills: number;
  readonly fee: FeeReport;
}

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

/** A request on its way to the exchange. */
interface Arrival {
  /** Venue ms. */
  readonly at: number;
  readonly requestId: number;
  readonly request: VenueRequest;
}

/** Requests that a latency delays: those that act. Reads are of no price. */
const DELAYED: ReadonlySet<VenueRequest['kind']> = new Set([
  'place',
  'cancel',
  'amend',
  'set-leg',
  'move-leg',
  'change-margin',
]);

export interface EffectSinkOptions {
  /** Stops trail the price. Default: false. */
  readonly hasTrailingStop?: boolean | undefined;
  /** Venue ms that a request takes to the exchange. Default: 0. */
  readonly latencyMs?: number | undefined;
  /** Called for each fill, before it is recorded. */
  readonly onFill?: (fill: Pick<RunFill, 'order' | 'execution'>) => void;
}

interface VenueTimer {
  readonly at: number;
  readonly key: string;
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
  readonly #fills = new FillRows();
  readonly #fundings: RunFunding[] = [];
  readonly notes: Note[] = [];
  readonly #exchange: SimulatedExchange;
  readonly #currency: Currency;
  readonly #gateway: ReturnType<typeof createExchangeGateway>;
  /** Keys of the open orders, by the codes of their ids at the exchange: these count up. */
  readonly #keys = new OrdinalMap<number>();
  readonly #decisions = new DecisionRows();
  readonly #exits: ExitReasonTracker;
  readonly #jobs = new Fifo<Job>();
  #timers: VenueTimer[] = [];
  #engine: Engine | undefined;
  /** The engine is handling the reply to a stop, take profit or margin change. */
  #isChanging = false;
  #tick = 0;
  #tickedAt = 0;

  readonly #latencyMs: number;
  #slippage = ZERO as Usdt;
  readonly #onFill: EffectSinkOptions['onFill'];
  readonly #arrivals: Arrival[] = [];

  constructor(
    exchange: SimulatedExchange,
    currency: Currency,
    { hasTrailingStop = false, latencyMs = 0, onFill }: EffectSinkOptions = {},
  ) {
    this.#exits = new ExitReasonTracker(hasTrailingStop);
    this.#latencyMs = latencyMs;
    this.#onFill = onFill;
    this.#exchange = exchange;
    this.#currency = currency;
    this.#gateway = createExchangeGateway(exchange, { ids: false });
    exchange.listen((event) => {
      this.#recordEvent(event);
      if (isReported(event)) this.#jobs.add(event);
    });
  }

  attach(engine: Engine): void {
    this.#engine = engine;
  }

  /** Draws them at each read. */
  fills(): readonly RunFill[] {
    const { length } = this.#fills;
    const executions = this.#exchange.executions();
    assert(executions.length === length, 'Each execution of the exchange is a fill of the run');
    return executions.map(({ order, execution }, row) => {
      const { side, realisedPnl, reason } = this.#fills.at(row);
      const fill: Writable<RunFill> = { order, execution: withoutRebate(execution), side, reason };
      if (realisedPnl !== undefined) fill.realisedPnl = realisedPnl;
      return fill;
    });
  }

  /** Cost of slippage in USDT: each fill is rounded once, so that the rows of `fills.csv` sum to it. */
  get slippage(): Usdt {
    return this.#slippage;
  }

  get fundings(): readonly RunFunding[] {
    return this.#fundings;
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
    if (this.#latencyMs > 0 && DELAYED.has(request.kind))
      this.#arrivals.push({ at: this.#exchange.nowMs + this.#latencyMs, requestId, request });
    else this.#deliver(requestId, request);
  }

  /** Venue ms of the next request that arrives at the exchange; Infinity without one. */
  get nextArrivalAt(): number {
    return this.#arrivals[0]?.at ?? Infinity;
  }

  /** Hands the exchange the requests that have arrived by its time. */
  deliverArrivals(): void {
    while (this.nextArrivalAt <= this.#exchange.nowMs) {
      const { requestId, request } = this.#arrivals.shift() as Arrival;
      this.#deliver(requestId, request);
    }
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
    this.#timers.push({ at, key });
    this.#timers.sort((a, b) => a.at - b.at);
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
    return this.#timers[0]?.at ?? Infinity;
  }

  /** Fires the timers that are due by the exchange's time. */
  fireDueTimers(): void {
    while (this.nextTimerAt <= this.#exchange.nowMs) {
      const due = this.#timers.shift();
      assert(due !== undefined, 'A due timer exists');
      this.#step().onTimer(due.key);
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

  /** A close event follows the fill that caused it, and has the side that a stop's fill lacks. */
  #recordEvent(event: ExchangeEvent): void {
    if (event.kind === 'fill') {
      this.#onFill?.(event);
      const { order, execution } = event;
      this.#fills.add(order.side ?? 'buy', this.#exits.reasonOf(order));
      if (execution.slippage !== undefined)
        this.#slippage = add(this.#slippage, slippageCost(event));
    } else if (event.kind === 'funding') {
      this.#fundings.push({ afterFills: this.#fills.length, fee: event.fee });
    } else if (event.kind === 'close') {
      const { close } = event;
      const side = close.side === 'long' ? 'sell' : 'buy';
      const reason = this.#exits.closeReasonOf(close, this.#fills.lastReason);
      this.#fills.closeLast(side, reason, close.pnl);
    }
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

/** The fee that remains. */
function withoutRebate(execution: Execution): Execution {
  const { id, price, quantity, maker, time, slippage, rebate } = execution;
  if (rebate === undefined) return execution;
  const fee = subtract(execution.fee, rebate);
  return executionOf({ id, price, quantity, fee, maker, time }, slippage, rebate);
}

const CHANGES: ReadonlySet<Reply['to']> = new Set(['set-leg', 'move-leg', 'change-margin']);

/** Distinct monotonic times within one venue millisecond. */
const STEPS_PER_MS = 1_048_576;
