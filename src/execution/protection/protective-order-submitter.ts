import type { Price } from '../../core/fixed/fixed.js';
import type { Outcome } from '../../core/request.js';
import type { RefusalCode } from '../../core/rejection.js';
import type { Operation } from '../operation/operation.js';
import { sendAttempt, type OperationParts } from '../operation/operation-parts.js';
import {
  activeOperationOf,
  type ProtectiveOrderId,
  type ManagedProtectiveOrder,
} from './managed-protective-order.js';

/** A reply, as the protocol of protective orders needs it. */
export type ProtectiveOrderReply =
  | { readonly kind: 'acknowledged' | 'fenced' | 'for-now' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have taken effect. `refusal`: the venue refused, after another unclear attempt. */
  | { readonly kind: 'unclear'; readonly conflict: boolean; readonly refusal?: string };

export interface ProtectiveOrderSubmitHandlers {
  readonly onReply: (managed: ManagedProtectiveOrder, reply: ProtectiveOrderReply) => void;
  readonly onHeld: (managed: ManagedProtectiveOrder, reason: string) => void;
}

/**
 * Temporary: a lock or rate limit, a position not open yet (hazard D1), a stale order id (hazard
 * D5).
 */
const TEMPORARY_REFUSALS: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'locked',
  'rate-limited',
  'position-not-open',
  'position-not-found',
  'position-not-in-sync',
  'order-not-found',
  'order-not-open',
  'protection-order-missing',
]);

/**
 * Orders that an unclear edit may still reach, with the prices of those edits. Such an order may be
 * edited to that price again: if both land, nothing changes. Any other edit could be undone by the
 * late one (as hazard C2), so that the order is canceled instead.
 */
export class UnconfirmedEdits {
  readonly #prices = new Map<string, Set<Price>>();

  add(orderId: string, price: Price): void {
    const prices = this.#prices.get(orderId);
    if (prices === undefined) this.#prices.set(orderId, new Set([price]));
    else prices.add(price);
  }

  /** The only edit in flight has shown: none can land any more. */
  clear(orderId: string): void {
    this.#prices.delete(orderId);
  }

  forbids(orderId: string, price: Price): boolean {
    return [...(this.#prices.get(orderId) ?? [])].some((late) => late !== price);
  }
}

/** Sends the requests of a protective order: set, edit or cancel, one attempt each. */
export class ProtectiveOrderSubmitter {
  readonly #parts: OperationParts;
  readonly #handlers: ProtectiveOrderSubmitHandlers;
  readonly unconfirmedEdits = new UnconfirmedEdits();

  constructor(parts: OperationParts, handlers: ProtectiveOrderSubmitHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  set(managed: ManagedProtectiveOrder, id: ProtectiveOrderId): void {
    const operation = activeOperationOf(managed);
    const { slot, price } = operation.plan;
    const { positionId, clientOrderId, generation } = id;
    sendAttempt<'set-leg', 'protect'>(
      operation,
      {
        request: { kind: 'set-leg', positionId, slot, price, clientOrderId },
        priority: 'protect',
        step: { kind: 'set-leg', positionId, clientOrderId, generation },
        ...this.#common(managed, 'attempt'),
        onReply: (outcome) => {
          this.#handlers.onReply(managed, replyOf(outcome, operation));
        },
      },
      this.#parts,
    );
  }

  edit(
    managed: ManagedProtectiveOrder,
    positionId: string,
    { orderId, from }: { readonly orderId: string; readonly from: Price },
  ): void {
    const operation = activeOperationOf(managed);
    const { slot, price } = operation.plan;
    sendAttempt<'move-leg', 'protect'>(
      operation,
      {
        request: { kind: 'move-leg', positionId, slot, price, orderId },
        priority: 'protect',
        step: { kind: 'move-leg', positionId, orderId, from },
        ...this.#common(managed, 'attempt'),
        onSend: () => {
          operation.edits += 1;
          operation.apply('attempt');
        },
        onReply: (outcome) => {
          if (outcome.kind === 'unknown' && outcome.sent) this.unconfirmedEdits.add(orderId, price);
          this.#handlers.onReply(managed, replyOf(outcome, operation));
        },
      },
      this.#parts,
    );
  }

  /** After any reply the next read shows what is at the venue. */
  fence(managed: ManagedProtectiveOrder, orderId: string): void {
    sendAttempt<'cancel', 'protect'>(
      activeOperationOf(managed),
      {
        request: { kind: 'cancel', order: { orderId } },
        priority: 'cancel',
        step: { kind: 'cancel-leg', orderId },
        ...this.#common(managed, 'fence'),
        onReply: () => {
          this.#handlers.onReply(managed, { kind: 'fenced' });
        },
      },
      this.#parts,
    );
  }

  #common(managed: ManagedProtectiveOrder, event: 'attempt' | 'fence') {
    return {
      lock: { name: managed.symbolLock, exclusive: false },
      holdReason: () => undefined,
      onHeld: (reason: string) => {
        this.#handlers.onHeld(managed, reason);
      },
      onSend: () => {
        activeOperationOf(managed).apply(event);
      },
    };
  }
}

/** While an attempt is unproved, a refusal proves nothing: the attempt that landed may cause it. */
function replyOf(
  outcome: Outcome<null>,
  { unknownSeen }: Operation<'protect'>,
): ProtectiveOrderReply {
  if (outcome.kind === 'yes') return { kind: 'acknowledged' };
  if (outcome.kind === 'unknown') {
    if (!outcome.sent && !unknownSeen) return { kind: 'for-now' };
    // Reads decide first whether it had an effect.
    const isRefusal = outcome.isUnlistedRefusal === true;
    return { kind: 'unclear', conflict: false, ...(isRefusal && { refusal: outcome.cause }) };
  }
  const { code, text } = outcome;
  if (code === 'client-order-id-exists') return { kind: 'unclear', conflict: true };
  const temporary = TEMPORARY_REFUSALS.has(code);
  if (unknownSeen)
    return { kind: 'unclear', conflict: false, ...(!temporary && { refusal: text }) };
  return temporary ? { kind: 'for-now' } : { kind: 'refused', reason: text };
}
