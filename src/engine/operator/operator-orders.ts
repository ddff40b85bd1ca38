import type { OperatorCommand, EventTime } from '../../core/events.js';
import { subtract, type Price } from '../../core/fixed/fixed.js';
import type { DecisionCause, OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { PositionLedger } from '../../execution/position-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { EngineFacts } from '../engine-facts.js';
import type { Operations } from '../operations.js';
import { OPERATOR_ID } from './manual-trading.js';
import type { Objection } from '../order/order-checks.js';

type CommandOf<Kind extends OperatorCommand['kind']> = Extract<
  OperatorCommand,
  { readonly kind: Kind }
>;
type Amendment = CommandOf<'amend'> & { readonly cause: DecisionCause };

export interface OperatorOrdersParts {
  readonly stamp: Readonly<EventTime>;
  readonly effects: EffectSink;
  readonly facts: EngineFacts;
  readonly ledger: OrderLedger;
  readonly positions: PositionLedger;
  readonly protocol: OrderProtocol;
  readonly submit: (intent: OrderIntent) => unknown;
  readonly refuse: (intent: OrderIntent, control: string, text: string) => 'refused';
  readonly operations: Operations;
  /** Description of an unfinished flatten; undefined where there is none. */
  readonly flatten: () => string | undefined;
  /** Why the gate would refuse an intent that replaces an order. */
  readonly objection: (intent: OrderIntent, replaced: OwnOrder) => Objection | undefined;
}

/**
 * Manual orders. They pass gate, journal and protocol like every order.
 *
 * An amendment is a cancel, its proof, and a new order for the remaining quantity (hazard C6). The venue's
 * PATCH carries no client id: a delayed PATCH can overwrite a newer one (hazard C2), and an amended order no
 * longer has the terms of its client order id.
 */
export class OperatorOrders {
  readonly #parts: OperatorOrdersParts;
  /** By the client order id of the order that is being canceled. */
  readonly #amendments = new Map<string, Amendment>();

  constructor(parts: OperatorOrdersParts) {
    this.#parts = parts;
  }

  place({ terms, validUntil }: CommandOf<'order'>, cause: DecisionCause): void {
    this.#submit(this.#intent(terms, validUntil, cause));
  }

  cancel({ clientOrderId }: CommandOf<'cancel'>): void {
    const order = this.#workingOrder(clientOrderId);
    if (order !== undefined) this.#parts.protocol.cancel(order);
  }

  /** Resolves unproved orders only: a confirmed or unsent order has its own commands. */
  resolve({ clientOrderId }: CommandOf<'resolve'>): void {
    const order = this.#workingOrder(clientOrderId);
    if (order === undefined || this.#parts.protocol.resolveNeverLanded(order)) return;
    this.#warn(`${clientOrderId} is not resolved: it is ${order.state}, and its outcome is proved`);
  }

  /** The order is canceled only for a new order that the gate accepts. */
  amend(command: CommandOf<'amend'>, cause: DecisionCause): void {
    const order = this.#workingOrder(command.clientOrderId);
    if (order === undefined) return;
    const intent = this.#intent(amendedTerms(order, command), command.validUntil, cause);
    const objection = this.#parts.objection(intent, order);
    if (objection !== undefined) {
      this.#parts.refuse(intent, objection.control, objection.text);
      return;
    }
    if (command.inPlace === true && this.#amendInPlace(order, { ...command, cause }, intent))
      return;
    this.#amendments.set(command.clientOrderId, { ...command, cause });
    this.#parts.protocol.cancel(order);
  }

  /**
   * Amends by the venue's PATCH. Where its effect cannot be proved, the order is canceled, and the remaining
   * quantity is placed as after any cancel.
   */
  #amendInPlace(order: OwnOrder, amendment: Amendment, intent: OrderIntent): boolean {
    const { operations, objection } = this.#parts;
    const { price, quantity, cause } = amendment;
    const holdReason = (): string | undefined => objection(intent, order)?.text;
    const operation = operations.orderModifier.amend(order, { price, quantity }, holdReason, cause);
    if (typeof operation === 'string') {
      this.#warn(`${order.clientOrderId} is not amended where it is: ${operation}`);
      return false;
    }
    this.#amendments.set(order.clientOrderId, amendment);
    return true;
  }

  /** The amendment is proved or refused: no new order follows when the order ends. */
  onOperationEnded({ plan, state }: Operation): void {
    if (plan.kind === 'amend' && state !== 'fenced') this.#amendments.delete(plan.clientOrderId);
  }

  /** An order has ended, and its filled quantity is proved. */
  onOrderEnded(order: OwnOrder): void {
    // Skips the computation of ids that a backtest never uses.
    if (this.#amendments.size === 0) return;
    const amendment = this.#amendments.get(order.clientOrderId);
    if (amendment === undefined) return;
    this.#amendments.delete(order.clientOrderId);
    const remaining = subtract(amendment.quantity, order.filledQuantity);
    if (remaining <= 0) {
      this.#warn(`${order.clientOrderId} was filled before it could be canceled: nothing is left`);
      return;
    }
    const terms = amendedTerms(order, amendment);
    this.#submit(this.#intent(terms, amendment.validUntil, amendment.cause));
  }

  #submit(intent: OrderIntent): void {
    const { submit, refuse, flatten } = this.#parts;
    const text = intent.terms.reduceOnly ? undefined : flatten();
    if (text !== undefined) refuse(intent, 'FLATTEN', flattenText(text));
    else if (intent.referencePrice > 0) submit(intent);
    else refuse(intent, 'PRICE', `no price of ${intent.terms.symbol} is known yet`);
  }

  #intent(terms: OrderTerms, validUntil: number, cause: DecisionCause): OrderIntent {
    const { stamp } = this.#parts;
    return {
      strategyId: OPERATOR_ID,
      cause,
      ordinal: 0,
      leg: 0,
      terms,
      referencePrice: this.#reference(terms),
      decidedAt: stamp.venueTime,
      validUntil,
    };
  }

  /** 0: no price is known. No size of a reduction depends on it. */
  #reference({ symbol, currency, price, reduceOnly }: OrderTerms): Price {
    const { facts, positions } = this.#parts;
    const known = facts.lastPrice(symbol) ?? price;
    return (
      known ?? (reduceOnly ? positions.entryPrice(symbol, currency) : undefined) ?? (0 as Price)
    );
  }

  #workingOrder(clientOrderId: string): OwnOrder | undefined {
    const order = this.#parts.ledger.byClientOrderId(clientOrderId);
    if (order !== undefined && !order.ended) return order;
    this.#warn(`${clientOrderId} is no order of ours that is still open`);
    return undefined;
  }

  #warn(text: string): void {
    this.#parts.effects.notify({ level: 'warn', text: `${OPERATOR_ID}: ${text}` });
  }
}

/** The same order at the new price, for the part of the new quantity that is left. */
function amendedTerms(order: OwnOrder, { price, quantity }: CommandOf<'amend'>): OrderTerms {
  const remaining = subtract(quantity, order.filledQuantity);
  return { ...order.terms, type: 'limit', price, quantity: remaining };
}

const flattenText = (text: string): string =>
  `a flatten has not come to its end (${text}): sluice run goes on with it, sluice run --drop-flatten withdraws it`;
