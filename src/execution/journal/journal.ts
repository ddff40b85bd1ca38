import type { Currency } from '../../core/currency.js';
import type { OperatorCommand, EventTime } from '../../core/events.js';
import { multiply, type Quantity, type Usdt } from '../../core/fixed/fixed.js';
import { decisionKey, type OrderIntent } from '../../core/intent.js';
import type { OrderReport, OrderTerms } from '../../core/order.js';
import type { Outcome, Placement } from '../../core/request.js';
import type { ControlId } from '../../risk/control-id.js';
import type { LossCounters } from '../../risk/loss/loss-ledger.js';
import type { WalletTransferState } from '../../risk/loss/wallet-baseline.js';
import type { Mode } from '../../risk/mode.js';
import type { RestrictionClass } from '../../risk/restrictions.js';
import type { Verdict } from '../../risk/verdict.js';
import type { EffectSink, Note } from '../effects.js';
import { payloadHashOf } from './journal-record.js';
import type { EndState } from '../order/order-state.js';
import type { OwnOrder } from '../order/own-order.js';
import { lossRecord } from '../recovery/recovered-losses.js';
import { switchFields, type StrategySwitch } from '../recovery/recovered-switches.js';

/** A tracked position. Quantities are signed. */
export interface JournalPosition {
  readonly symbol: string;
  readonly currency: Currency;
  readonly quantity: Quantity;
  /** Part that no order of ours explains. */
  readonly foreign: Quantity;
}

/** A restriction after its change; `restriction` is TRADING where it ended. */
export interface RestrictionChange {
  readonly control: ControlId;
  readonly class: RestrictionClass;
  readonly restriction: Mode;
}

/**
 * Writes journal records. A record is a pure function of its arguments, and is built only when
 * there is a journal.
 */
export class Journal {
  readonly #effects: EffectSink;
  readonly #stamp: Readonly<EventTime>;
  #mode: Mode = 'STARTING';

  constructor(effects: EffectSink, stamp: Readonly<EventTime>) {
    this.#effects = effects;
    this.#stamp = stamp;
  }

  /** An approved intent, with the verdict that let it through. */
  intent(order: OwnOrder): void {
    if (!this.#effects.journaling) return;
    const { intent, clientOrderId, generation, terms } = order;
    this.#effects.journal({
      type: 'intent',
      venueTime: this.#stamp.venueTime,
      clientOrderId,
      generation,
      strategyId: intent.strategyId,
      cause: intent.cause,
      ordinal: intent.ordinal,
      decisionKey: decisionKey(intent.cause, intent.ordinal),
      leg: intent.leg,
      terms,
      referencePrice: intent.referencePrice,
      decidedAt: intent.decidedAt,
      validUntil: intent.validUntil,
      payloadHash: payloadHashOf(clientOrderId, terms),
      reserved: multiply<'USDT'>(terms.quantity, terms.price ?? intent.referencePrice) as Usdt,
      ...(intent.persistedState !== undefined && { kept: intent.persistedState }),
    });
  }

  verdict(intent: OrderIntent, verdict: Verdict, clientOrderId?: string): void {
    if (!this.#effects.journaling) return;
    const refusal = verdict.ok ? verdict.wouldRefuse : verdict;
    this.#effects.journal({
      type: 'verdict',
      venueTime: this.#stamp.venueTime,
      ...(clientOrderId !== undefined && { clientOrderId }),
      strategyId: intent.strategyId,
      decisionKey: decisionKey(intent.cause, intent.ordinal),
      leg: intent.leg,
      phase: 'decide',
      ok: verdict.ok,
      ...(refusal !== undefined && { control: refusal.control, key: refusal.key }),
      text: verdict.explain(),
      values: Object.assign(verdict.values(), explained(intent)),
    });
  }

  /** A refusal outside the risk gate. */
  refusal(intent: OrderIntent, control: string, text: string): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'verdict',
      venueTime: this.#stamp.venueTime,
      strategyId: intent.strategyId,
      decisionKey: decisionKey(intent.cause, intent.ordinal),
      leg: intent.leg,
      phase: 'decide',
      ok: false,
      control,
      text,
      values: explained(intent),
    });
  }

  /** A changed instruction that also binds later runs. */
  instruction(order: OwnOrder, instruction: 'withdraw' | 'cancel', reason: string): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    const { clientOrderId } = order;
    this.#effects.journal({ type: 'instruction', venueTime, clientOrderId, instruction, reason });
  }

  fence(order: OwnOrder, terms: OrderTerms): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    const { clientOrderId, fenceAttempts: attempt } = order;
    this.#effects.journal({ type: 'fence', venueTime, clientOrderId, attempt, terms });
  }

  fenceOutcome(order: OwnOrder, outcome: Outcome<Placement>): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'fence-outcome',
      venueTime: this.#stamp.venueTime,
      clientOrderId: order.clientOrderId,
      attempt: order.fenceAttempts,
      outcome: outcome.kind,
      ...outcomeFields(outcome),
    });
  }

  /** A read shows the fence under the id: proof as good as an acknowledgement. */
  fenceFound(order: OwnOrder, orderId: string): void {
    this.fenceOutcome(order, { kind: 'yes', value: { orderId } });
  }

  attempt(order: OwnOrder): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'attempt',
      venueTime: this.#stamp.venueTime,
      clientOrderId: order.clientOrderId,
      attempt: order.attempts,
      generation: order.generation,
    });
  }

  outcome(order: OwnOrder, outcome: Outcome<Placement>): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'outcome',
      venueTime: this.#stamp.venueTime,
      clientOrderId: order.clientOrderId,
      attempt: order.attempts,
      outcome: outcome.kind,
      ...outcomeFields(outcome),
    });
  }

  update(order: OwnOrder, report: OrderReport): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'update',
      venueTime: this.#stamp.venueTime,
      clientOrderId: order.clientOrderId,
      orderId: report.orderId,
      status: report.status,
      filledQuantity: order.filledQuantity,
      ...(order.averagePrice !== undefined && { averagePrice: order.averagePrice }),
      final: false,
    });
  }

  ended(order: OwnOrder, end: EndState, reason: string | undefined): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    const { clientOrderId } = order;
    if (end === 'dropped') {
      this.#effects.journal({ type: 'dropped', venueTime, clientOrderId, reason: reason ?? '' });
    } else if (end === 'burned') {
      this.#effects.journal({ type: 'burned', venueTime, clientOrderId, evidence: reason ?? '' });
    } else if (end === 'filled' || end === 'canceled') {
      this.#effects.journal({
        type: 'update',
        venueTime,
        clientOrderId,
        ...(order.orderId !== undefined && { orderId: order.orderId }),
        status: end,
        filledQuantity: order.filledQuantity,
        ...(order.averagePrice !== undefined && { averagePrice: order.averagePrice }),
        final: true,
        ...(reason !== undefined && { reason }),
      });
    } else {
      this.#effects.journal({
        type: 'dropped',
        venueTime,
        clientOrderId,
        reason: `rejected: ${reason ?? ''}`,
      });
    }
  }

  /** The mode of the account. `change`: the restriction that began, became stricter or ended. */
  mode(mode: Mode, cause: string, change?: RestrictionChange): void {
    if (!this.#effects.journaling) return;
    const from = this.#mode;
    this.#mode = mode;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'mode', venueTime, from, to: mode, cause, ...change });
  }

  flatten(commandId: string, state: 'wanted' | 'flat' | 'withdrawn', text: string): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'flatten', venueTime, commandId, state, text });
  }

  /** Stop and pause of a strategy by a person, after a change. */
  strategy(strategyId: string, change: StrategySwitch): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'strategy', venueTime, strategyId, ...switchFields(change) });
  }

  command(commandId: string, command: OperatorCommand): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'command', venueTime, commandId, command });
  }

  /** Durable state of a strategy that no intent carries. */
  state(strategyId: string, kept: NonNullable<OrderIntent['persistedState']>): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'state', venueTime, strategyId, kept });
  }

  /** A change of a tracked position that is not our own fill. */
  position({ symbol, currency, quantity, foreign }: JournalPosition, cause: string): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'position',
      venueTime: this.#stamp.venueTime,
      symbol,
      currency,
      quantity,
      ...(foreign !== 0 && { foreign }),
      cause,
    });
  }

  /** The mode of one symbol, beside the mode of the account. */
  symbolMode(
    symbol: string,
    modes: { readonly from: Mode; readonly to: Mode },
    cause: string,
    change: RestrictionChange,
  ): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'mode', venueTime, symbol, ...modes, cause, ...change });
  }

  /** An order of our namespace at the venue that this journal did not send. */
  stray(clientOrderId: string, orderId: string): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'stray', venueTime, clientOrderId, orderId });
  }

  /** Order history is compared with this journal until `judgedUntil`, venue ms. */
  history(currency: Currency, judgedUntil: number): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal({ type: 'history', venueTime, currency, judgedUntil });
  }

  /** Counters of losses, and the wallet that they include. */
  losses(currency: Currency, counters: LossCounters, transfers: WalletTransferState): void {
    if (!this.#effects.journaling) return;
    const { venueTime } = this.#stamp;
    this.#effects.journal(lossRecord({ currency, counters, transfers }, venueTime));
  }

  accountNote(level: Note['level'], text: string): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({ type: 'note', venueTime: this.#stamp.venueTime, level, text });
  }

  note(order: OwnOrder, text: string, level: Note['level'] = 'warn'): void {
    if (!this.#effects.journaling) return;
    this.#effects.journal({
      type: 'note',
      venueTime: this.#stamp.venueTime,
      level,
      text,
      clientOrderId: order.clientOrderId,
    });
  }
}

/** A reply in words; `yes` is the text for an acknowledgement. */
export function describeOutcome(outcome: Outcome<unknown>, yes: string): string {
  if (outcome.kind === 'yes') return yes;
  return outcome.kind === 'no' ? outcome.text : `no clear answer (${outcome.cause})`;
}

const explained = ({ explanation, sizing }: OrderIntent): Readonly<Record<string, string>> => ({
  ...(explanation !== undefined && { explanation }),
  ...(sizing !== undefined && { sizing }),
});

function outcomeFields(outcome: Outcome<Placement>) {
  switch (outcome.kind) {
    case 'yes': {
      const { orderId, positionId } = outcome.value;
      return { orderId, ...(positionId !== undefined && { positionId }) };
    }
    case 'no':
      return { code: outcome.code, status: outcome.status, text: outcome.text };
    case 'unknown':
      return {
        sent: outcome.sent,
        cause: outcome.cause,
        ...(outcome.status !== undefined && { status: outcome.status }),
      };
  }
}
