import type { Price } from '../../core/fixed.js';
import type { Outcome } from '../../core/request.js';
import type { RejectionCode } from '../../core/rejection.js';
import { DirtyLegs } from './dirty-legs.js';
import type { Operation } from '../operation/operation.js';
import { sendAttempt, type OperationParts } from '../operation/operation-parts.js';
import { operationOf, type LegName, type ProtectionLeg } from './protection-leg.js';

/** What an answer means for a leg. */
export type LegAnswer =
  | { readonly kind: 'acknowledged' | 'fenced' | 'for-now' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have taken effect; `refusal` where the venue said no after an attempt of that kind. */
  | { readonly kind: 'unclear'; readonly conflict: boolean; readonly refusal?: string };

export interface SendingNews {
  readonly answered: (leg: ProtectionLeg, answer: LegAnswer) => void;
  readonly held: (leg: ProtectionLeg, reason: string) => void;
}

/** A moment's lock or limit, a position not yet open (D1), an order id that is stale (D5). */
const FOR_NOW: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  'locked',
  'rate-limited',
  'position-not-open',
  'position-not-found',
  'position-not-in-sync',
  'order-not-found',
  'order-not-open',
  'protection-order-missing',
]);

/** Brings a leg to the venue: set, edit, or cancel, one attempt each. */
export class LegSending {
  readonly #parts: OperationParts;
  readonly #news: SendingNews;
  readonly dirty = new DirtyLegs();

  constructor(parts: OperationParts, news: SendingNews) {
    this.#parts = parts;
    this.#news = news;
  }

  set(leg: ProtectionLeg, name: LegName): void {
    const operation = operationOf(leg);
    const { slot, price } = operation.plan;
    const { positionId, clientOrderId, generation } = name;
    sendAttempt<'set-leg', 'protect'>(
      operation,
      {
        request: { kind: 'set-leg', positionId, slot, price, clientOrderId },
        priority: 'protect',
        step: { kind: 'set-leg', positionId, clientOrderId, generation },
        ...this.#common(leg, 'attempt'),
        answered: (outcome) => {
          this.#news.answered(leg, answerTo(outcome, operation));
        },
      },
      this.#parts,
    );
  }

  edit(
    leg: ProtectionLeg,
    positionId: string,
    { orderId, from }: { readonly orderId: string; readonly from: Price },
  ): void {
    const operation = operationOf(leg);
    const { slot, price } = operation.plan;
    sendAttempt<'move-leg', 'protect'>(
      operation,
      {
        request: { kind: 'move-leg', positionId, slot, price, orderId },
        priority: 'protect',
        step: { kind: 'move-leg', positionId, orderId, from },
        ...this.#common(leg, 'attempt'),
        leaves: () => {
          operation.edits += 1;
          operation.move('attempt');
        },
        answered: (outcome) => {
          if (outcome.kind === 'unknown' && outcome.sent) this.dirty.add(orderId, price);
          this.#news.answered(leg, answerTo(outcome, operation));
        },
      },
      this.#parts,
    );
  }

  /** Whatever it is answered, the next look tells what stands. */
  fence(leg: ProtectionLeg, orderId: string): void {
    sendAttempt<'cancel', 'protect'>(
      operationOf(leg),
      {
        request: { kind: 'cancel', order: { orderId } },
        priority: 'cancel',
        step: { kind: 'cancel-leg', orderId },
        ...this.#common(leg, 'fence'),
        answered: () => {
          this.#news.answered(leg, { kind: 'fenced' });
        },
      },
      this.#parts,
    );
  }

  #common(leg: ProtectionLeg, move: 'attempt' | 'fence') {
    return {
      lane: { name: leg.lane, calm: false },
      hold: () => undefined,
      held: (reason: string) => {
        this.#news.held(leg, reason);
      },
      leaves: () => {
        operationOf(leg).move(move);
      },
    };
  }
}

/** The join rule: once an attempt is not proved, no refusal is a proof either. */
function answerTo(outcome: Outcome<null>, { unknownSeen }: Operation<'protect'>): LegAnswer {
  if (outcome.kind === 'yes') return { kind: 'acknowledged' };
  if (outcome.kind === 'unknown') {
    const clean = !outcome.sent && !unknownSeen;
    return clean ? { kind: 'for-now' } : { kind: 'unclear', conflict: false };
  }
  const { code, text } = outcome;
  if (code === 'client-order-id-exists') return { kind: 'unclear', conflict: true };
  const forNow = FOR_NOW.has(code);
  if (unknownSeen) return { kind: 'unclear', conflict: false, ...(!forNow && { refusal: text }) };
  return forNow ? { kind: 'for-now' } : { kind: 'refused', reason: text };
}
