import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { absolute, negate, subtract, textFromFixed, type Price } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import { backoffDelay } from '../../execution/constants.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import { restoreCause } from '../../execution/protection/managed-protective-order.js';
import type {
  EndedProtectiveOrder,
  ProtectiveOrderManager,
} from '../../execution/protection/protective-order-manager.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import { judgeNakedPosition } from '../../risk/controls/naked-position.js';
import type { RiskLimits } from '../../risk/limits/risk-limits.js';
import type { EngineExit } from '../engine-exit.js';
import type { PriceCache } from '../market/price-cache.js';
import { StopOutage } from './stop-outage.js';
import { isStopPassed, rebuiltStopPrice } from './stop-price.js';
import type { TradingState } from '../trading-state.js';

/** Typical time to set a stop and read it back: a new stop is attempted before the position is closed. */
const MIN_RESTORE_MS = 3_000;
/** Monotonic ms between two stops under one missing stop, where no refusal asks for another one at once. */
const RETRY_DELAYS_MS: readonly number[] = [500, 1_000, 2_000, 5_000];
/** A second refusal sooner than this may have the same passing cause as the first, monotonic ms. */
const REBUILD_DELAY_MS = 2_000;
/** Monotonic ms between two judgements of time and price, once the first limit has passed. */
const WATCH_INTERVAL_MS = 1_000;
/** Monotonic ms between the rounds of an unfinished close. */
const CLOSE_RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000];

interface MissingStop {
  /** Venue ms of its detection: part of the ids of the orders that fix it. */
  readonly venueTime: number;
  /** Start of the last read that showed the stop, monotonic ms. */
  readonly nakedSince: number;
  /** Monotonic ms before which no lack of time closes the position. */
  readonly earliestClose: number;
  refusals: number;
  retries: number;
  /** A stop is being set, or its rules are being read: its end decides. */
  isUnderWay: boolean;
  /** A rebuilt price, and the required price that it was built from. */
  rebuilt: { readonly from: Price; readonly price: Price } | undefined;
  closes: number;
  timer: string | undefined;
  closeTimer: string | undefined;
}

/**
 * Sets missing stops again, and closes a position whose stop cannot be proved in time (control R18,
 * `judgeNakedPosition`).
 */
export class StopRestorer {
  readonly #parts: StopRestorerParts;
  readonly #missing = new Map<string, MissingStop>();
  readonly #outage: StopOutage;

  constructor(parts: StopRestorerParts) {
    this.#parts = parts;
    this.#outage = new StopOutage({
      ...parts,
      restrictEntries: (kind, cause) => {
        parts.tradingState.restrict({ control: 'R18', to: 'REDUCE_ONLY', class: kind, cause });
      },
      nakedPositions: () => [...this.#missing.keys()].map((symbol) => this.#name(symbol)),
    });
  }

  get unprotected(): readonly string[] {
    return [...this.#missing.keys()];
  }

  /** Two reads agree that the position has no stop. Repeated by every such read. */
  onMissing(symbol: string, nakedSince: number): void {
    if (!this.#missing.has(symbol)) this.#begin(symbol, nakedSince);
    this.#act(symbol);
  }

  /** Its stop is live again. */
  onRestored(symbol: string): void {
    if (this.#missing.has(symbol)) this.#warn(symbol, 'its position has its stop again');
    this.forget(symbol);
  }

  /** The position needs no stop any more. */
  forget(symbol: string): void {
    const missing = this.#missing.get(symbol);
    if (missing === undefined) return;
    this.#parts.requests.cancelTimer(missing.timer);
    this.#parts.requests.cancelTimer(missing.closeTimer);
    this.#missing.delete(symbol);
    if (this.#missing.size === 0) this.#outage.end();
  }

  /** A request for a stop has ended. */
  onEnded({ symbol, slot, end, refusal }: EndedProtectiveOrder): void {
    const missing = this.#missing.get(symbol);
    if (missing === undefined || slot !== 'stopLoss') return;
    missing.isUnderWay = false;
    if (end === 'live') return;
    if (refusal !== undefined) {
      missing.refusals += 1;
      if (!this.#outage.isActive) this.#warn(symbol, `the venue refuses its stop: ${refusal}`);
      this.#outage.onRefused(symbol, refusal);
    }
    if (refusal === undefined || this.#outage.isActive)
      this.#actLater(symbol, missing, backoffDelay(RETRY_DELAYS_MS, missing.retries));
    else if (missing.refusals === 1) this.#actLater(symbol, missing, REBUILD_DELAY_MS);
    else this.#act(symbol);
  }

  /** New prices: the market may have passed the price of a stop that the venue does not have. */
  onPrices(): void {
    for (const [symbol] of this.#missing)
      if (this.#isPricePassed(symbol) === true) this.#act(symbol);
  }

  #begin(symbol: string, nakedSince: number): void {
    const { stamp, limits } = this.#parts;
    const { venueTime, monotonic } = stamp;
    this.#warn(symbol, `its position of ${this.#ownText(symbol)} has no stop: one is set`);
    const missing: MissingStop = {
      venueTime,
      nakedSince,
      earliestClose: monotonic + MIN_RESTORE_MS,
      refusals: 0,
      retries: 0,
      isUnderWay: false,
      rebuilt: undefined,
      closes: 0,
      timer: undefined,
      closeTimer: undefined,
    };
    this.#missing.set(symbol, missing);
    const dueAt = Math.max(nakedSince + limits().protection.maxNakedMs, missing.earliestClose);
    this.#watchTime(symbol, missing, dueAt - monotonic);
  }

  /** Reads and replies may fail to come: time alone closes a position. */
  #watchTime(symbol: string, missing: MissingStop, delayMs: number): void {
    this.#parts.requests.after(delayMs, () => {
      if (this.#missing.get(symbol) !== missing || missing.closes > 0) return;
      this.#act(symbol);
      this.#watchTime(symbol, missing, WATCH_INTERVAL_MS);
    });
  }

  #act(symbol: string): void {
    const missing = this.#missing.get(symbol);
    if (missing === undefined || missing.closes > 0) return;
    const action = judgeNakedPosition(this.#facts(symbol, missing));
    if (action.kind === 'close') this.#close(symbol, missing, action.reason);
    else if (missing.isUnderWay || missing.timer !== undefined) return;
    else if (action.kind === 'rebuild') this.#rebuild(symbol, missing);
    else this.#set(symbol, missing);
  }

  #facts(symbol: string, missing: MissingStop) {
    const { stamp, limits } = this.#parts;
    const { maxNakedMs } = limits().protection;
    const elapsed = stamp.monotonic - missing.nakedSince;
    const isEarly = stamp.monotonic < missing.earliestClose;
    return {
      nakedMs: isEarly ? Math.min(elapsed, maxNakedMs - 1) : elapsed,
      maxNakedMs,
      refusals: missing.refusals,
      isPricePassed: this.#isPricePassed(symbol),
      isOutage: this.#outage.isActive,
    };
  }

  #set(symbol: string, missing: MissingStop): void {
    const { protectiveOrders, currency, requiredStop } = this.#parts;
    const required = requiredStop(symbol);
    if (required === undefined) return;
    if (protectiveOrders.states(symbol, currency).stopLoss === 'live') {
      this.onRestored(symbol);
      return;
    }
    const { rebuilt } = missing;
    const stopLoss = rebuilt?.from === required ? rebuilt.price : required;
    missing.isUnderWay = true;
    protectiveOrders.protect(
      symbol,
      currency,
      { stopLoss },
      restoreCause(symbol, missing.venueTime),
    );
  }

  /** Rules of the instrument are read first: a venue may have changed them. */
  #rebuild(symbol: string, missing: MissingStop): void {
    const { requests, instruments, requiredStop, row } = this.#parts;
    missing.isUnderWay = true;
    requests.enqueue<'read-instrument'>({
      request: { kind: 'read-instrument', symbol },
      priority: 'protect',
      onReply: (outcome) => {
        if (this.#missing.get(symbol) !== missing) return;
        missing.isUnderWay = false;
        if (outcome.kind === 'yes') instruments.set(symbol, outcome.value);
        const [required, rules] = [requiredStop(symbol), instruments.get(symbol)];
        if (required === undefined || rules === undefined) return;
        const price = rebuiltStopPrice(required, rules, row(symbol));
        missing.rebuilt = { from: required, price };
        this.#warn(symbol, `its stop is built again, at ${textFromFixed(price)}`);
        if (missing.closes === 0) this.#set(symbol, missing);
      },
    });
  }

  #actLater(symbol: string, missing: MissingStop, delayMs: number): void {
    const { requests } = this.#parts;
    requests.cancelTimer(missing.timer);
    missing.timer = requests.after(delayMs, () => {
      missing.timer = undefined;
      missing.retries += 1;
      if (this.#missing.get(symbol) === missing) this.#act(symbol);
    });
  }

  #close(symbol: string, missing: MissingStop, reason: string): void {
    const { protectiveOrders, currency, requests, positions, ledger, close } = this.#parts;
    if (this.#missing.get(symbol) !== missing) return;
    if (protectiveOrders.states(symbol, currency).stopLoss === 'live') {
      this.onRestored(symbol);
      return;
    }
    const own = positions.ownQuantity(symbol, currency);
    const remaining = subtract(absolute(own), ledger.closingQuantity(symbol, currency));
    const ordinal = missing.closes;
    missing.closes += 1;
    if (own !== 0 && remaining > 0) {
      if (ordinal === 0) this.#warn(symbol, `its position is closed: ${reason}`);
      const { venueTime } = missing;
      close({
        cause: { kind: 'timer', venueTime, key: `naked:${symbol}` },
        ordinal,
        symbol,
        currency,
        quantity: own < 0 ? negate(remaining) : remaining,
      });
    }
    if (ordinal === 0) this.#outage.onClosed(symbol);
    missing.closeTimer = requests.after(backoffDelay(CLOSE_RETRY_DELAYS_MS, ordinal), () => {
      this.#close(symbol, missing, reason);
    });
  }

  /** undefined: no price, or one that is too old for a limit exit (R05). */
  #isPricePassed(symbol: string): boolean | undefined {
    const { prices, stamp, limits, requiredStop, positions, currency } = this.#parts;
    const [last, stop] = [prices.lastPrice(symbol), requiredStop(symbol)];
    if (last === undefined || stop === undefined) return undefined;
    if (stamp.monotonic - last.at > limits().maxReferencePriceAgeMs.exit) return undefined;
    const side = positions.ownQuantity(symbol, currency) > 0 ? 'long' : 'short';
    return isStopPassed(stop, last.price, side);
  }

  #ownText(symbol: string): string {
    const { positions, currency } = this.#parts;
    return textFromFixed(positions.ownQuantity(symbol, currency));
  }

  #name(symbol: string): string {
    const stop = this.#parts.requiredStop(symbol);
    const at = stop === undefined ? '' : ` (stop at ${textFromFixed(stop)})`;
    return `${symbol} ${this.#ownText(symbol)}${at}`;
  }

  #warn(symbol: string, text: string): void {
    this.#parts.journal.accountNote('warn', `${symbol}: ${text}`);
    this.#parts.effects.notify({ level: 'warn', text: `${symbol}: ${text}` });
  }
}

export interface StopRestorerParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly prices: PriceCache;
  readonly instruments: Map<string, Instrument>;
  readonly tradingState: Pick<TradingState, 'restrict'>;
  readonly limits: () => RiskLimits;
  readonly protectiveOrders: Pick<ProtectiveOrderManager, 'protect' | 'states'>;
  /** Price of the stop that the position must have. */
  readonly requiredStop: (symbol: string) => Price | undefined;
  /** Last row of the symbol's position. */
  readonly row: (symbol: string) => PositionReport | undefined;
  readonly close: (exit: EngineExit) => void;
}
