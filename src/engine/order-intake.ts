import type { Stamp } from '../core/events.js';
import { subtract, textFromFixed, type Price, type Quantity } from '../core/fixed.js';
import type { OrderIntent } from '../core/intent.js';
import type { EffectSink } from '../execution/effects.js';
import type { Journal } from '../execution/journal/journal.js';
import type { OrderLedger } from '../execution/order/order-ledger.js';
import type { OrderProtocol } from '../execution/order/order-protocol.js';
import type { EndState } from '../execution/order/order-state.js';
import { OwnOrder } from '../execution/order/own-order.js';
import type { PositionBook } from '../execution/position-book.js';
import type { Gate } from '../risk/gate.js';
import type { StrategyHost } from '../strategy/host/host.js';
import type { RunCounts } from './counts.js';
import type { EngineFacts } from './gate-facts.js';
import type { Standing } from './standing.js';

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
  readonly hosts: readonly StrategyHost[];
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

  submit(intent: OrderIntent): 'accepted' | 'refused' {
    const { counts, gate, facts, journal, standing } = this.#parts;
    counts.intents += 1;
    if (standing.stopping && !intent.terms.reduceOnly) {
      return this.refuse(intent, 'STOPPING', 'the bot is stopping');
    }
    if (standing.accessRefused && !intent.terms.reduceOnly) {
      return this.refuse(intent, 'KEY', KEY_REFUSED);
    }
    const verdict = gate.judge(intent, facts);
    if (!verdict.ok) {
      journal.verdict(intent, verdict);
      this.#refused(intent, verdict.control, verdict.explain());
      if (verdict.stopStrategy) this.#hostOf(intent.strategyId)?.stop();
      return 'refused';
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

  /** The last look before bytes leave: validity, mode, and every control that can have changed. */
  reasonToHold(order: OwnOrder): string | undefined {
    const { stamp, standing, gate, facts } = this.#parts;
    if (stamp.venueTime > order.intent.validUntil) return 'its validity ran out';
    if (standing.stopping && !order.terms.reduceOnly) return 'the bot is stopping';
    if (standing.accessRefused && !order.terms.reduceOnly) return KEY_REFUSED;
    const verdict = gate.recheck(order.intent, facts);
    return verdict.ok ? undefined : `${verdict.control}: ${verdict.explain()}`;
  }

  /**
   * Why the gate would refuse an intent that takes the place of an order which the exposure counts.
   * The window of duplicates is looked at here, because a second look passes over it.
   */
  objection(intent: OrderIntent, replaced: OwnOrder): Objection | undefined {
    const { gate, facts, stamp } = this.#parts;
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
    const { symbol, currency, side } = order.terms;
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
    if (owner === undefined) this.positionMoved(symbol);
    else owner.fill({ symbol, side, quantity, price, key: order.key, time: venueTime });
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
    if (end === 'rejected' || end === 'burned') counts.rejected += 1;
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
    });
  }

  /** Told to whoever trades the symbol: no order of theirs explains the change. */
  positionMoved(symbol: string): void {
    for (const host of this.#parts.hosts) {
      if (host.symbols.includes(symbol)) host.positionMoved(symbol);
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
