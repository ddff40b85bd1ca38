import type { EventTime } from '../../core/events.js';
import type { OrderIntent } from '../../core/intent.js';
import { nominalMs, type Interval } from '../../core/interval.js';
import type { OrderTerms } from '../../core/order.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { OrderHold } from '../../execution/protocol-parts.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';
import { isTransientRefusal } from '../../risk/verdict.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { UnreadableSymbols } from '../account/unreadable-symbols.js';
import type { EngineFacts } from '../engine-facts.js';
import type { TradingState } from '../trading-state.js';
import { fenceTermsOf } from './fence-terms.js';
import { unprovedExit } from './unproved-exit.js';

/** Age limit of an entry: a share of its strategy's candle, between two ends. Monotonic ms. */
const ENTRY_AGE_SHARE = 0.05;
const MIN_ENTRY_AGE_MS = 3_000;
const MAX_ENTRY_AGE_MS = 60_000;

/** Default age limit of an entry of a strategy on this interval, monotonic ms. */
export const defaultEntryAgeMs = (interval: Interval): number =>
  Math.min(Math.max(ENTRY_AGE_SHARE * nominalMs(interval), MIN_ENTRY_AGE_MS), MAX_ENTRY_AGE_MS);

const KEY_REFUSED = 'the venue refuses the key';

export interface OrderChecksParts {
  readonly stamp: Readonly<EventTime>;
  readonly gate: Gate;
  readonly facts: EngineFacts;
  readonly tradingState: TradingState;
  readonly ledger: OrderLedger;
  readonly unreadable: UnreadableSymbols;
  readonly hosts: readonly StrategyHost[];
  /** Whether an unfound order's id may be consumed by a harmless order (id-fence.ts). */
  readonly fences: boolean;
  /** Why a person lets no entry of the strategy leave; undefined: it may. */
  readonly entryHold: (strategy: string) => string | undefined;
}

/** Refusal of the engine, made before the gate judges. */
export interface EngineRefusal {
  readonly control: string;
  readonly text: string;
  readonly isTransient: boolean;
}

export interface Objection {
  readonly control: string;
  readonly text: string;
}

/** Checks of the engine on an order, beside those of the gate. Almost all of them let reductions pass. */
export class OrderChecks {
  readonly #parts: OrderChecksParts;

  constructor(parts: OrderChecksParts) {
    this.#parts = parts;
  }

  refusal(intent: OrderIntent): EngineRefusal | undefined {
    const { tradingState } = this.#parts;
    if (intent.terms.reduceOnly) return undefined;
    if (tradingState.isStopping) {
      return { control: 'STOPPING', text: 'the bot is stopping', isTransient: false };
    }
    const hold = this.#parts.entryHold(intent.strategyId);
    if (hold !== undefined) return { control: 'PAUSED', text: hold, isTransient: false };
    if (tradingState.isKeyRefused) return { control: 'KEY', text: KEY_REFUSED, isTransient: true };
    const unreadable = this.#unreadable(intent);
    if (unreadable !== undefined) {
      return { control: 'UNREADABLE', text: unreadable, isTransient: true };
    }
    const stale = this.staleReason({ intent, terms: intent.terms, recovered: false });
    if (stale !== undefined) return { control: 'R27', text: stale, isTransient: false };
    const unproved = this.#unprovedExit(intent);
    if (unproved === undefined) return undefined;
    return { control: 'UNPROVED', text: unproved, isTransient: true };
  }

  /**
   * Last check before an order leaves: validity, age, mode, and every control that may have changed.
   */
  holdReason(order: OwnOrder): OrderHold | undefined {
    const { gate, facts } = this.#parts;
    const reason = this.#engineHoldReason(order);
    if (reason !== undefined) return { reason, temporary: false };
    const unreadable = this.#unreadable(order.intent);
    if (unreadable !== undefined) return { reason: unreadable, temporary: true };
    const unknown = this.#unknownOrders(order);
    if (unknown !== undefined) return { reason: `R23: ${unknown}`, temporary: true };
    const verdict = gate.recheck(order.intent, facts);
    if (verdict.ok) return undefined;
    const { control } = verdict;
    return {
      reason: `${control}: ${verdict.explain()}`,
      temporary: isTransientRefusal(control, facts.isModeTransient(order.terms)),
    };
  }

  #engineHoldReason(order: OwnOrder): string | undefined {
    const { stamp, tradingState } = this.#parts;
    const { intent, terms } = order;
    if (stamp.venueTime > intent.validUntil) return 'its validity ran out';
    if (terms.reduceOnly) return undefined;
    if (tradingState.isStopping) return 'the bot is stopping';
    if (tradingState.isKeyRefused) return KEY_REFUSED;
    const hold = this.#parts.entryHold(intent.strategyId);
    if (hold !== undefined) return hold;
    return this.staleReason(order) ?? this.#unprovedExit(intent);
  }

  /**
   * Why an entry must not be sent, or sent again: the market has moved since its decision (control
   * R27). A manual order is valid for as long as the person set. An exit has no age limit.
   */
  staleReason({
    intent,
    terms,
    recovered,
  }: Pick<OwnOrder, 'intent' | 'terms' | 'recovered'>): string | undefined {
    if (terms.reduceOnly) return undefined;
    const { decidedMonotonic, cause, strategyId } = intent;
    if (cause.kind === 'operator') return undefined;
    if (recovered) return 'R27: it was decided before the restart (max_entry_age_ms)';
    if (decidedMonotonic === undefined) return undefined;
    const ageMs = this.#parts.stamp.monotonic - decidedMonotonic;
    const limitMs = this.#parts.gate.limits.maxEntryAgeMs ?? this.#defaultAgeMs(strategyId);
    if (ageMs <= limitMs) return undefined;
    return `R27: its decision is ${Math.round(ageMs)} ms old, limit ${limitMs} ms (max_entry_age_ms)`;
  }

  #defaultAgeMs(strategyId: string): number {
    const interval = this.#hostOf(strategyId)?.interval;
    return interval === undefined ? MAX_ENTRY_AGE_MS : defaultEntryAgeMs(interval);
  }

  /** R23 at the first sending of an entry: later ones repeat an order whose own outcome is unknown. */
  #unknownOrders({ terms: { symbol, currency, reduceOnly }, attempts }: OwnOrder) {
    const { gate, ledger } = this.#parts;
    if (reduceOnly || attempts > 0 || !enforcesLimits(gate.preset)) return undefined;
    const count = ledger.of(symbol, currency).unresolvedIntents;
    const limit = gate.limits.breakers.maxUnknownOrders.symbol;
    if (count < limit) return undefined;
    return `${count} orders of ${symbol} have an unknown outcome, limit ${limit} (unknown_intents)`;
  }

  #unprovedExit({ terms: { symbol, currency, reduceOnly } }: OrderIntent): string | undefined {
    const exit = reduceOnly ? undefined : unprovedExit(this.#parts.ledger, symbol, currency);
    if (exit === undefined) return undefined;
    return `exit ${exit.clientOrderId} of ${symbol} is not proved yet, and may still land`;
  }

  #unreadable({ terms: { symbol, reduceOnly } }: OrderIntent): string | undefined {
    const reason = reduceOnly ? undefined : this.#parts.unreadable.reason(symbol);
    return reason === undefined ? undefined : `${symbol} is unknown: ${reason}`;
  }

  /**
   * Why the gate would refuse an intent that replaces an order which the exposure counts. The duplicate
   * window is checked here, because a recheck skips it.
   */
  objection(intent: OrderIntent, replaced: OwnOrder): Objection | undefined {
    const { gate, facts, stamp } = this.#parts;
    const unreadable = this.#unreadable(intent);
    if (unreadable !== undefined) return { control: 'UNREADABLE', text: unreadable };
    const verdict = gate.recheck(intent, facts);
    if (!verdict.ok) return { control: verdict.control, text: verdict.explain() };
    const age = stamp.venueTime - replaced.intent.decidedAt;
    const window = enforcesLimits(gate.preset) ? gate.limits.duplicateWindowMs : 0;
    if (age > window) return undefined;
    return {
      control: 'R08',
      text: `the order is ${age} ms old, duplicate window ${window} ms: wait`,
    };
  }

  /**
   * The gate does not judge a fence, because no strategy decided it. It leaves when an exit may: kill levels
   * `pause` and `flatten` let it out, because an order that may land late is the greater exposure.
   */
  fenceTerms(order: OwnOrder): OrderTerms | string {
    const { tradingState, facts, fences } = this.#parts;
    const { terms } = order.intent;
    if (!fences) return 'fences are off';
    if (tradingState.isKeyRefused) return KEY_REFUSED;
    const { exitHold } = tradingState;
    if (exitHold !== undefined) return exitHold;
    const instrument = facts.instrument(terms.symbol);
    const last = facts.lastPrice(terms.symbol);
    if (instrument === undefined || last === undefined)
      return `no price of ${terms.symbol} is known`;
    return order.fence ?? fenceTermsOf(terms, instrument, last);
  }

  #hostOf(strategyId: string): StrategyHost | undefined {
    return this.#parts.hosts.find((host) => host.id === strategyId);
  }
}
