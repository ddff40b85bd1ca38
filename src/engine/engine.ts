import type { BookedTrade } from './account/trade-results.js';
import type { AccountSnapshot } from '../core/account.js';
import { assert } from '../core/assert.js';
import type { Currency } from '../core/currency.js';
import type { EngineEvent, EngineEventBody, EventTime } from '../core/events.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderReport } from '../core/order.js';
import type { Reply } from '../core/request.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { StrategySwitch } from '../execution/recovery/recovered-switches.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import type { TightenedLimit } from '../risk/catalog/limit-changes.js';
import type { RiskLimits } from '../risk/limits/risk-limits.js';
import type { KillLevel, Mode } from '../risk/mode.js';
import type { ActiveRestriction } from '../risk/restrictions.js';
import type { StrategyHost } from '../strategy/host/host.js';
import { OpenExposure } from './account/open-exposure.js';
import type { RunCounts } from './account/run-counts.js';
import type { ControlCounts } from './control-counts.js';
import type { EngineOptions } from './engine-options.js';
import { engineParts } from './engine-parts.js';
import type { EngineFacts } from './engine-facts.js';
import type { PriceCache } from './market/price-cache.js';
import type { CandleSeriesStore, SymbolSeries } from './market/candle-series-store.js';
import type { Operations } from './operations.js';
import type { ExternalActivity } from './reconciliation/external-activity.js';
import type { StrategyInstance } from './engine-strategy-port.js';
import type { ResumeScope } from './trading-state.js';
import { restoreEngine } from './restore-engine.js';
import { startFailureOf } from './start-failure.js';
import type { SymbolHalts } from './account/symbol-halts.js';
import type { UnreadableSymbols } from './account/unreadable-symbols.js';

export type { EngineOptions, StrategyInstance };

/**
 * The one engine: live, sandbox, replay and backtest call the same methods. It is synchronous and
 * deterministic, and has no clock, random source or file of its own: the same events give the same
 * intents, ids and verdicts, byte for byte. Its effects go to the `EffectSink`.
 *
 * This file dispatches each event to its part; engine-parts.ts composes the parts.
 */
export class Engine {
  readonly counts: RunCounts;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly prices: PriceCache;
  readonly series: CandleSeriesStore;
  readonly facts: EngineFacts;
  readonly hosts: readonly StrategyHost[];
  readonly external: ExternalActivity;
  readonly operations: Operations;
  readonly halts: SymbolHalts;
  readonly unreadable: UnreadableSymbols;
  readonly controlCounts: ControlCounts;
  readonly openExposure: OpenExposure;
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
    this.external = parts.external;
    this.operations = parts.operations;
    this.halts = parts.halts;
    this.unreadable = parts.unreadable;
    this.controlCounts = parts.controlCounts;
    this.openExposure = new OpenExposure(parts);
    if (options.recovered !== undefined) restoreEngine(options, parts, options.recovered);
  }

  get mode(): Mode {
    return this.#parts.tradingState.mode;
  }
  /** Times of the newest event. */
  get stamp(): Readonly<EventTime> {
    return this.#parts.stamp;
  }
  get currency(): Currency {
    return this.#options.currency;
  }
  /** The account is reconciled, and nothing has put that in doubt since. */
  get isReady(): boolean {
    return this.#parts.tradingState.isReady;
  }
  /** Restrictions in force, of the account and of symbols. */
  get restrictions(): readonly ActiveRestriction[] {
    return this.#parts.tradingState.restrictions;
  }
  /** Why the command `resume` of this scope would be refused now, with the remedy; undefined: it would not. */
  resumeObjection(scope: ResumeScope): string | undefined {
    return this.#parts.resumption.objection(scope);
  }
  /** The strategies are started, so that a new start of one acts at once. */
  get areStrategiesStarted(): boolean {
    return this.#parts.startupGate.areStrategiesStarted;
  }
  /** The fact that strategies wait for before their start, once the account is reconciled; undefined: none. */
  get missingStartFact(): string | undefined {
    const { reconciliation, startupGate, tradingState } = this.#parts;
    const isHeld = tradingState.isKilled || this.isFlattening;
    if (isHeld || startupGate.areStrategiesStarted || !reconciliation.isComplete) return undefined;
    return startupGate.missingFact;
  }
  /** A trial creation of a strategy, which changes nothing. @throws StrategyLoadError */
  tryStrategy(instance: StrategyInstance): StrategyHost {
    return this.#parts.restarts.create(instance);
  }
  /** Limits of the gate in force now, and those that a person has tightened. */
  get limits(): RiskLimits {
    return this.#options.gate.limits;
  }
  get tightenedLimits(): readonly TightenedLimit[] {
    return this.#parts.limits.tightened;
  }
  /** Stop and pause of a strategy by a person. */
  switchOf(strategy: string): StrategySwitch {
    return this.#parts.switches.of(strategy);
  }
  get killLevel(): KillLevel | undefined {
    return this.#parts.tradingState.killLevel;
  }
  get haltReason(): string | undefined {
    return this.#parts.tradingState.haltReason;
  }
  /** The venue refuses the key: no order is placed until it accepts one again. */
  get isKeyRefused(): boolean {
    return this.#parts.tradingState.isKeyRefused;
  }
  /** Symbols whose position misses its stop, as two reads agree. */
  get unprotected(): readonly string[] {
    return this.#parts.reconciliation.protection.unprotected;
  }
  get instruments(): ReadonlyMap<string, Instrument> {
    return this.#parts.instruments;
  }

  /** The start is over: the account is reconciled, or cannot be. */
  get isStartupComplete(): boolean {
    return this.isReady || startFailureOf(this) !== undefined;
  }

  /** A flatten is in progress in this run. */
  get isFlattening(): boolean {
    return this.#parts.operator.flatten.isActive;
  }

  /** Progress of a flatten of this run; undefined where none was requested. */
  get flattenState(): 'flat' | 'withdrawn' | 'unfinished' | undefined {
    return this.#parts.operator.flatten.state;
  }

  /** Every order has ended or rests at the venue; no reply about one is pending. */
  get isSettled(): boolean {
    return this.ledger.allResolved;
  }

  /** No order is unproved, and the venue's positions, read after our last change, equal ours. */
  get isReconciled(): boolean {
    return this.isSettled && this.#parts.reconciliation.positionsAgree && !this.isKeyRefused;
  }

  /** The wallet has our last fill in it: a profit that is computed now is whole. */
  get isWalletCurrent(): boolean {
    return this.#parts.reconciliation.isWalletCurrent;
  }

  /** Live and replay: one event, one step. */
  handle(event: EngineEvent): void {
    this.setTime(event.venueTime, event.monotonic);
    this.#handle(event);
    this.#parts.lossLimiter?.check();
  }

  /** Sets both clocks for the following calls. */
  setTime(venueTime: number, monotonic: number): void {
    this.#parts.stamp.venueTime = venueTime;
    this.#parts.stamp.monotonic = monotonic;
  }

  #handle(event: EngineEventBody): void {
    switch (event.kind) {
      case 'instruments':
        this.start(event.instruments);
        return;
      case 'candles':
        if (event.strategy !== undefined) {
          this.#parts.router.onHistory(event.strategy, event.symbol, event.candles);
          return;
        }
        this.#parts.router.onCandles(event.symbol, event.candles, event.live);
        return;
      case 'warm-up':
        this.#parts.startupGate.setWarmUp(event.isPending);
        return;
      case 'revision':
        this.#parts.router.onRevision(event.symbol, event.candle);
        return;
      case 'seconds':
        this.#parts.streams.onSecond(event);
        this.#parts.marketMonitor.onPrice(event.symbol);
        this.#parts.startupGate.tryStartTrading();
        return;
      case 'mark-candles':
        this.#parts.streams.onMarkCandle(event);
        return;
      case 'funding':
        this.#parts.streams.onFunding(event);
        return;
      case 'tickers':
        this.#parts.router.onTickers(event.rows);
        for (const { symbol } of event.rows) this.#parts.marketMonitor.onPrice(symbol);
        this.#parts.reconciliation.protection.onPrices();
        this.#parts.startupGate.tryStartTrading();
        return;
      case 'feed':
        this.#options.effects.notify({
          level: event.up ? 'info' : 'warn',
          text: `market data is ${event.up ? 'up' : 'down'}: ${event.reason}`,
        });
        return;
      case 'account':
        this.onAccountSnapshot(event.snapshot);
        return;
      case 'availability':
      case 'access':
        this.#parts.venueAccess.onEvent(event);
        return;
      case 'poll-failed':
        this.#parts.breakers.onPollFailed();
        return;
      case 'clock-skew':
        this.#parts.breakers.onClockSkew(event.skewMs);
        return;
      case 'slot':
        this.onPermitGranted(event.requestId);
        return;
      case 'reply':
        this.onReply(event.requestId, event.reply);
        return;
      case 'timer':
        this.onTimer(event.key);
        return;
      case 'strategy-lost':
        if (this.#parts.restarts.runOf(event.strategy) !== event.run) return;
        this.hosts.find(({ id }) => id === event.strategy)?.onWorkerFailed(event.reason);
        return;
      case 'command':
        this.#parts.operator.execute(event.commandId, event.command);
        if (event.command.kind === 'stop') this.#parts.losses?.onStopping();
        return;
      case 'journal-failed':
        this.halt(`the journal cannot be written: ${event.reason}`);
    }
  }

  onPermitGranted(requestId: number): void {
    this.#parts.requests.onPermitGranted(requestId);
  }

  onReply(requestId: number, reply: Reply): void {
    this.#parts.hedgeRate.onReply(reply);
    // First: requests that follow from the rows must not leave when another writer is detected.
    if (reply.to === 'read-order-history' && reply.outcome.kind === 'yes') {
      this.#parts.reconciliation.onOrderHistory(reply.outcome.value);
    }
    this.#parts.requests.onReply(requestId, reply);
    this.#parts.breakers.onReply(reply);
    this.#parts.startupGate.tryStartTrading();
  }

  onTimer(timerKey: string): void {
    this.#parts.requests.onTimer(timerKey);
  }

  /** Accepts the instruments' rules, sets leverage and resumes the state of previous runs. */
  start(instruments: readonly Instrument[]): void {
    for (const instrument of instruments)
      this.#parts.instruments.set(instrument.symbol, instrument);
    this.#parts.hedgeRate.start();
    this.#parts.tradingState.start();
    this.#parts.limits.start();
    if (this.#options.manualSession !== true) this.#parts.breakers.onStart();
    for (const strategy of this.#options.strategies) {
      for (const symbol of strategy.symbols) {
        assert(this.#parts.instruments.has(symbol), `The venue lists ${symbol}`);
        if (strategy.leverage !== undefined)
          this.#parts.leverage.configure(symbol, strategy.leverage);
      }
    }
    this.#parts.switches.restore();
    this.operations.resume();
    this.#parts.startupGate.start();
    this.#parts.instrumentMonitor.start();
    this.#parts.reconciliation.start();
  }

  /** Backtest: the candle at `index` of an attached series has closed. */
  onCandle(series: SymbolSeries, index: number, live: boolean): void {
    this.#parts.router.onCandle(series, index, live);
    this.#parts.losses?.onCandle();
    this.#parts.lossLimiter?.check();
  }

  /** Backtest: every symbol's candle that closed at `closedAt` has been processed. */
  onCandlesClosed(closedAt: number, live: boolean): void {
    this.#parts.router.onCandlesClosed(closedAt, live);
    this.#parts.orderLifetime.cancelOld();
  }

  /**
   * Calls the listener with each trade from now on, before the position moves. Preset `none` measures no trades.
   */
  watchTrades(listener: (trade: BookedTrade) => void): void {
    this.#parts.losses?.results.watch(listener);
  }

  onAccountSnapshot(snapshot: AccountSnapshot): void {
    this.#parts.hedgeRate.onSnapshot(snapshot);
    this.#parts.reconciliation.onSnapshot(snapshot);
    this.#measureLosses(snapshot);
    if (snapshot.kind === 'positions' && this.#options.effects.journaling) {
      this.#parts.leverageMonitor.onPositions(snapshot.positions);
    }
    if (snapshot.kind === 'open-orders') this.#parts.orderLifetime.cancelOld();
    this.#parts.operator.flatten.checkFlat();
    this.#parts.startupGate.tryStartTrading();
  }

  /** A late older snapshot of the wallet is ignored. */
  #measureLosses(snapshot: AccountSnapshot): void {
    const { losses, accountView } = this.#parts;
    const { currency, startedAt } = snapshot;
    if (losses === undefined || currency !== this.currency) return;
    const { walletAt } = accountView.of(currency);
    if (snapshot.kind === 'positions') losses.onPositions();
    else if (snapshot.kind === 'wallet' && walletAt === startedAt)
      losses.onWallet(snapshot.wallet, startedAt);
  }

  /** The venue behind this engine is the account itself: no snapshot can be stale. */
  markAccountCurrent(): void {
    this.#parts.reconciliation.markCurrent();
  }

  /** A report pushed by a simulated venue: authoritative, unlike a read that may lag. */
  onOrderReport(key: number, report: OrderReport): void {
    this.#parts.protocol.applyAuthoritativeReport(this.ledger.byKey(key), report);
  }

  /** No more orders are placed; unproved orders are still queried. */
  halt(reason: string): void {
    this.#parts.tradingState.halt(reason);
  }
}
