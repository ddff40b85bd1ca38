import type { Command, Stamp } from '../../core/events.js';
import { subtract, type Price } from '../../core/fixed.js';
import type { Cause, OrderIntent } from '../../core/intent.js';
import type { OrderTerms } from '../../core/order.js';
import type { EffectSink } from '../../execution/effects.js';
import type { Operation } from '../../execution/operation/operation.js';
import type { OrderLedger } from '../../execution/order/order-ledger.js';
import type { OrderProtocol } from '../../execution/order/order-protocol.js';
import type { OwnOrder } from '../../execution/order/own-order.js';
import type { EngineFacts } from '../gate-facts.js';
import type { Operations } from '../operations.js';
import { OPERATOR_ID } from './operator-seat.js';
import type { Objection } from '../order-intake.js';

type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;
type Amendment = CommandOf<'amend'> & { readonly cause: Cause };

export interface OperatorOrdersParts {
  readonly stamp: Readonly<Stamp>;
  readonly effects: EffectSink;
  readonly facts: EngineFacts;
  readonly ledger: OrderLedger;
  readonly protocol: OrderProtocol;
  readonly submit: (intent: OrderIntent) => unknown;
  readonly refuse: (intent: OrderIntent, control: string, text: string) => 'refused';
  readonly operations: Operations;
  /** A flatten that has not come to its end, in a person's words. */
  readonly flatten: () => string | undefined;
  /** Why the gate would refuse an intent in place of an order. */
  readonly objection: (intent: OrderIntent, replaced: OwnOrder) => Objection | undefined;
}

/**
 * Orders that a person gives by hand. They take the way of every order: gate, journal, protocol.
 *
 * An amendment is a cancel, its proof, and a new order for what is left (hazard C6), not the venue's
 * PATCH. A PATCH has no id of its own: one whose answer is lost may land minutes later, over whatever
 * was wanted since (C2), and an order that it has changed is no longer the one whose terms our client
 * order id stands for.
 */
export class OperatorOrders {
  readonly #parts: OperatorOrdersParts;
  /** By the client order id of the order that is being canceled for it. */
  readonly #amendments = new Map<string, Amendment>();

  constructor(parts: OperatorOrdersParts) {
    this.#parts = parts;
  }

  place({ terms, validUntil }: CommandOf<'order'>, cause: Cause): void {
    this.#submit(this.#intent(terms, validUntil, cause));
  }

  cancel({ clientOrderId }: CommandOf<'cancel'>): void {
    const order = this.#workingOrder(clientOrderId);
    if (order !== undefined) this.#parts.protocol.cancel(order);
  }

  /** Only what nobody has proved: an order that the venue has, or that never left, has its own ways. */
  resolve({ clientOrderId }: CommandOf<'resolve'>): void {
    const order = this.#workingOrder(clientOrderId);
    if (order === undefined || this.#parts.protocol.neverLanded(order)) return;
    this.#say(`${clientOrderId} is not resolved: it is ${order.state}, and its outcome is proved`);
  }

  /** Nothing is canceled for a new order that the gate would not let out. */
  amend(command: CommandOf<'amend'>, cause: Cause): void {
    const order = this.#workingOrder(command.clientOrderId);
    if (order === undefined) return;
    const intent = this.#intent(amended(order, command), command.validUntil, cause);
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
   * By the venue's PATCH. Where that cannot be proved the order is canceled for it, and what is left
   * is placed like after any cancel.
   */
  #amendInPlace(order: OwnOrder, amendment: Amendment, intent: OrderIntent): boolean {
    const { operations, objection } = this.#parts;
    const { price, quantity, cause } = amendment;
    const hold = (): string | undefined => objection(intent, order)?.text;
    const operation = operations.amending.amend(order, { price, quantity }, hold, cause);
    if (typeof operation === 'string') {
      this.#say(`${order.clientOrderId} is not amended where it is: ${operation}`);
      return false;
    }
    this.#amendments.set(order.clientOrderId, amendment);
    return true;
  }

  /** Proved or refused: nothing is to be placed for it when the order ends. */
  operationEnded({ plan, state }: Operation): void {
    if (plan.kind === 'amend' && state !== 'fenced') this.#amendments.delete(plan.clientOrderId);
  }

  /** An order has ended, and its filled quantity is proved. */
  ended(order: OwnOrder): void {
    // Without this, a backtest would compute ids that nobody reads.
    if (this.#amendments.size === 0) return;
    const amendment = this.#amendments.get(order.clientOrderId);
    if (amendment === undefined) return;
    this.#amendments.delete(order.clientOrderId);
    const left = subtract(amendment.quantity, order.filledQuantity);
    if (left <= 0) {
      this.#say(`${order.clientOrderId} was filled before it could be canceled: nothing is left`);
      return;
    }
    const terms = amended(order, amendment);
    this.#submit(this.#intent(terms, amendment.validUntil, amendment.cause));
  }

  #submit(intent: OrderIntent): void {
    const { submit, refuse, flatten } = this.#parts;
    const text = intent.terms.reduceOnly ? undefined : flatten();
    if (text !== undefined) refuse(intent, 'FLATTEN', flattenText(text));
    else if (intent.referencePrice > 0) submit(intent);
    else refuse(intent, 'PRICE', `no price of ${intent.terms.symbol} is known yet`);
  }

  #intent(terms: OrderTerms, validUntil: number, cause: Cause): OrderIntent {
    const { facts, stamp } = this.#parts;
    return {
      strategyId: OPERATOR_ID,
      cause,
      ordinal: 0,
      leg: 0,
      terms,
      referencePrice: facts.lastPrice(terms.symbol) ?? terms.price ?? (0 as Price),
      decidedAt: stamp.venueTime,
      validUntil,
    };
  }

  #workingOrder(clientOrderId: string): OwnOrder | undefined {
    const order = this.#parts.ledger.byClientOrderId(clientOrderId);
    if (order !== undefined && !order.ended) return order;
    this.#say(`${clientOrderId} is no order of ours that is still open`);
    return undefined;
  }

  #say(text: string): void {
    this.#parts.effects.notify({ level: 'warn', text: `${OPERATOR_ID}: ${text}` });
  }
}

/** The same order at the new price, for what the old one leaves of the new quantity. */
function amended(order: OwnOrder, { price, quantity }: CommandOf<'amend'>): OrderTerms {
  const left = subtract(quantity, order.filledQuantity);
  return { ...order.terms, type: 'limit', price, quantity: left };
}

const flattenText = (text: string): string =>
  `a flatten has not come to its end (${text}): sluice run goes on with it, sluice run --drop-flatten withdraws it`;
