import type { Currency } from '../../core/currency.js';
import type { EventTime } from '../../core/events.js';
import { absolute, negate, subtract, textFromFixed } from '../../core/fixed/fixed.js';
import type { Instrument } from '../../core/instrument.js';
import type { ReplyTo } from '../../core/request.js';
import { durationText } from '../../core/time-text.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { RequestTracker } from '../../execution/request-tracker.js';
import { DEFAULT_DELISTING_POLICY, type DelistingPolicy } from '../../risk/delisting-policy.js';
import type { EngineExit } from '../engine-exit.js';
import type { TradingState } from '../trading-state.js';

/** Between two reads of the instruments, venue ms. */
const READ_INTERVAL_MS = 3_600_000;
/** A second read confirms that an instrument is gone, monotonic ms later. */
const CONFIRMING_READ_MS = 60_000;
/** Between two reminders of a held position, venue ms. */
const REMINDER_INTERVAL_MS = 86_400_000;
/** Between the rounds of an unfinished close, monotonic ms. */
const CLOSE_RETRY_MS = 10_000;

/** The venue ends, or has ended, the trading of a symbol. */
interface Delisting {
  /** Venue ms of its detection. */
  readonly since: number;
  /** The venue lists it no more; otherwise it refuses new positions. */
  readonly isAbsent: boolean;
  closes: number;
}

export interface InstrumentMonitorParts {
  readonly stamp: Readonly<EventTime>;
  readonly currency: Currency;
  readonly requests: RequestTracker;
  readonly journal: Journal;
  readonly effects: EffectSink;
  readonly instruments: Map<string, Instrument>;
  readonly positions: PositionLedger;
  readonly ledger: OrderLedger;
  readonly protocol: Pick<OrderProtocol, 'cancel'>;
  readonly tradingState: Pick<TradingState, 'restrict' | 'restriction' | 'lift'>;
  /** Absent: the default. */
  readonly onDelisting?: DelistingPolicy;
  /** Symbols of the configured strategies. */
  readonly symbols: () => Iterable<string>;
  readonly close: (exit: EngineExit) => void;
}

/**
 * Reads the instruments' rules each hour of venue time, because a venue changes them in mid-run. A delisting
 * restricts its symbol to exits; a held position gets a reminder a day, and is closed under the policy.
 */
export class InstrumentMonitor {
  readonly #parts: InstrumentMonitorParts;
  readonly #policy: DelistingPolicy;
  readonly #delistings = new Map<string, Delisting>();
  /** Symbols that the last read did not find. */
  readonly #missing = new Set<string>();

  constructor(parts: InstrumentMonitorParts) {
    this.#parts = parts;
    this.#policy = parts.onDelisting ?? DEFAULT_DELISTING_POLICY;
  }

  /** Not in a backtest, whose instruments never change. */
  start(): void {
    if (!this.#parts.effects.journaling) return;
    for (const symbol of this.#symbols())
      if (this.#parts.tradingState.restriction('R07', symbol) !== undefined)
        this.#begin(symbol, false);
    this.#readLater();
  }

  /** The venue refused an entry, because it ends the trading of the symbol. */
  onEntryRefused(symbol: string): void {
    this.#delist(symbol, false, 'the venue accepts no new position: it is being delisted');
  }

  #readLater(): void {
    const { requests, stamp } = this.#parts;
    requests.atVenueTime(stamp.venueTime + READ_INTERVAL_MS, () => {
      for (const symbol of this.#symbols()) this.#read(symbol);
      this.#readLater();
    });
  }

  #symbols(): ReadonlySet<string> {
    const { symbols, positions } = this.#parts;
    return new Set([...symbols(), ...[...positions.openPositions()].map(({ symbol }) => symbol)]);
  }

  #read(symbol: string): void {
    this.#parts.requests.enqueue<'read-instrument'>({
      request: { kind: 'read-instrument', symbol },
      priority: 'poll',
      onReply: (outcome) => {
        this.#onRead(symbol, outcome);
      },
    });
  }

  /** Any other outcome than these two says nothing about the listing. */
  #onRead(symbol: string, outcome: ReplyTo<'read-instrument'>): void {
    if (outcome.kind === 'yes') this.#onListed(symbol, outcome.value);
    else if (outcome.kind === 'no' && outcome.code === 'asset-not-found') this.#onAbsent(symbol);
  }

  #onListed(symbol: string, instrument: Instrument): void {
    const { instruments, tradingState } = this.#parts;
    this.#missing.delete(symbol);
    instruments.set(symbol, instrument);
    if (this.#delistings.get(symbol)?.isAbsent !== true) return;
    this.#delistings.delete(symbol);
    tradingState.lift('R07', symbol, 'the venue lists it again');
    this.#report('info', `${symbol} is listed again`);
  }

  #onAbsent(symbol: string): void {
    if (this.#delistings.get(symbol)?.isAbsent === true) return;
    if (this.#missing.has(symbol)) {
      this.#delist(symbol, true, 'the venue lists it no more');
      return;
    }
    this.#missing.add(symbol);
    this.#parts.requests.after(CONFIRMING_READ_MS, () => {
      this.#read(symbol);
    });
  }

  #delist(symbol: string, isAbsent: boolean, cause: string): void {
    if (this.#delistings.has(symbol)) return;
    const { tradingState, ledger, currency, protocol } = this.#parts;
    tradingState.restrict({
      control: 'R07',
      symbol,
      to: 'REDUCE_ONLY',
      class: 'latching',
      cause,
    });
    for (const order of [...ledger.openOrders(symbol, currency)])
      if (!order.terms.reduceOnly) protocol.cancel(order);
    this.#begin(symbol, isAbsent);
    if (this.#isHeld(symbol)) this.#remind(symbol);
  }

  #begin(symbol: string, isAbsent: boolean): void {
    const { requests, stamp } = this.#parts;
    const policy = this.#policy;
    const delisting: Delisting = { since: stamp.venueTime, isAbsent, closes: 0 };
    this.#delistings.set(symbol, delisting);
    this.#remindDaily(symbol, delisting);
    if (policy.kind === 'hold') return;
    requests.atVenueTime(delisting.since + policy.ms, () => {
      this.#close(symbol, delisting);
    });
  }

  #remindDaily(symbol: string, delisting: Delisting): void {
    const { requests, stamp } = this.#parts;
    requests.atVenueTime(stamp.venueTime + REMINDER_INTERVAL_MS, () => {
      if (this.#delistings.get(symbol) !== delisting) return;
      if (this.#isHeld(symbol)) this.#remind(symbol);
      this.#remindDaily(symbol, delisting);
    });
  }

  #remind(symbol: string): void {
    const { positions, currency, stamp } = this.#parts;
    const policy = this.#policy;
    const since = this.#delistings.get(symbol)?.since ?? stamp.venueTime;
    const held = textFromFixed(positions.ownQuantity(symbol, currency));
    const elapsedMs = stamp.venueTime - since;
    const plan =
      policy.kind === 'hold'
        ? 'It stays open (on_delisting: hold): close it before the venue does'
        : `It is closed in ${durationText(Math.max(0, policy.ms - elapsedMs))} (on_delisting)`;
    const age = durationText(elapsedMs);
    this.#report(
      'warn',
      `${symbol} is delisted, for ${age}, and a position of ${held} is open. ${plan}`,
    );
  }

  #close(symbol: string, delisting: Delisting): void {
    if (this.#delistings.get(symbol) !== delisting || !this.#isHeld(symbol)) return;
    const { positions, ledger, currency, close, requests } = this.#parts;
    const own = positions.ownQuantity(symbol, currency);
    const remaining = subtract(absolute(own), ledger.closingQuantity(symbol, currency));
    if (remaining > 0) {
      close({
        cause: { kind: 'timer', venueTime: delisting.since, key: `delisting:${symbol}` },
        ordinal: delisting.closes,
        symbol,
        currency,
        quantity: own < 0 ? negate(remaining) : remaining,
      });
      delisting.closes += 1;
    }
    requests.after(CLOSE_RETRY_MS, () => {
      this.#close(symbol, delisting);
    });
  }

  #isHeld(symbol: string): boolean {
    return this.#parts.positions.ownQuantity(symbol, this.#parts.currency) !== 0;
  }

  #report(level: 'info' | 'warn', text: string): void {
    this.#parts.journal.accountNote(level, text);
    this.#parts.effects.notify({ level, text });
  }
}
