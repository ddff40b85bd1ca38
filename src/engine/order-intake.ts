import type { PositionMove } from '../core/account.js';
import type { Stamp } from '../core/events.js';
import { subtract, textFromFixed, type Price, type Quantity } from '../core/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { OrderTerms } from '../core/order.js';
import type { EffectSink } from '../execution/effects.js';
import type { Journal } from '../execution/journal/journal.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { Hold } from '../execution/protocol-parts.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { EndState } from '../execution/order/order-state.js';
import { OwnOrder } from '../execution/order/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import type { Gate } from '../risk/gate.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { MovedBy, SubmitResult } from '../strategy/world.js';
import { defaultEntryAgeMs, MOST_ENTRY_AGE_MS } from './entry-age.js';
import { fenceTermsOf } from './fence-terms.js';
import { OPERATOR_ID } from './operator/operator-seat.js';
import { isPassing } from '../risk/passing.js';
import type { RunCounts } from './counts.js';
import type { EngineFacts } from './gate-facts.js';
import type { Standing } from './standing.js';
import { unprovedExit } from './unproved-exit.js';
import type { UnreadableSymbols } from './unreadable-symbols.js';

export interface IntakeParts {
  readonly account: string;
  readonly stamp: Readonly<Stamp>;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly gate: Gate;
  readonly facts: EngineFacts;
  readonly standing: Standing;
  readonly counts: RunCounts;
  readonly ledger: OrderLedger;
  readonly positions: PositionBook;
  readonly protocol: OrderProtocol;
  readonly unreadable: UnreadableSymbols;
  readonly hosts: readonly StrategyHost[];
  /** Whether an id may be used up by a harmless order (id-fence.ts). */
  readonly fences: boolean;
  /** A person's order has filled: strategies that do not run must not undo it when they do. */
  readonly movedByHand: (symbol: string) => void;
}

const KEY_REFUSED = 'the venue refuses the key';

export interface Objection {
  readonly control: string;
  readonly text: string;
}

/**
 * The way of an order through the engine: from an intent through the gate to the protocol, and from
 * the protocol's news back to the strategy that wanted it.
 */
export class OrderIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  submit(intent: OrderIntent): SubmitResult {
    const { counts, gate, facts, journal, standing } = this.#parts;
    counts.intents += 1;
    if (standing.stopping && !intent.terms.reduceOnly) {
      return this.refuse(intent, 'STOPPING', 'the bot is stopping');
    }
    if (standing.accessRefused && !intent.terms.reduceOnly) {
      this.refuse(intent, 'KEY', KEY_REFUSED);
      return 'refused-for-now';
    }
    const unreadable = this.#unreadable(intent);
    if (unreadable !== undefined) {
      this.refuse(intent, 'UNREADABLE', unreadable);
      return 'refused-for-now';
    }
    const tooOld = this.tooOld({ intent, terms: intent.terms, resumed: false });
    if (tooOld !== undefined) return this.refuse(intent, 'R27', tooOld);
    const unproved = this.#unprovedExit(intent);
    if (unproved !== undefined) {
      this.refuse(intent, 'UNPROVED', unproved);
      return 'refused-for-now';
    }
    const verdict = gate.judge(intent, facts);
    if (!verdict.ok) {
      journal.verdict(intent, verdict);
      this.#refused(intent, verdict.control, verdict.explain());
      if (verdict.stopStrategy) this.#hostOf(intent.strategyId)?.stop();
      return isPassing(verdict.control, facts.mode()) ? 'refused-for-now' : 'refused';
    }
    const { account, effects, ledger, protocol } = this.#parts;
    const order = new OwnOrder({ key: ledger.nextKey, intent: verdict.approved, account });
    if (effects.journaling) {
      if (ledger.byClientOrderId(order.clientOrderId) !== undefined) {
        return this.refuse(intent, 'ONCE', 'this decision already has its order');
      }
      ledger.index(order);
      journal.verdict(intent, verdict, order.clientOrderId);
    }
    protocol.submit(order);
    return 'accepted';
  }

  /** The last look before bytes leave: validity, age, mode, and every control that can have changed. */
  reasonToHold(order: OwnOrder): Hold | undefined {
    const { gate, facts } = this.#parts;
    const reason = this.#reasonOfOurs(order);
    if (reason !== undefined) return { reason, passes: false };
    const unreadable = this.#unreadable(order.intent);
    if (unreadable !== undefined) return { reason: unreadable, passes: true };
    const verdict = gate.recheck(order.intent, facts);
    if (verdict.ok) return undefined;
    const { control } = verdict;
    return { reason: `${control}: ${verdict.explain()}`, passes: isPassing(control, facts.mode()) };
  }

  #reasonOfOurs(order: OwnOrder): string | undefined {
    const { stamp, standing } = this.#parts;
    const { intent, terms } = order;
    if (stamp.venueTime > intent.validUntil) return 'its validity ran out';
    if (terms.reduceOnly) return undefined;
    if (standing.stopping) return 'the bot is stopping';
    if (standing.accessRefused) return KEY_REFUSED;
    return this.tooOld(order) ?? this.#unprovedExit(intent);
  }

  /**
   * Why an entry must not be sent, or sent again: the market has moved on since its decision (R27). An
   * order by hand has the validity that the person gave it. An exit has no age.
   */
  tooOld({
    intent,
    terms,
    resumed,
  }: Pick<OwnOrder, 'intent' | 'terms' | 'resumed'>): string | undefined {
    if (terms.reduceOnly) return undefined;
    const { decidedMonotonic, cause, strategyId } = intent;
    if (cause.kind === 'operator') return undefined;
    if (resumed) return 'R27: it was decided before the restart (max_entry_age_ms)';
    if (decidedMonotonic === undefined) return undefined;
    const ageMs = this.#parts.stamp.monotonic - decidedMonotonic;
    const limitMs = this.#parts.gate.limits.maxEntryAgeMs ?? this.#defaultAgeMs(strategyId);
    if (ageMs <= limitMs) return undefined;
    return `R27: its decision is ${Math.round(ageMs)} ms old, limit ${limitMs} ms (max_entry_age_ms)`;
  }

  #defaultAgeMs(strategyId: string): number {
    const interval = this.#hostOf(strategyId)?.interval;
    return interval === undefined ? MOST_ENTRY_AGE_MS : defaultEntryAgeMs(interval);
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
   * Why the gate would refuse an intent that takes the place of an order which the exposure counts.
   * The window of duplicates is looked at here, because a second look passes over it.
   */
  objection(intent: OrderIntent, replaced: OwnOrder): Objection | undefined {
    const { gate, facts, stamp } = this.#parts;
    const unreadable = this.#unreadable(intent);
    if (unreadable !== undefined) return { control: 'UNREADABLE', text: unreadable };
    const verdict = gate.recheck(intent, facts);
    if (!verdict.ok) return { control: verdict.control, text: verdict.explain() };
    const age = stamp.venueTime - replaced.intent.decidedAt;
    const window = gate.preset === 'standard' ? gate.limits.duplicateWindowMs : 0;
    if (age > window) return undefined;
    return {
      control: 'R08',
      text: `the order is ${age} ms old, duplicate window ${window} ms: wait`,
    };
  }

  /** `inherited`: how much of it the believed position holds already. */
  filled(order: OwnOrder, quantity: Quantity, price: Price, inherited: Quantity): void {
    const { counts, positions, stamp } = this.#parts;
    const { symbol, currency, side, type } = order.terms;
    const { monotonic, venueTime } = stamp;
    counts.fills += 1;
    counts.firstFillAt ??= monotonic;
    const added = subtract(quantity, inherited);
    if (added > 0) positions.fill({ symbol, currency, side, quantity: added, price, monotonic });
    if (order.positionId !== undefined && positions.quantity(symbol, currency) !== 0) {
      positions.setPositionId(symbol, currency, order.positionId);
    }
    // A backtest has nobody to tell, and hundreds of thousands of fills.
    if (this.#parts.effects.journaling) this.#tellFill(order, quantity, price);
    const owner = this.#hostOf(order.intent.strategyId);
    if (order.intent.strategyId === OPERATOR_ID) this.#parts.movedByHand(symbol);
    if (owner === undefined)
      this.positionMoved(symbol, order.intent.cause.kind === 'operator' ? 'hand' : 'venue');
    else owner.fill({ symbol, side, type, quantity, price, key: order.key, time: venueTime });
  }

  #tellFill({ intent, terms }: OwnOrder, quantity: Quantity, price: Price): void {
    const { symbol, currency, side } = terms;
    const position = this.#parts.positions.quantity(symbol, currency);
    const verb = side === 'buy' ? 'bought' : 'sold';
    this.#parts.effects.notify({
      level: 'info',
      text: `${intent.strategyId}: ${verb} ${textFromFixed(quantity)} ${symbol} at ${textFromFixed(price)}, position ${textFromFixed(position)}`,
    });
  }

  ended(order: OwnOrder, end: EndState, reason: string | undefined): void {
    const { counts, effects } = this.#parts;
    if (end === 'filled') counts.ordersFilled += 1;
    if (end === 'rejected' || end === 'burned') counts.reject(reason);
    if (end === 'dropped') counts.dropped += 1;
    if (end !== 'filled') {
      effects.notify({
        level: 'warn',
        text: `${order.intent.strategyId}: order ${end}${reason === undefined ? '' : `: ${reason}`}`,
        fields: { symbol: order.terms.symbol, side: order.terms.side },
      });
    }
    this.#hostOf(order.intent.strategyId)?.orderEnded({
      key: order.key,
      intent: order.intent,
      end: end === 'burned' ? 'rejected' : end,
      filledQuantity: order.filledQuantity,
      ...(reason !== undefined && { reason }),
      ...(order.heldForNow && { forNow: true }),
    });
  }

  /** A fence is no decision of a strategy: the gate does not judge it, but nothing leaves where nothing may. */
  fenceTerms(order: OwnOrder): OrderTerms | string {
    const { standing, facts, fences } = this.#parts;
    const { terms } = order.intent;
    if (!fences) return 'fences are off where money is real';
    if (standing.killLevel !== undefined) return 'the kill switch is on';
    if (standing.accessRefused) return KEY_REFUSED;
    const { mode } = standing;
    if (mode !== 'TRADING' && mode !== 'REDUCE_ONLY') return `mode ${mode}`;
    const instrument = facts.instrument(terms.symbol);
    const last = facts.lastPrice(terms.symbol);
    if (instrument === undefined || last === undefined)
      return `no price of ${terms.symbol} is known`;
    return order.fence ?? fenceTermsOf(terms, instrument, last);
  }

  warn(text: string): void {
    this.#parts.effects.notify({ level: 'warn', text });
  }

  /** Told to whoever trades the symbol: no order of theirs explains the change. */
  positionMoved(symbol: string, by: MovedBy, cause: PositionMove = 'external'): void {
    for (const host of this.#parts.hosts) {
      if (host.symbols.includes(symbol)) host.positionMoved(symbol, by, cause);
    }
  }

  /** A refusal of the engine's own. */
  refuse(intent: OrderIntent, control: string, text: string): 'refused' {
    this.#parts.journal.refusal(intent, control, text);
    this.#refused(intent, control, text);
    return 'refused';
  }

  #refused(intent: OrderIntent, control: string, text: string): void {
    const { strategyId, terms } = intent;
    this.#parts.counts.refuse(control, text);
    // Said once a target: each candle that repeats it is a decision of its own, in the journal too.
    if (intent.repeats === true) return;
    this.#parts.effects.notify({
      level: 'warn',
      text: `${strategyId}: refused: ${text}`,
      fields: { control, symbol: terms.symbol, side: terms.side },
    });
  }

  #hostOf(strategyId: string): StrategyHost | undefined {
    return this.#parts.hosts.find((host) => host.id === strategyId);
  }
}
