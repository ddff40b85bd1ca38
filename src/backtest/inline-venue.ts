import type { FeeReport } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { Amount } from '../core/fixed.js';
import type { Side } from '../core/order.js';
import type { Reply, VenueRequest } from '../core/request.js';
import type { Engine } from '../engine/engine.js';
import type { ExchangeEvent, Execution, ExchangeOrder } from '../exchange/simulated-exchange.js';
import type { SimulatedExchange } from '../exchange/simulated-exchange.js';
import { createSimulatedVenue } from '../exchange/simulated-venue.js';
import type { EffectSink, Note, TimerClock } from '../execution/effects.js';
import type { ExitReason } from '../report/trades.js';
import { ExitReasons } from './exit-reasons.js';
import type { MarketNews } from './market-news.js';

/** One execution of the run, ours or a stop's or a liquidation's. */
export interface RunFill {
  readonly order: ExchangeOrder;
  readonly execution: Execution;
  readonly side: Side;
  /** What the exchange booked, when it closed something. */
  readonly realisedPnl?: Amount;
  /** Of what it closed, if it closed something. */
  readonly reason: ExitReason;
}

/** Funding that was exchanged, between two fills. */
export interface RunFunding {
  /** Fills before it. */
  readonly afterFills: number;
  readonly fee: FeeReport;
}

type Job =
  | { readonly kind: 'slot'; readonly requestId: number }
  | { readonly kind: 'reply'; readonly requestId: number; readonly reply: Reply }
  | { readonly kind: 'timer'; readonly key: string }
  | { readonly kind: 'exchange'; readonly event: ExchangeEvent };

interface VenueTimer {
  readonly at: number;
  readonly key: string;
}

/**
 * The sink of a backtest: the simulated exchange answers in the same moment, but through a queue, so
 * that the engine finishes a step before it meets what the step caused. Monotonic timers are not
 * kept: they wait for lost answers, and this venue loses none and pushes every report. But those that
 * are due at once, or wait for a change of stop, target or margin to show, fire at once: here it shows.
 */
export class InlineVenue implements EffectSink {
  readonly journaling = false;
  readonly #fills: RunFill[] = [];
  readonly #fundings: RunFunding[] = [];
  readonly notes: Note[] = [];
  readonly #exchange: SimulatedExchange;
  readonly #currency: Currency;
  readonly #venue: ReturnType<typeof createSimulatedVenue>;
  readonly #keyOf = new Map<string, number>();
  readonly #exits: ExitReasons;
  #jobs: Job[] = [];
  #timers: VenueTimer[] = [];
  #engine: Engine | undefined;
  /** The engine is told that a change was taken. */
  #isChanging = false;
  #tick = 0;
  #tickedAt = 0;

  /** @param trails stops follow the price */
  constructor(exchange: SimulatedExchange, currency: Currency, trails = false) {
    this.#exits = new ExitReasons(trails);
    this.#exchange = exchange;
    this.#currency = currency;
    this.#venue = createSimulatedVenue(exchange, { ids: false });
    exchange.listen((event) => {
      this.#book(event);
      if (event.kind === 'order' || event.kind === 'fill' || event.kind === 'funding')
        this.#jobs.push({ kind: 'exchange', event });
    });
  }

  attach(engine: Engine): void {
    this.#engine = engine;
  }

  get fills(): readonly RunFill[] {
    return this.#fills;
  }

  get fundings(): readonly RunFunding[] {
    return this.#fundings;
  }

  journal(): never {
    throw new TypeError('a backtest without a journal is asked for a record');
  }

  slot(requestId: number): void {
    this.#jobs.push({ kind: 'slot', requestId });
  }

  send(requestId: number, request: VenueRequest): void {
    if (request.kind === 'move-leg' && request.slot === 'stopLoss')
      this.#exits.moved(request.positionId);
    if (request.kind === 'place' && request.orderKey !== undefined)
      this.#exits.placing(this.#engine?.ledger.byKey(request.orderKey).intent);
    const reply = this.#venue.reply(request);
    if (request.kind === 'place' && reply.to === 'place' && reply.outcome.kind === 'yes') {
      assert(request.orderKey !== undefined, 'The engine names the order that it places');
      this.#keyOf.set(reply.outcome.value.orderId, request.orderKey);
      this.#exits.placed(reply.outcome.value.orderId);
    }
    this.#exits.placed();
    this.#jobs.push({ kind: 'reply', requestId, reply });
  }

  timer(clock: TimerClock, at: number, key: string): void {
    if (clock === 'monotonic') {
      if (this.#isChanging || at < this.#exchange.nowMs + 1)
        this.#jobs.push({ kind: 'timer', key });
      return;
    }
    this.#timers.push({ at, key });
    this.#timers.sort((a, b) => a.at - b.at);
  }

  notify(note: Note): void {
    if (note.level !== 'info') this.notes.push(note);
  }

  /** Whether a `drain` would do anything. */
  get busy(): boolean {
    return this.#jobs.length > 0;
  }

  /** Lets the engine meet everything that has happened, and what follows from it. */
  drain(): void {
    while (this.#jobs.length > 0) {
      const jobs = this.#jobs;
      this.#jobs = [];
      for (const job of jobs) this.#meet(job);
    }
  }

  /** Fires the timers that are due by the exchange's time. */
  fireDue(): void {
    while ((this.#timers[0]?.at ?? Infinity) <= this.#exchange.nowMs) {
      const due = this.#timers.shift();
      assert(due !== undefined, 'A due timer is there');
      this.#step().fire(due.key);
      this.drain();
    }
  }

  /** Tells the engine what the market says beside candles. */
  happens(event: MarketNews['event']): void {
    const engine = this.#step();
    engine.accountIsCurrent();
    const { nowMs } = this.#exchange;
    engine.handle({ ...event, venueTime: nowMs, monotonic: this.#monotonic() });
  }

  /** Tells the engine what the wallet holds now. */
  tellWallet(): void {
    const engine = this.#step();
    engine.accountSnapshot({
      kind: 'wallet',
      currency: this.#currency,
      startedAt: this.#monotonic(),
      wallet: this.#exchange.futuresWallet(this.#currency),
    });
  }

  /** A close is told after the fill that caused it, and knows the side that a stop does not tell. */
  #book(event: ExchangeEvent): void {
    if (event.kind === 'fill') {
      const reason = this.#exits.reasonOf(event.order);
      this.#fills.push({ ...event, side: event.order.side ?? 'buy', reason });
    } else if (event.kind === 'funding') {
      this.#fundings.push({ afterFills: this.#fills.length, fee: event.fee });
    } else if (event.kind === 'close') {
      const last = this.#fills.pop();
      assert(last !== undefined, 'A close follows its fill');
      const side = event.close.side === 'long' ? 'sell' : 'buy';
      const reason = this.#exits.closed(event.close, last.reason);
      this.#fills.push({ ...last, side, realisedPnl: event.close.pnl, reason });
    }
  }

  #meet(job: Job): void {
    const engine = this.#step();
    switch (job.kind) {
      case 'slot':
        engine.slot(job.requestId);
        return;
      case 'reply':
        this.#isChanging = CHANGES.has(job.reply.to);
        engine.reply(job.requestId, job.reply);
        this.#isChanging = false;
        return;
      case 'timer':
        engine.fire(job.key);
        return;
      case 'exchange':
        this.#meetEvent(engine, job.event);
    }
  }

  #meetEvent(engine: Engine, event: ExchangeEvent): void {
    if (event.kind === 'funding') {
      this.tellWallet();
      return;
    }
    if (event.kind !== 'order' && event.kind !== 'fill') return;
    const { order } = event;
    if (order.status === 'created') return;
    const key = this.#keyOf.get(order.orderId);
    if (key !== undefined) engine.orderReport(key, order);
    if (event.kind !== 'fill') return;
    this.tellWallet();
    if (key === undefined) this.#tellPositions();
  }

  /** A stop, a target or a liquidation traded: the engine learns it as it would from a poll. */
  #tellPositions(): void {
    const engine = this.#step();
    engine.accountSnapshot({
      kind: 'positions',
      currency: this.#currency,
      startedAt: this.#monotonic(),
      positions: this.#exchange.positions(this.#currency),
    });
  }

  /** Each step has a later monotonic time than the one before it, within the same venue moment. */
  #step(): Engine {
    assert(this.#engine !== undefined, 'An engine is attached');
    const now = this.#exchange.nowMs;
    this.#tick = now === this.#tickedAt ? this.#tick + 1 : 1;
    this.#tickedAt = now;
    this.#engine.at(now, this.#monotonic());
    return this.#engine;
  }

  #monotonic(): number {
    return this.#tickedAt + this.#tick / STEPS_A_MOMENT;
  }
}

const CHANGES: ReadonlySet<Reply['to']> = new Set(['set-leg', 'move-leg', 'change-margin']);

/** Steps that can be told apart within one venue millisecond. */
const STEPS_A_MOMENT = 1_048_576;
