import type { AccountSnapshot } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { EngineEvent, Happening } from '../core/events.js';
import type { Ratio } from '../core/fixed.js';
import { namespaceOf } from '../core/ids.js';
import type { Instrument } from '../core/instrument.js';
import type { Interval } from '../core/interval.js';
import type { OrderReport } from '../core/order.js';
import type { Reply } from '../core/request.js';
import { Desk } from '../execution/desk.js';
import type { EffectSink } from '../execution/effects.js';
import { Journal } from '../execution/journal/journal.js';
import { Lanes } from '../execution/lanes.js';
import { OrderLedger } from '../execution/order/order-ledger.js';
import { OrderProtocol } from '../execution/order/order-protocol.js';
import { PositionBook } from '../execution/position-book.js';
import type { Recovery } from '../execution/recovery/recovery.js';
import type { Gate } from '../risk/gate.js';
import type { KillLevel, Mode } from '../risk/mode.js';
import type { StrategyHost } from '../strategy/host/host.js';
import { AccountExposure } from './account-exposure.js';
import { AccountView } from './account-view.js';
import { Beginning } from './beginning.js';
import { CandleRouter } from './market/candle-router.js';
import { RunCounts } from './counts.js';
import { submitExit } from './engine-exit.js';
import { ForeignBook } from './reconciliation/foreign-book.js';
import { EngineFacts } from './gate-facts.js';
import { LeverageBook } from './watch/leverage-book.js';
import { LeverageWatch } from './watch/leverage-watch.js';
import { Operations } from './operations.js';
import { Operator } from './operator/operator.js';
import { OrderIntake } from './order-intake.js';
import { PriceBook } from './market/price-book.js';
import { Reconciliation } from './reconciliation/reconciliation.js';
import { seated, type StrategySeat } from './seat-world.js';
import { SeriesBook, type SymbolSeries } from './market/series-book.js';
import { Standing } from './standing.js';
import { StreamRouter } from './market/stream-router.js';
import { SymbolHalts } from './symbol-halts.js';

export interface EngineOptions {
  /** Names the journal; part of every client order id. */
  readonly account: string;
  readonly currency: Currency;
  /** Interval of the candles that arrive. */
  readonly base: Interval;
  readonly seats: readonly StrategySeat[];
  readonly gate: Gate;
  readonly effects: EffectSink;
  /** INR per USDT. */
  readonly hedgeRate?: Ratio;
  /** What an earlier life left in the journal. */
  readonly recovered?: Recovery;
}

export type { StrategySeat };

/**
 * The one engine: live, sandbox, replay and backtest call the same methods. It is synchronous and
 * deterministic, and has no clock, random source or file of its own: the same events give the same
 * intents, ids and verdicts, byte for byte. What it wants done goes to the `EffectSink`.
 *
 * This file composes the parts and hands each event to the one that it concerns.
 */
export class Engine {
  readonly counts = new RunCounts();
  readonly positions = new PositionBook();
  readonly ledger = new OrderLedger(this.positions);
  readonly prices = new PriceBook();
  readonly series: SeriesBook;
  readonly facts: EngineFacts;
  readonly hosts: readonly StrategyHost[];

  readonly #options: EngineOptions;
  readonly #stamp = { venueTime: 0, monotonic: 0 };
  readonly #account = new AccountView();
  readonly foreign: ForeignBook;
  readonly operations: Operations;
  readonly halts: SymbolHalts;
  readonly #instruments = new Map<string, Instrument>();
  readonly #desk: Desk;
  readonly #standing: Standing;
  readonly #protocol: OrderProtocol;
  readonly #leverage: LeverageBook;
  readonly #leverageWatch: LeverageWatch;
  readonly #intake: OrderIntake;
  readonly #reconciliation: Reconciliation;
  readonly #operator: Operator;
  readonly #beginning: Beginning;
  readonly #router: CandleRouter;
  readonly #streams: StreamRouter;

  constructor(options: EngineOptions) {
    const { account, currency, effects, gate } = options;
    const { counts, positions, ledger, prices } = this;
    const stamp = this.#stamp;
    const halt = (reason: string): void => {
      this.halt(reason);
    };
    this.#options = options;
    const desk = new Desk(effects, stamp);
    const journal = new Journal(effects, stamp);
    const standing = new Standing({ journal, effects });
    const lanes = new Lanes();
    const protocol = new OrderProtocol({
      world: this.#protocolWorld(),
      desk,
      ledger,
      journal,
      lanes,
    });
    const changed = (): void => {
      this.#tryToBegin();
    };
    const operations = new Operations({
      account,
      stamp,
      effects,
      desk,
      ledger,
      positions,
      standing,
      lanes,
      cancel: (order) => {
        protocol.cancel(order);
      },
      ended: (operation) => {
        this.#operator.operationEnded(operation);
      },
      halt,
    });
    this.operations = operations;
    this.#leverage = new LeverageBook({ setting: operations.leverage, currency, changed });
    const leverage = this.#leverage;
    const symbols = (): Iterable<string> => new Set(options.seats.flatMap((seat) => seat.symbols));
    this.#leverageWatch = new LeverageWatch({ stamp, currency, desk, effects, leverage, symbols });
    this.#desk = desk;
    this.#standing = standing;
    this.#protocol = protocol;
    const foreign = new ForeignBook((text) => {
      effects.notify({ level: 'warn', text });
    });
    const halts = new SymbolHalts({
      journal,
      effects,
      haltAccount: halt,
      ...(options.recovered !== undefined && { recovered: options.recovered.halts }),
    });
    this.foreign = foreign;
    this.halts = halts;
    const facts = new EngineFacts({
      stamp,
      instruments: this.#instruments,
      prices,
      account: this.#account,
      positions,
      exposure: new AccountExposure({ ledger, positions, foreign }),
      halts,
      leverage: this.#leverage,
      hedgeRate: options.hedgeRate,
      mode: () => this.mode,
      killLevel: () => this.killLevel,
    });
    this.facts = facts;
    const hosts: StrategyHost[] = [];
    this.hosts = hosts;
    const parts = { stamp, effects, desk, journal, standing, facts, ledger, positions, protocol };
    const intake = new OrderIntake({ ...parts, account, gate, counts, hosts });
    const submit = intake.submit.bind(intake);
    this.#intake = intake;
    this.#streams = new StreamRouter({ stamp, prices, hosts });
    hosts.push(
      ...options.seats.map((seat) =>
        seated(seat, {
          ...parts,
          currency,
          prices,
          submit,
          protecting: operations.protecting,
          funding: this.#streams.funding,
          ...(options.recovered !== undefined && { kept: options.recovered.states }),
        }),
      ),
    );
    const series = new SeriesBook(options.base, hosts);
    this.series = series;
    this.#router = new CandleRouter({ stamp, series, prices, hosts, desk });
    this.#operator = new Operator({
      ...parts,
      series,
      hosts,
      submit,
      refuse: intake.refuse.bind(intake),
      objection: intake.objection.bind(intake),
      operations,
      adopt: (what) => {
        this.#reconciliation.adopt(what);
      },
    });
    this.#reconciliation = new Reconciliation({
      ...parts,
      currency,
      namespace: namespaceOf(account),
      account: this.#account,
      foreign,
      halts,
      trades: (symbol) => series.find(symbol) !== undefined,
      protecting: operations.protecting,
      close: (exit) => {
        submitExit({ ...parts, submit }, exit);
      },
      moved: (symbol, text) => {
        this.#movedByOthers(symbol, text);
      },
      halt,
    });
    this.#beginning = new Beginning({
      ...parts,
      prices,
      series,
      leverage,
      reconciliation: this.#reconciliation,
      halt,
    });
    if (options.recovered !== undefined) this.#takeOver(options.recovered);
  }

  get mode(): Mode {
    return this.#standing.mode;
  }
  get currency(): Currency {
    return this.#options.currency;
  }
  get killLevel(): KillLevel | undefined {
    return this.#standing.killLevel;
  }
  get haltReason(): string | undefined {
    return this.#standing.haltReason;
  }
  /** The venue refuses the key: nothing is placed until it accepts one again. */
  get accessRefused(): boolean {
    return this.#standing.accessRefused;
  }
  get instruments(): ReadonlyMap<string, Instrument> {
    return this.#instruments;
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
    return this.settled && this.#reconciliation.agreed && !this.accessRefused;
  }

  // --- events --------------------------------------------------------------------------------------

  /** Live and replay: one event, one step. */
  handle(event: EngineEvent): void {
    this.at(event.venueTime, event.monotonic);
    this.#handle(event);
  }

  /** Sets both times for what follows. */
  at(venueTime: number, monotonic: number): void {
    this.#stamp.venueTime = venueTime;
    this.#stamp.monotonic = monotonic;
  }

  #handle(event: Happening): void {
    switch (event.kind) {
      case 'instruments':
        this.start(event.instruments);
        return;
      case 'candles':
        this.#router.candles(event.symbol, event.candles, event.live);
        return;
      case 'revision':
        this.#router.revision(event.symbol, event.candle);
        return;
      case 'seconds':
        this.#streams.second(event);
        this.#tryToBegin();
        return;
      case 'mark-candles':
        this.#streams.markCandle(event);
        return;
      case 'funding':
        this.#streams.fund(event);
        return;
      case 'tickers':
        this.#router.tickers(event.rows);
        this.#tryToBegin();
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
        this.#operator.command(event.commandId, event.command);
        return;
      case 'journal-failed':
        this.halt(`the journal cannot be written: ${event.reason}`);
    }
  }

  slot(requestId: number): void {
    this.#desk.slot(requestId);
  }

  reply(requestId: number, reply: Reply): void {
    this.#desk.reply(requestId, reply);
    this.#tryToBegin();
  }

  fire(timerKey: string): void {
    this.#desk.fire(timerKey);
  }

  /** Takes the rules of the instruments, sets leverage and looks at what an earlier life left. */
  start(instruments: readonly Instrument[]): void {
    for (const instrument of instruments) this.#instruments.set(instrument.symbol, instrument);
    this.#standing.advance({ kind: 'started' });
    for (const seat of this.#options.seats) {
      for (const symbol of seat.symbols) {
        assert(this.#instruments.has(symbol), `The venue lists ${symbol}`);
        this.#leverage.want(symbol, seat.leverage);
      }
    }
    this.operations.resume();
    this.#leverage.start();
    this.#reconciliation.start();
  }

  /** Backtest: the candle at `index` of an attached series has closed. */
  candle(series: SymbolSeries, index: number, live: boolean): void {
    this.#router.candle(series, index, live);
  }

  /** Backtest: every symbol's candle that closed then has been told. */
  closed(closedAt: number): void {
    this.#router.closed(closedAt);
  }

  accountSnapshot(snapshot: AccountSnapshot): void {
    this.#reconciliation.see(snapshot);
    if (snapshot.kind === 'positions' && this.#options.effects.journaling) {
      this.#leverageWatch.see(snapshot.positions);
    }
    this.#tryToBegin();
  }

  /** The venue behind this engine is the account itself: no snapshot of it can be old. */
  accountIsCurrent(): void {
    this.#reconciliation.isCurrent();
  }

  /** Pushed by a simulated venue: the truth about an order, not a read that may lag. */
  orderReport(key: number, report: OrderReport): void {
    this.#protocol.tell(this.ledger.byKey(key), report);
  }

  /** Nothing more is placed; what is unproved is still looked at. */
  halt(reason: string): void {
    this.#standing.halt(reason);
  }

  /** Attempts wait while the key is refused, and go on after a clean reconciliation. */
  #access(refused: boolean, cause: string): void {
    if (refused === this.accessRefused) return;
    if (refused) {
      this.counts.keyRefusals += 1;
      this.#protocol.pause();
    }
    this.#standing.access(refused, cause);
    if (!refused) this.#reconciliation.again();
  }

  // --- between the parts ---------------------------------------------------------------------------

  #protocolWorld(): ConstructorParameters<typeof OrderProtocol>[0]['world'] {
    return {
      stamp: this.#stamp,
      reasonToHold: (order) => this.#intake.reasonToHold(order),
      accepted: () => {
        this.counts.ordersPlaced += 1;
      },
      filled: (order, quantity, price) => {
        const inherited = this.#reconciliation.filled(order, quantity);
        this.#intake.filled(order, quantity, price, inherited);
      },
      ended: (order, end, reason) => {
        this.#intake.ended(order, end, reason);
        this.operations.amending.orderEnded(order);
        this.#operator.ended(order);
        if (end === 'filled') this.#operator.goOn();
        // The venue cancels a reduction whose position is gone.
        else if (end === 'canceled' && order.terms.reduceOnly) this.#reconciliation.readPositions();
      },
      positionDoubted: () => {
        this.#reconciliation.readPositions();
      },
      absent: (order, since) => this.#reconciliation.absent(order, since),
      halt: (reason) => {
        this.halt(reason);
      },
    };
  }

  #movedByOthers(symbol: string, text: string): void {
    this.#options.effects.notify({ level: 'warn', text });
    this.#intake.positionMoved(symbol);
    this.#operator.goOn();
  }

  #takeOver(recovered: Recovery): void {
    const orders = recovered.orders.map((each) => {
      const order = each.create(this.ledger.nextKey);
      this.#options.gate.remember(each.intent);
      this.ledger.add(order);
      this.ledger.index(order);
      return order;
    });
    this.operations.takeOver(recovered.operations);
    this.#reconciliation.takeOver(orders, recovered);
  }

  #tryToBegin(): void {
    if (this.mode !== 'RECONCILING' || this.accessRefused || !this.#beginning.isReady) return;
    this.#standing.advance({ kind: 'reconciled' });
    this.#protocol.goOn();
    for (const host of this.hosts) host.start();
    this.#operator.goOn();
  }
}
