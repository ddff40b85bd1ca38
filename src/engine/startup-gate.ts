import type { EventTime } from '../core/events.js';
import type { EffectSink } from '../execution/effects.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { PositionLedger } from '../execution/position-ledger.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { PriceCache } from './market/price-cache.js';
import type { CandleSeriesStore } from './market/candle-series-store.js';
import type { Operator } from './operator/operator.js';
import type { StrategySwitches } from './operator/strategy-switches.js';
import type { Reconciliation } from './reconciliation/reconciliation.js';
import type { TradingState } from './trading-state.js';
import type { LeverageSettings } from './watch/leverage-settings.js';

/** Monotonic ms that an open position waits for facts that entries alone need (hazard J16). */
const ENTRY_FACTS_WAIT_MS = 10_000;

export interface StartupGateParts {
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly prices: PriceCache;
  readonly series: CandleSeriesStore;
  readonly leverage: LeverageSettings;
  readonly reconciliation: Reconciliation;
  readonly tradingState: TradingState;
  readonly protocol: OrderProtocol;
  readonly operator: Operator;
  readonly hosts: readonly StrategyHost[];
  /** Positions of a retired id are closed before a strategy trades their symbols. */
  readonly switches: Pick<StrategySwitches, 'closesForStart'>;
  /** The account is reconciled, at the start and after each time of doubt. */
  readonly onReady: () => void;
}

/**
 * Conditions before the first order: positions and our orders agree with the venue, open orders and the wallet
 * are read, leverage is set, prices of waiting orders are known. The exits of an open position need the first alone.
 */
export class StartupGate {
  readonly #parts: StartupGateParts;
  /** Symbols that a person resumed before their strategies were started. */
  readonly #resumed = new Set<string>();
  #hostsStarted = false;

  /** Orders may leave, but the strategies are not started yet. */
  #hostsPending = false;
  #leverageRequested = false;
  /** Monotonic ms since which the account is reconciled and another condition does not hold. */
  #waitingSince: number | undefined;
  /** The account is read before the candles of the warm-up. */
  #isWarmingUp = false;
  /** Symbols that trade without a known leverage: they may only reduce. */
  readonly #withoutLeverage = new Set<string>();

  constructor(parts: StartupGateParts) {
    this.#parts = parts;
  }

  /** Strategies are started: a new one is started at once. */
  get areStrategiesStarted(): boolean {
    return this.#hostsStarted;
  }

  /** The fact that the strategies wait for besides the account; undefined: none. */
  get missingFact(): string | undefined {
    const { leverage, reconciliation } = this.#parts;
    if (this.#isWarmingUp) return 'the candles of the warm-up are not read yet';
    const { unreadPart } = reconciliation;
    if (unreadPart !== undefined) return `the ${unreadPart} of the account cannot be read`;
    if (!leverage.isSettled)
      return `the venue has not confirmed the leverage of ${leverage.unsettled.join(', ')}`;
    const unpriced = this.#unpricedSymbol();
    return unpriced === undefined ? undefined : `no price of ${unpriced} has arrived`;
  }

  /** Resumes a symbol for its strategies, at once or when they start. */
  resume(symbol: string): void {
    if (this.#hostsStarted) this.#notifyResumed(symbol);
    else this.#resumed.add(symbol);
  }

  /** A flatten of a previous run goes first: its cancels and exits need no leverage. */
  start(): void {
    const { operator } = this.#parts;
    operator.flatten.resume();
    if (!this.#mustHostsWait()) this.#requestLeverage();
  }

  setWarmUp(isPending: boolean): void {
    this.#isWarmingUp = isPending;
    this.tryStartTrading();
  }

  /** Starts trading as soon as all conditions hold, at the start and after every reconciliation. */
  tryStartTrading(): void {
    const { tradingState, protocol, operator, reconciliation } = this.#parts;
    if (this.#withoutLeverage.size > 0) this.#restrictUnread();
    if (tradingState.phase !== 'reconciling' || tradingState.haltReason !== undefined) {
      if (this.#hostsPending) this.#startHosts();
      return;
    }
    if (tradingState.isKeyRefused) return;
    const isReady = this.#mustHostsWait() ? reconciliation.isComplete : this.#isReady();
    if (!isReady) return;
    tradingState.becomeReady();
    this.#parts.onReady();
    protocol.resumeSubmission();
    this.#hostsPending = true;
    this.#startHosts();
    operator.continueFlatten();
  }

  /**
   * Strategies trade only after the warm-up, a flatten or the close of a retired id has ended, and never under a kill
   * switch. The account is reconciled meanwhile.
   */
  #mustHostsWait(): boolean {
    const { tradingState, operator, switches } = this.#parts;
    const closes = operator.flatten.isActive || switches.closesForStart;
    return tradingState.isKilled || closes || this.#isWarmingUp;
  }

  #startHosts(): void {
    if (this.#mustHostsWait()) return;
    this.#requestLeverage();
    if (!this.#isReady()) return;
    this.#hostsPending = false;
    for (const symbol of this.#parts.leverage.unsettled) this.#withoutLeverage.add(symbol);
    this.#restrictUnread();
    for (const host of this.#parts.hosts) host.start();
    this.#hostsStarted = true;
    for (const symbol of this.#resumed) this.#notifyResumed(symbol);
    this.#resumed.clear();
  }

  #notifyResumed(symbol: string): void {
    const traders = this.#parts.hosts.filter(({ symbols }) => symbols.includes(symbol));
    for (const host of traders) host.resume(symbol);
    if (traders.length > 0) return;
    const text = `--resume ${symbol}: no configured strategy trades it`;
    this.#parts.effects.notify({ level: 'warn', text });
  }

  #requestLeverage(): void {
    if (this.#leverageRequested) return;
    this.#leverageRequested = true;
    this.#parts.leverage.start();
  }

  /** Entries of a symbol without a known leverage are held, and not refused for good (R15). */
  #restrictUnread(): void {
    const { leverage, tradingState } = this.#parts;
    const { unsettled } = leverage;
    for (const symbol of this.#withoutLeverage) {
      if (unsettled.includes(symbol)) {
        const cause = `the venue has not confirmed the leverage of ${symbol}`;
        const restriction = { control: 'R15', symbol, to: 'REDUCE_ONLY', cause } as const;
        tradingState.restrict({ ...restriction, class: 'self-clearing' });
        continue;
      }
      this.#withoutLeverage.delete(symbol);
      if (leverage.failure(symbol) === undefined)
        tradingState.lift('R15', symbol, 'the leverage is as configured');
    }
  }

  /** Whether trading may start. A symbol whose leverage the venue refuses may only reduce (R15). */
  #isReady(): boolean {
    if (!this.#parts.reconciliation.isComplete) return false;
    if (this.missingFact !== undefined) return this.#hasExitsThatWaited();
    this.#waitingSince = undefined;
    return true;
  }

  #hasExitsThatWaited(): boolean {
    const { stamp, positions } = this.#parts;
    this.#waitingSince ??= stamp.monotonic;
    const isOver = stamp.monotonic - this.#waitingSince >= ENTRY_FACTS_WAIT_MS;
    return isOver && [...positions.openPositions()].length > 0;
  }

  /** A waiting entry is judged by the current price; an exit needs none. */
  #unpricedSymbol(): string | undefined {
    const { ledger, series, prices } = this.#parts;
    for (const { state, active, terms } of ledger.allOpenOrders()) {
      const mayGoAgain = state === 'retrying' || (state === 'verifying' && active);
      const needsPrice = !terms.reduceOnly && (state === 'waiting' || mayGoAgain);
      const hasSeries = series.find(terms.symbol) !== undefined;
      if (needsPrice && hasSeries && prices.last(terms.symbol) === undefined) return terms.symbol;
    }
    return undefined;
  }
}
