import type { EventTime } from '../../core/events.js';
import type { Reply } from '../../core/request.js';
import type { EffectSink } from '../../execution/effects.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import {
  accountRejectionsRestriction,
  BALANCE_REJECTION_WEIGHT,
  clockSkewRestriction,
  ERROR_WINDOW_MS,
  errorsRestriction,
  FAILED_START_WINDOW_MS,
  failedStartsRestriction,
  isSkewWarned,
  REJECTION_WINDOWS_MS,
  symbolRejectionsRestriction,
  unknownOrdersRestriction,
} from '../../risk/breakers.js';
import { EventWindow } from '../../risk/event-window.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { Restriction } from '../../risk/restrictions.js';
import type { TradingState } from '../trading-state.js';

export interface CircuitBreakersParts {
  readonly stamp: Readonly<EventTime>;
  readonly gate: Gate;
  readonly effects: EffectSink;
  readonly tradingState: TradingState;
  readonly ledger: OrderLedger;
  /** Venue ms of the starts before this one that never reached TRADING, in a row. */
  readonly failedStarts?: readonly number[];
}

/**
 * Counts that stop entries: unknown outcomes (R23), rejections (R24), errors (R25), failed starts (R36)
 * and clock skew (R37). Presets without limits have no breakers.
 */
export class CircuitBreakers {
  readonly #parts: CircuitBreakersParts;
  readonly #isEnforced: boolean;
  readonly #errors = new EventWindow(ERROR_WINDOW_MS);
  readonly #rejections = new EventWindow(REJECTION_WINDOWS_MS.account);
  readonly #symbolRejections = new Map<string, EventWindow>();
  #isSkewWarned = false;
  #skewMs: number | undefined;

  constructor(parts: CircuitBreakersParts) {
    this.#parts = parts;
    this.#isEnforced = enforcesLimits(parts.gate.preset);
  }

  get #limits() {
    return this.#parts.gate.limits.breakers;
  }

  /** A start of a crash loop stops entries before it reads anything. */
  onStart(): void {
    this.#apply(failedStartsRestriction(this.failedStarts, this.#limits));
  }

  /** R36: starts within ten minutes of venue time that never reached TRADING. */
  get failedStarts(): number {
    const { stamp, failedStarts = [] } = this.#parts;
    return failedStarts.filter((at) => stamp.venueTime - at < FAILED_START_WINDOW_MS).length;
  }

  /** R25: errors of the last minute. */
  get errors(): number {
    return this.#errors.sum(this.#parts.stamp.monotonic);
  }

  /** R24: weight of the rejections of a symbol, or of the account, within its window. */
  rejections(symbol?: string): number {
    const window = symbol === undefined ? this.#rejections : this.#symbolRejections.get(symbol);
    return window?.sum(this.#parts.stamp.monotonic) ?? 0;
  }

  /** R37: the newest distance of the venue's clock from this machine's, ms; undefined: not measured. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  /** After the reply had its effect. */
  onReply({ outcome }: Reply): void {
    if (!this.#isEnforced) return;
    const { stamp, ledger } = this.#parts;
    if (isError(outcome))
      this.#apply(errorsRestriction(this.#errors.add(stamp.monotonic), this.#limits));
    // Each reply renews it, so that it ends only after the orders have.
    this.#apply(unknownOrdersRestriction(ledger.unprovedCount, this.#limits));
  }

  /** R25: a poll of the account got a 5xx. */
  onPollFailed(): void {
    if (!this.#isEnforced) return;
    const errors = this.#errors.add(this.#parts.stamp.monotonic);
    this.#apply(errorsRestriction(errors, this.#limits));
  }

  /** The venue rejected the order for good. */
  onRejected({ terms: { symbol, reduceOnly }, rejection }: OwnOrder): void {
    if (!this.#isEnforced || rejection === undefined || NO_FAULT.has(rejection)) return;
    const { monotonic } = this.#parts.stamp;
    const weight = rejection === 'insufficient-balance' ? BALANCE_REJECTION_WEIGHT : 1;
    const ofSymbol = this.#windowOf(symbol).add(monotonic, weight);
    this.#apply(symbolRejectionsRestriction(symbol, ofSymbol, this.#limits));
    // A reduction is tried again for as long as it is wanted: one symbol must not hold all others.
    if (reduceOnly) return;
    const ofAccount = this.#rejections.add(monotonic, weight);
    this.#apply(accountRejectionsRestriction(ofAccount, this.#limits));
  }

  /** The venue's clock minus this machine's, ms. */
  onClockSkew(skewMs: number): void {
    this.#skewMs = skewMs;
    if (!this.#isEnforced) return;
    this.#apply(clockSkewRestriction(skewMs, this.#limits));
    const isWarned = isSkewWarned(skewMs, this.#limits);
    if (isWarned && !this.#isSkewWarned) {
      const text = `the venue's clock is ${Math.round(skewMs)} ms from this machine's: check NTP`;
      this.#parts.effects.notify({ level: 'warn', text });
    }
    this.#isSkewWarned = isWarned;
  }

  #windowOf(symbol: string): EventWindow {
    const present = this.#symbolRejections.get(symbol);
    if (present !== undefined) return present;
    const window = new EventWindow(REJECTION_WINDOWS_MS.symbol);
    this.#symbolRejections.set(symbol, window);
    return window;
  }

  #apply(restriction: Restriction | undefined): void {
    if (restriction !== undefined && this.#isEnforced)
      this.#parts.tradingState.restrict(restriction);
  }
}

/** A reduction may meet a position that a stop or a liquidation has just closed; `observed` is our own reply. */
const NO_FAULT: ReadonlySet<string> = new Set([
  'observed',
  'reduce-only-without-position',
  'reduce-only-same-side',
]);

/** A request that never left this machine is no error of the venue: R05 and R06 handle lost data. */
const isError = (outcome: Reply['outcome']): boolean => {
  if (outcome.kind === 'yes') return false;
  return outcome.kind === 'unknown' ? outcome.sent : outcome.status >= 500;
};
