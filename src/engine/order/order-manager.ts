import type { EventTime } from '../../core/events.js';
import { subtract, textFromFixed, type Price, type Quantity } from '../../core/fixed/fixed.js';
import type { OrderIntent } from '../../core/intent.js';
import type { Writable } from '../../core/table/writable.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Journal } from '../../execution/journal/journal.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { EndState } from '../../execution/order/order-state.js';
import { OwnOrder } from '../../execution/order/own-order.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import { FillSlippage, MAX_SLIPPED_ENTRIES } from '../../risk/fill-slippage.js';
import type { Gate } from '../../risk/gate.js';
import { enforcesLimits } from '../../risk/preset.js';
import type { StrategyHost } from '../../strategy/host/host.js';
import type { OrderEnd, SubmitResult } from '../../strategy/contract/strategy-port.js';
import { OPERATOR_ID } from '../operator/manual-trading.js';
import { STORM_COUNT } from '../../risk/recent-intents.js';
import { isControlCommandId, type ControlId } from '../../risk/control-id.js';
import { isTransientRefusal } from '../../risk/verdict.js';
import type { LossMonitor } from '../account/loss-monitor.js';
import type { RunCounts } from '../account/run-counts.js';
import type { EngineFacts } from '../engine-facts.js';
import { MissingStopWarning } from './missing-stop-warning.js';
import type { OrderChecks } from './order-checks.js';
import type { PositionChangeNotifier } from './position-change-notifier.js';

export interface OrderManagerParts {
  readonly account: string;
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly journal: Journal;
  readonly gate: Gate;
  readonly facts: EngineFacts;
  readonly counts: RunCounts;
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly protocol: OrderProtocol;
  readonly checks: OrderChecks;
  readonly hosts: readonly StrategyHost[];
  readonly positionChanges: PositionChangeNotifier;
  readonly losses: LossMonitor | undefined;
  /** A read of the venue has confirmed the positions of the journal. */
  readonly arePositionsKnown: () => boolean;
}

/**
 * Path of an order through the engine: from an intent through the gate to the protocol, and from the
 * protocol's events back to the strategy.
 */
export class OrderManager {
  readonly #parts: OrderManagerParts;
  readonly #slippage = new FillSlippage();
  /** Strategies of which the log has said that R08 stopped them. A new start has a new host. */
  readonly #repeating = new WeakSet<StrategyHost>();
  readonly #missingStop: MissingStopWarning;

  constructor(parts: OrderManagerParts) {
    this.#parts = parts;
    this.#missingStop = new MissingStopWarning(parts);
  }

  submit(intent: OrderIntent): SubmitResult {
    const { checks, counts, gate, facts, journal } = this.#parts;
    counts.intents += 1;
    const refusal = checks.refusal(intent);
    if (refusal !== undefined) {
      this.refuse(intent, refusal.control, refusal.text);
      return refusal.isTransient ? 'refused-for-now' : 'refused';
    }
    const verdict = gate.judge(intent, facts);
    if (!verdict.ok) {
      journal.verdict(intent, verdict);
      this.#reportRefusal(intent, verdict.control, verdict.explain());
      if (verdict.stopStrategy) this.#stopRepeating(intent.strategyId);
      return isTransientRefusal(verdict.control, facts.isModeTransient(intent.terms))
        ? 'refused-for-now'
        : 'refused';
    }
    const { account, effects, ledger, protocol } = this.#parts;
    this.#parts.losses?.onOrder();
    this.#missingStop.onApproved(intent);
    const order = new OwnOrder({ key: ledger.nextKey, intent: verdict.approved, account });
    if (effects.journaling) {
      if (ledger.known(order.clientOrderId) !== undefined) {
        return this.refuse(intent, 'ONCE', 'this decision already has its order');
      }
      ledger.indexByClientOrderId(order);
      journal.verdict(intent, verdict, order.clientOrderId);
      const warning = verdict.warning();
      if (warning !== undefined) this.warn(`${intent.strategyId}: ${warning} (funding_guard)`);
    }
    protocol.submit(order);
    return 'accepted';
  }

  /** `alreadyCounted`: part of the fill that the position holds already. */
  onFilled(order: OwnOrder, quantity: Quantity, price: Price, alreadyCounted: Quantity): void {
    const { counts, positions, stamp } = this.#parts;
    const { symbol, currency, side, type } = order.terms;
    const { monotonic, venueTime } = stamp;
    counts.fills += 1;
    counts.firstFillAt ??= monotonic;
    const added = subtract(quantity, alreadyCounted);
    if (added > 0) {
      // Written out: V8 makes a hidden class for each spread of an object with doubles.
      const fill = { symbol, currency, side, quantity: added, price, monotonic };
      this.#parts.losses?.results.onFill(fill);
      positions.applyFill(fill);
    }
    if (order.positionId !== undefined && positions.quantity(symbol, currency) !== 0) {
      positions.setPositionId(symbol, currency, order.positionId);
    }
    // A backtest has hundreds of thousands of fills and no reader of notes.
    if (this.#parts.effects.journaling) this.#notifyFill(order, quantity, price);
    const owner = this.#hostOf(order.owner);
    const { positionChanges } = this.#parts;
    if (order.owner === OPERATOR_ID) positionChanges.onManualFill(symbol);
    if (owner === undefined) {
      const { cause } = order.intent;
      const isByHand = cause.kind === 'operator' && !isControlCommandId(cause.commandId);
      positionChanges.onUnownedFill(symbol, isByHand ? 'hand' : 'venue');
    } else {
      owner.onFill({ symbol, side, type, quantity, price, key: order.key, time: venueTime });
      this.#judgeSlippage(order, price);
    }
  }

  /** Entries of a strategy that filled with too much slippage within ten minutes (R39). */
  slippedEntries(strategyId: string): number {
    return this.#slippage.count(strategyId, this.#parts.stamp.venueTime);
  }

  /** R39: the third entry with too much slippage stops the strategy. */
  #judgeSlippage({ key, intent, owner: strategyId, terms }: OwnOrder, price: Price): void {
    const { gate, stamp, journal, effects } = this.#parts;
    if (terms.reduceOnly || !enforcesLimits(gate.preset)) return;
    const { referencePrice: reference } = intent;
    const { maxFillSlippageBps: limit } = gate.limits.market;
    const { side } = terms;
    const at = stamp.venueTime;
    if (!this.#slippage.onFill({ strategyId, orderKey: key, side, price, reference, at }, limit))
      return;
    const text =
      `${strategyId} stops: ${MAX_SLIPPED_ENTRIES} entries within 10 minutes filled more than ` +
      `${textFromFixed(limit)} bps beyond the prices of their decisions (R39, fill_slippage_bps)`;
    journal.accountNote('error', text);
    effects.notify({ level: 'error', text });
    this.#stopStrategy(strategyId, 'R39');
  }

  /** R08: the third refused repeat of an order within a minute stops the strategy. */
  #stopRepeating(strategyId: string): void {
    const { effects } = this.#parts;
    const host = this.#hostOf(strategyId);
    this.#stopStrategy(strategyId, 'R08');
    if (host === undefined || this.#repeating.has(host)) return;
    this.#repeating.add(host);
    const mend = effects.journaling ? ` Mend it, then: sluice strategy start ${strategyId}` : '';
    effects.notify({
      level: 'error',
      text:
        `${strategyId} stops: ${STORM_COUNT} refused repeats of an order within a minute (R08, duplicate_window_ms). ` +
        `Its positions and their stops stay, and its exits go on.${mend}`,
    });
  }

  /** Its entries are canceled, its exits go on, and its positions keep their stops. */
  #stopStrategy(strategyId: string, control: ControlId): void {
    const { ledger, protocol, counts } = this.#parts;
    counts.stoppedBy.set(strategyId, control);
    this.#hostOf(strategyId)?.stop('finish');
    for (const order of [...ledger.allOpenOrders()])
      if (order.owner === strategyId && !order.terms.reduceOnly) protocol.cancel(order);
  }

  #notifyFill({ owner, terms }: OwnOrder, quantity: Quantity, price: Price): void {
    const { symbol, currency, side } = terms;
    const { positions, arePositionsKnown, effects } = this.#parts;
    const verb = side === 'buy' ? 'bought' : 'sold';
    const trade = `${owner}: ${verb} ${textFromFixed(quantity)} ${symbol} at ${textFromFixed(price)}`;
    const text = arePositionsKnown()
      ? `${trade}, position ${textFromFixed(positions.quantity(symbol, currency))}`
      : `${trade}; the position is not known yet`;
    effects.notify({ level: 'info', text });
  }

  onEnded(order: OwnOrder, end: EndState, reason: string | undefined): void {
    const { counts, effects } = this.#parts;
    if (end === 'filled') counts.ordersFilled += 1;
    if (end === 'rejected' || end === 'burned') counts.reject(reason);
    if (end === 'dropped') counts.dropped += 1;
    if (end !== 'filled') {
      const text = order.isFence ? `not placed: a fence used up its id, and is ${end}` : end;
      effects.notify({
        level: 'warn',
        text: `${order.owner}: order ${text}${reason === undefined ? '' : `: ${reason}`}`,
        fields: { symbol: order.terms.symbol, side: order.terms.side },
      });
    }
    this.#hostOf(order.owner)?.onOrderEnded(orderEndOf(order, end, reason));
  }

  warn(text: string): void {
    this.#parts.effects.notify({ level: 'warn', text });
  }

  /** A refusal of the engine itself. */
  refuse(intent: OrderIntent, control: string, text: string): 'refused' {
    this.#parts.journal.refusal(intent, control, text);
    this.#reportRefusal(intent, control, text);
    return 'refused';
  }

  #reportRefusal(intent: OrderIntent, control: string, text: string): void {
    const { strategyId, terms } = intent;
    this.#parts.counts.refuse(control, text);
    // Reported once per target: each candle that repeats it makes a journaled decision of its own.
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

function orderEndOf(order: OwnOrder, state: EndState, reason: string | undefined): OrderEnd {
  const { key, intent, filledQuantity } = order;
  const end = state === 'burned' ? 'rejected' : state;
  const ended: Writable<OrderEnd> = { key, intent, end, filledQuantity };
  if (reason !== undefined) ended.reason = reason;
  if (order.heldTemporarily) ended.isTransient = true;
  return ended;
}
