import type { AccountSnapshot } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { EngineEvent, Happening, Stamp } from '../core/events.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderReport } from '../core/order.js';
import type { Reply } from '../core/request.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OwnOrder } from '../execution/order/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import type { Recovery } from '../execution/recovery/recovery.js';
import type { KillLevel, Mode } from '../risk/mode.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { RunCounts } from './counts.js';
import { engineParts, type EngineOptions } from './engine-parts.js';
import type { EngineFacts } from './gate-facts.js';
import type { PriceBook } from './market/price-book.js';
import type { SeriesBook, SymbolSeries } from './market/series-book.js';
import type { Operations } from './operations.js';
import type { OwnPosition } from './operator/flatten.js';
import type { ForeignBook } from './reconciliation/foreign-book.js';
import type { StrategySeat } from './seat-world.js';
import type { SymbolHalts } from './symbol-halts.js';
import type { UnreadableSymbols } from './unreadable-symbols.js';

export type { EngineOptions, StrategySeat };

export interface LeftOpen {
  readonly positions: readonly OwnPosition[];
  readonly orders: readonly OwnOrder[];
}

/**
 * The one engine: live, sandbox, replay and backtest call the same methods. It is synchronous and
 * deterministic, and has no clock, random source or file of its own: the same events give the same
 * intents, ids and verdicts, byte for byte. What it wants done goes to the `EffectSink`.
 *
 * This file hands each event to the part that it concerns; engine-parts.ts composes them.
 */
export class Engine {
  readonly counts: RunCounts;
  readonly positions: PositionBook;
  readonly ledger: OrderLedger;
  readonly prices: PriceBook;
  readonly series: SeriesBook;
  readonly facts: EngineFacts;
  readonly hosts: readonly StrategyHost[];
  readonly foreign: ForeignBook;
  readonly operations: Operations;
  readonly halts: SymbolHalts;
  readonly unreadable: UnreadableSymbols;
  readonly #options: EngineOptions;
  readonly #parts: ReturnType<typeof engineParts>;

  constructor(options: EngineOptions) {
    const parts = engineParts(options);
    this.#options = options;
    this.#parts = parts;
    this.counts = parts.counts;
    this.positions = parts.positions;
    this.ledger = parts.ledger;
    this.prices = parts.prices;
    this.series = parts.series;
    this.facts = parts.facts;
    this.hosts = parts.hosts;
    this.foreign = parts.foreign;
    this.operations = parts.operations;
    this.halts = parts.halts;
    this.unreadable = parts.unreadable;
    if (options.recovered !== undefined) this.#takeOver(options.recovered);
  }

  get mode(): Mode {
    return this.#parts.standing.mode;
  }
  /** Of the newest event. */
  get stamp(): Readonly<Stamp> {
    return this.#parts.stamp;
  }
  get currency(): Currency {
    return this.#options.currency;
  }
  get killLevel(): KillLevel | undefined {
    return this.#parts.standing.killLevel;
  }
  get haltReason(): string | undefined {
    return this.#parts.standing.haltReason;
  }
  /** The venue refuses the key: nothing is placed until it accepts one again. */
  get accessRefused(): boolean {
    return this.#parts.standing.accessRefused;
  }
  get instruments(): ReadonlyMap<string, Instrument> {
    return this.#parts.instruments;
  }

  /** Everything that a start waits for has been proved, or never will be. */
  get begun(): boolean {
    return (
      this.haltReason !== undefined || (this.mode !== 'STARTING' && this.mode !== 'RECONCILING')
    );
  }

  /** A flatten that is under way in this life. */
  get flattening(): boolean {
    return this.#parts.operator.flatten.comesFirst;
  }

  /** How far a flatten of this life came; undefined where none was wanted. */
  get flattenState(): 'flat' | 'withdrawn' | 'unfinished' | undefined {
    return this.#parts.operator.flatten.state;
  }

  /** Our own share of each open position, and every order of ours that has not ended. */
  get leftOpen(): LeftOpen {
    return {
      positions: this.#parts.operator.flatten.left(),
      orders: [...this.ledger.allActive()],
    };
  }

  /** Every order has ended or rests at the venue, and nothing waits for an answer about one. */
  get settled(): boolean {
    return this.ledger.settled;
  }

  /**
   * Nothing is unproved, and the venue's positions, read after our last change, are the ones we
   * believe.
   */
  get reconciled(): boolean {
    return this.settled && this.#parts.reconciliation.agreed && !this.accessRefused;
  }

  // --- events --------------------------------------------------------------------------------------

  /** Live and replay: one event, one step. */
  handle(event: EngineEvent): void {
    this.at(event.venueTime, event.monotonic);
    this.#handle(event);
  }

  /** Sets both times for what follows. */
  at(venueTime: number, monotonic: number): void {
    this.#parts.stamp.venueTime = venueTime;
    this.#parts.stamp.monotonic = monotonic;
  }

  #handle(event: Happening): void {
    switch (event.kind) {
      case 'instruments':
        this.start(event.instruments);
        return;
      case 'candles':
        this.#parts.router.candles(event.symbol, event.candles, event.live);
        return;
      case 'revision':
        this.#parts.router.revision(event.symbol, event.candle);
        return;
      case 'seconds':
        this.#parts.streams.second(event);
        this.#parts.beginning.attempt();
        return;
      case 'mark-candles':
        this.#parts.streams.markCandle(event);
        return;
      case 'funding':
        this.#parts.streams.fund(event);
        return;
      case 'tickers':
        this.#parts.router.tickers(event.rows);
        this.#parts.beginning.attempt();
        return;
      case 'feed':
        this.#options.effects.notify({
          level: event.up ? 'info' : 'warn',
          text: `market data is ${event.up ? 'up' : 'down'}: ${event.reason}`,
        });
        return;
      case 'account':
        this.accountSnapshot(event.snapshot);
        return;
      case 'access':
        this.#access(event.refused, event.cause);
        return;
      case 'slot':
        this.slot(event.requestId);
        return;
      case 'reply':
        this.reply(event.requestId, event.reply);
        return;
      case 'timer':
        this.fire(event.key);
        return;
      case 'strategy-lost':
        this.hosts.find(({ id }) => id === event.strategy)?.lost(event.reason);
        return;
      case 'command':
        this.#parts.operator.command(event.commandId, event.command);
        return;
      case 'journal-failed':
        this.halt(`the journal cannot be written: ${event.reason}`);
    }
  }

  slot(requestId: number): void {
    this.#parts.desk.slot(requestId);
  }

  reply(requestId: number, reply: Reply): void {
    // First: what follows from it must not leave where another writer shows.
    if (reply.to === 'read-order-history' && reply.outcome.kind === 'yes') {
      this.#parts.reconciliation.seeHistory(reply.outcome.value);
    }
    this.#parts.desk.reply(requestId, reply);
    this.#parts.beginning.attempt();
  }

  fire(timerKey: string): void {
    this.#parts.desk.fire(timerKey);
  }

  /** Takes the rules of the instruments, sets leverage and looks at what an earlier life left. */
  start(instruments: readonly Instrument[]): void {
    for (const instrument of instruments)
      this.#parts.instruments.set(instrument.symbol, instrument);
    this.#parts.standing.advance({ kind: 'started' });
    for (const seat of this.#options.seats) {
      for (const symbol of seat.symbols) {
        assert(this.#parts.instruments.has(symbol), `The venue lists ${symbol}`);
        this.#parts.leverage.want(symbol, seat.leverage);
      }
    }
    this.operations.resume();
    this.#parts.beginning.start();
    this.#parts.reconciliation.start();
  }

  /** Backtest: the candle at `index` of an attached series has closed. */
  candle(series: SymbolSeries, index: number, live: boolean): void {
    this.#parts.router.candle(series, index, live);
  }

  /** Backtest: every symbol's candle that closed then has been told. */
  closed(closedAt: number): void {
    this.#parts.router.closed(closedAt);
  }

  accountSnapshot(snapshot: AccountSnapshot): void {
    this.#parts.reconciliation.see(snapshot);
    if (snapshot.kind === 'positions' && this.#options.effects.journaling) {
      this.#parts.leverageWatch.see(snapshot.positions);
    }
    this.#parts.operator.flatten.look();
    this.#parts.beginning.attempt();
  }

  /** The venue behind this engine is the account itself: no snapshot of it can be old. */
  accountIsCurrent(): void {
    this.#parts.reconciliation.isCurrent();
  }

  /** Pushed by a simulated venue: the truth about an order, not a read that may lag. */
  orderReport(key: number, report: OrderReport): void {
    this.#parts.protocol.tell(this.ledger.byKey(key), report);
  }

  /** Nothing more is placed; what is unproved is still looked at. */
  halt(reason: string): void {
    this.#parts.standing.halt(reason);
  }

  /** Attempts wait while the key is refused, and go on after a clean reconciliation. */
  #access(refused: boolean, cause: string): void {
    if (refused === this.accessRefused) return;
    if (refused) {
      this.counts.keyRefusals += 1;
      this.#parts.protocol.pause();
    }
    this.#parts.standing.access(refused, cause);
    if (!refused) this.#parts.reconciliation.again();
  }

  #takeOver(recovered: Recovery): void {
    const orders = recovered.orders.map((each) => {
      const order = each.create(this.ledger.nextKey);
      this.#options.gate.remember(each.intent);
      this.ledger.add(order);
      this.ledger.index(order);
      return order;
    });
    const { flatten } = recovered;
    if (flatten !== undefined) {
      this.#parts.operator.flatten.takeOver(flatten, this.#options.byHand === true);
    }
    this.operations.takeOver(recovered.operations);
    this.#parts.reconciliation.takeOver(orders, recovered);
  }
}
