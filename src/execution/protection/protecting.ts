import type { PositionReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import type { Price } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { LegSlot } from '../../core/request.js';
import { POLL_SPACING_MS, RETRY_SPACING_MS, spaced } from '../constants.js';
import { evidenceOf } from './leg-evidence.js';
import { judgeLeg, type LegJudgement } from './leg-judgement.js';
import { LegLooking, type LegRead } from './leg-looking.js';
import { LegNames } from './leg-names.js';
import { LegSending, type LegAnswer } from './leg-sending.js';
import type { Operation } from '../operation/operation.js';
import { endOperation, type OperationParts } from '../operation/operation-parts.js';
import {
  isRestoring,
  operationOf,
  ProtectionLeg,
  type DecidedLeg,
  type LegStanding,
} from './protection-leg.js';

/** Trigger prices that a position shall have; an absent slot is left as it is. */
export interface ProtectionWish {
  readonly stopLoss?: Price;
  readonly takeProfit?: Price;
}

export interface ProtectingParts extends OperationParts {
  readonly account: string;
  /** Whether nothing is believed to be open. */
  readonly isFlat: (symbol: string, currency: Currency) => boolean;
}

const SLOTS = ['stopLoss', 'takeProfit'] as const satisfies readonly LegSlot[];
/** Requests that one wish may cost before it is given up: who asked for it must do something else. */
const MAX_ATTEMPTS = 12;

/**
 * Sees to stops and targets at the venue. Each leg is an operation of its own and a request of its
 * own, so that no answer is half a yes (D3); it has a client order id, so that the venue refuses the
 * second one (D2). What there is to do is told by positions and the leg's own order, read anew before
 * every request (D5), and it is done when both show it (D13).
 */
export class Protecting {
  readonly #parts: ProtectingParts;
  readonly #legs = new Map<string, ProtectionLeg>();
  readonly #names: LegNames;
  readonly #sending: LegSending;
  readonly #looking: LegLooking;

  constructor(parts: ProtectingParts) {
    this.#parts = parts;
    this.#names = new LegNames(parts.account);
    this.#looking = new LegLooking(parts, {
      read: (leg, read) => {
        this.#weigh(leg, read);
      },
      gone: (leg) => {
        this.#end(leg, 'position-gone', 'positions show none, and none is believed');
      },
    });
    this.#sending = new LegSending(parts, {
      answered: (leg, answer) => {
        this.#answered(leg, answer);
      },
      held: (leg, reason) => {
        this.#end(leg, leg.operation?.attempts === 0 ? 'drop' : 'give-up', reason);
      },
    });
  }

  /**
   * Asks for it. The newest wish of a slot counts, and asking again for what is live or under way does
   * nothing: it may be called at every poll. What was refused is tried again.
   */
  protect(symbol: string, currency: Currency, wish: ProtectionWish, cause?: Cause): void {
    for (const slot of SLOTS) {
      const price = wish[slot];
      if (price !== undefined) this.#want(this.#leg(symbol, currency, slot), price, cause);
    }
  }

  standing(symbol: string, currency: Currency): Readonly<Record<LegSlot, LegStanding>> {
    return {
      stopLoss: this.#leg(symbol, currency, 'stopLoss').standing,
      takeProfit: this.#leg(symbol, currency, 'takeProfit').standing,
    };
  }

  /**
   * The newest price of a slot that somebody decided on: under way, or proved live, though it may be gone
   * by now. undefined: none was moved, so that what came with the entry counts.
   */
  decided(symbol: string, currency: Currency, slot: LegSlot): DecidedLeg | undefined {
    const leg = this.#legs.get(keyOf(symbol, currency, slot));
    if (leg === undefined) return undefined;
    const { next, operation } = leg;
    if (next !== undefined && !isRestoring(next.cause)) return next;
    return operation === undefined || isRestoring(operation.cause)
      ? leg.decided
      : { price: operation.plan.price, wantedAt: operation.wantedAt };
  }

  /** What positions showed in a read that began at `startedAt`: a proof that it contradicts is over. */
  seen(
    symbol: string,
    currency: Currency,
    row: PositionReport | undefined,
    startedAt = Number.POSITIVE_INFINITY,
  ): void {
    for (const slot of SLOTS) {
      const leg = this.#legs.get(keyOf(symbol, currency, slot));
      if (leg?.proof === undefined || startedAt <= leg.proof.at) continue;
      const shown = row?.[slot];
      // A price without its order contradicts nothing.
      const isUnclear = shown !== undefined && shown.orderId === undefined;
      if (!isUnclear && shown?.orderId !== leg.proof.orderId) leg.proof = undefined;
    }
  }

  /** Whether a client order id is one of our legs'. */
  owns(clientOrderId: string): boolean {
    return this.#names.owns(clientOrderId);
  }

  /** Every id that the journal names, and what an earlier life left without an end. */
  takeOver(left: {
    readonly legIds: Iterable<string>;
    /** Edits whose answer nobody read. */
    readonly unclearEdits: Iterable<{ readonly orderId: string; readonly price: Price }>;
    readonly operations: readonly Operation<'protect'>[];
    readonly decidedLegs: readonly Operation<'protect'>[];
  }): void {
    for (const id of left.legIds) this.#names.remember(id);
    for (const { orderId, price } of left.unclearEdits) this.#sending.dirty.add(orderId, price);
    for (const { plan, wantedAt } of left.decidedLegs) {
      const leg = this.#leg(plan.symbol, plan.currency, plan.slot);
      leg.decided = { price: plan.price, wantedAt };
    }
    for (const operation of left.operations) {
      const { symbol, currency, slot } = operation.plan;
      const leg = this.#leg(symbol, currency, slot);
      leg.begin(operation);
      const { step } = operation;
      if (step?.kind === 'set-leg') leg.name = step;
    }
  }

  /** Goes on with what an earlier life left: by looking, whatever it had last heard. */
  resume(): void {
    for (const leg of this.#legs.values()) {
      const { operation } = leg;
      if (operation === undefined) continue;
      const now = this.#parts.world.stamp.monotonic;
      if (operation.state === 'acknowledged') leg.acknowledgedAt = now;
      if (operation.conflictSeen) leg.conflictAt = now;
      if (operation.attempts === 0) this.#end(leg, 'drop', 'it was never sent');
      else this.#looking.look(leg, 0);
    }
  }

  #want(leg: ProtectionLeg, price: Price, cause: Cause | undefined): void {
    if (leg.operation !== undefined) {
      const { venueTime: wantedAt } = this.#parts.world.stamp;
      leg.next = leg.operation.plan.price === price ? undefined : { price, wantedAt, cause };
      return;
    }
    if (leg.proof?.wanted === price) return;
    const { operations, journal } = this.#parts;
    const { symbol, currency, slot } = leg;
    const operation = operations.create<'protect'>(
      { kind: 'protect', symbol, currency, slot, price },
      cause,
    );
    leg.begin(operation);
    journal.begun(operation as unknown as Operation);
    this.#looking.look(leg, 0);
  }

  // --- evidence ------------------------------------------------------------------------------------

  /** Judges the evidence, again after each move that it brings about. */
  #weigh(leg: ProtectionLeg, read: LegRead): void {
    const now = this.#parts.world.stamp.monotonic;
    for (;;) {
      const judgement = judgeLeg(evidenceOf(leg, read, { now, dirty: this.#sending.dirty }));
      if (judgement.kind !== 'move') {
        this.#carryOut(leg, read, judgement);
        return;
      }
      if (judgement.move === 'give-up') {
        this.#end(leg, 'give-up', leg.refusal ?? 'refused');
        return;
      }
      this.#moveOn(leg, judgement.move);
    }
  }

  #moveOn(leg: ProtectionLeg, move: 'found' | 'not-found' | 'lost' | 'id-used'): void {
    operationOf(leg).move(move);
    leg.looks = 0;
    if (move === 'found') leg.acknowledgedAt = this.#parts.world.stamp.monotonic;
    if (move !== 'lost' && move !== 'id-used') return;
    leg.name = undefined;
    this.#forget(leg);
  }

  #carryOut(
    leg: ProtectionLeg,
    { row, startedAt }: LegRead,
    judgement: Exclude<LegJudgement, { kind: 'move' }>,
  ): void {
    if (judgement.kind === 'wait') {
      this.#looking.lookAgain(leg);
      return;
    }
    if (judgement.kind === 'live') {
      this.#proved(leg, judgement, startedAt);
      return;
    }
    if (operationOf(leg).attempts >= MAX_ATTEMPTS) {
      this.#giveUp(leg);
      return;
    }
    if (judgement.kind === 'fence') this.#sending.fence(leg, judgement.orderId);
    else if (judgement.kind === 'edit') this.#sending.edit(leg, row.positionId, judgement);
    else this.#sending.set(leg, this.#nameFor(leg, row.positionId));
  }

  /** Where it cannot be given up, since it may be there, it is only looked for. */
  #giveUp(leg: ProtectionLeg): void {
    if (operationOf(leg).state === 'looking') {
      this.#end(leg, 'give-up', `not there after ${MAX_ATTEMPTS} attempts`);
    } else this.#looking.lookAgain(leg);
  }

  /** The same id until it is used up; another position is another leg. */
  #nameFor(leg: ProtectionLeg, positionId: string) {
    if (leg.name?.positionId !== positionId) {
      leg.name = this.#names.fresh({ ...operationOf(leg).plan }, positionId);
      this.#forget(leg);
    }
    return leg.name;
  }

  /** Another id: what was sent under the one before is in no doubt any more. */
  #forget(leg: ProtectionLeg): void {
    leg.forget();
    operationOf(leg).unknownSeen = false;
  }

  #proved(
    leg: ProtectionLeg,
    { orderId, evidence }: Extract<LegJudgement, { kind: 'live' }>,
    startedAt: number,
  ): void {
    const { plan, edits, cause, wantedAt } = operationOf(leg);
    // One edit left and it shows: none can land any more.
    if (edits === 1) this.#sending.dirty.clear(orderId);
    leg.proof = { wanted: plan.price, orderId, at: startedAt };
    if (!isRestoring(cause)) leg.decided = { price: plan.price, wantedAt };
    this.#end(leg, 'shown', evidence);
  }

  // --- answers and ends ------------------------------------------------------------------------------

  #answered(leg: ProtectionLeg, answer: LegAnswer): void {
    const now = this.#parts.world.stamp.monotonic;
    const operation = operationOf(leg);
    switch (answer.kind) {
      case 'acknowledged':
        operation.move('yes');
        leg.acknowledgedAt = now;
        leg.looks = 0;
        this.#looking.look(leg, spaced(POLL_SPACING_MS, 0));
        return;
      case 'fenced':
        operation.move('fenced');
        this.#looking.look(leg, spaced(RETRY_SPACING_MS, 0));
        return;
      case 'for-now':
        operation.move('no-for-now');
        this.#looking.look(leg, spaced(RETRY_SPACING_MS, operation.attempts - 1));
        return;
      case 'refused':
        this.#end(leg, 'no', answer.reason);
        return;
      case 'unclear':
        operation.unknownSeen = true;
        operation.move('unknown');
        if (answer.conflict) leg.conflictAt ??= now;
        leg.refusal ??= answer.refusal;
        this.#looking.lookAgain(leg);
    }
  }

  #end(
    leg: ProtectionLeg,
    move: 'shown' | 'no' | 'position-gone' | 'give-up' | 'drop',
    evidence: string,
  ): void {
    const operation = operationOf(leg);
    operation.move(move);
    const { state } = operation;
    leg.last = state === 'refused' || state === 'gone' ? state : undefined;
    leg.operation = undefined;
    endOperation(operation, evidence, this.#parts);
    const { next } = leg;
    leg.next = undefined;
    if (next !== undefined && state !== 'gone') this.#want(leg, next.price, next.cause);
  }

  #leg(symbol: string, currency: Currency, slot: LegSlot): ProtectionLeg {
    const key = keyOf(symbol, currency, slot);
    let leg = this.#legs.get(key);
    if (leg === undefined) {
      this.#legs.set(key, (leg = new ProtectionLeg(symbol, currency, slot)));
    }
    return leg;
  }
}

const keyOf = (symbol: string, currency: Currency, slot: LegSlot): string =>
  `${symbol}/${currency}/${slot}`;
