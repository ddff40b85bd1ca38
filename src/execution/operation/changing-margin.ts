import type { PositionReport, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  fixedFromText,
  isMultipleOf,
  subtract,
  textFromFixed,
  type Amount,
} from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import { readableFor, type MarginChange, type Outcome } from '../../core/request.js';
import { LATE_LANDING_MS, spaced, VERIFY_SPACING_MS } from '../constants.js';
import { laneOf, type Operation, type OperationStep } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';
import { isBalance } from './printed-balance.js';

export interface ChangingMarginParts extends OperationParts {
  /** Orders of ours on the symbol that have not ended: their fills would move the margin too (F2). */
  readonly ordersUnderWay: (symbol: string, currency: Currency) => number;
}

export interface MarginWish {
  readonly symbol: string;
  readonly currency: Currency;
  /** Above 0 adds, below 0 gives back; in `currency`. */
  readonly change: Amount;
}

type Step = Extract<OperationStep, { readonly kind: 'change-margin' }>;
interface Reading {
  readonly row: PositionReport | undefined;
  readonly wallet: WalletReport;
}

/** INR margins are printed cut to two places (supplement, part 11). */
const PAISA = fixedFromText<'INR'>('0.01');

/**
 * More or less margin for a position. The request has no id, so that it is sent once and never again
 * (property P27): what it did is the difference between two readings, of the position's margin and,
 * as a second witness, of the wallet. Nothing else of ours moves either meanwhile, because the
 * operation holds its lane; what others move makes the difference say nothing, and a person decides.
 */
export class ChangingMargin {
  readonly #parts: ChangingMarginParts;

  constructor(parts: ChangingMarginParts) {
    this.#parts = parts;
  }

  /**
   * @param allow.reduce giving margin back brings liquidation nearer: off unless it is said (F3, R29)
   * @param allow.afterUnproved a person has looked at what an earlier one did
   * @returns the operation, or why there can be none
   */
  change(
    wish: MarginWish,
    allow: { readonly reduce: boolean; readonly afterUnproved: boolean },
    cause?: Cause,
  ): Operation<'margin'> | string {
    const { operations, journal, lanes } = this.#parts;
    const objection = this.#objection(wish, allow);
    if (objection !== undefined) return objection;
    const operation = operations.create<'margin'>({ kind: 'margin', ...wish }, cause);
    if (!lanes.hold(laneOf(wish), operation)) {
      operation.move('drop');
      journal.begun(operation as unknown as Operation);
      endOperation(operation, `another change of ${wish.symbol} is not proved yet`, this.#parts);
      return operation;
    }
    journal.begun(operation as unknown as Operation);
    this.#read(wish, (reading) => {
      this.#measured(operation, reading);
    });
    return operation;
  }

  /** What an earlier life left: what was never sent is dropped, the rest is looked for. */
  resume(): void {
    const { operations, lanes } = this.#parts;
    for (const operation of operations.open('margin')) {
      lanes.hold(laneOf(operation.plan), operation);
      const { step } = operation;
      if (step?.kind === 'change-margin') this.#verify(operation, step, 0);
      else this.#end(operation, 'drop', 'it was never sent');
    }
  }

  #objection(
    { symbol, currency, change }: MarginWish,
    allow: { readonly reduce: boolean; readonly afterUnproved: boolean },
  ): string | undefined {
    if (change === 0) return 'a change of margin is not 0';
    if (change < 0 && !allow.reduce)
      return 'giving margin back is off: it brings liquidation nearer';
    if (currency === 'INR' && !isMultipleOf(change, PAISA))
      return 'INR margin is told in steps of 0.01: no smaller change could be proved';
    const unproved = this.#parts.operations
      .unproved('margin')
      .some(({ plan }) => plan.symbol === symbol && plan.currency === currency);
    return unproved && !allow.afterUnproved
      ? 'an earlier change of its margin has no proved outcome'
      : undefined;
  }

  #read(
    { symbol, currency }: Pick<MarginWish, 'symbol' | 'currency'>,
    then: (reading: Reading | undefined) => void,
  ): void {
    const { desk } = this.#parts;
    desk.ask<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'verify',
      answered: (outcome) => {
        const positions = readableFor(outcome, symbol);
        if (positions.kind !== 'yes') {
          then(undefined);
          return;
        }
        const row = positions.value.find((each) => each.symbol === symbol);
        desk.ask<'read-wallet'>({
          request: { kind: 'read-wallet', currency },
          priority: 'verify',
          answered: (wallet) => {
            then(wallet.kind === 'yes' ? { row, wallet: wallet.value } : undefined);
          },
        });
      },
    });
  }

  #measured(operation: Operation<'margin'>, reading: Reading | undefined): void {
    const { plan } = operation;
    if (reading?.row === undefined) {
      const missing = reading === undefined ? 'the account cannot be read' : 'there is no position';
      this.#end(operation, 'drop', missing);
      return;
    }
    const { positionId, quantity, initialMargin } = reading.row;
    const { balance, locked } = reading.wallet;
    const step: Step = {
      kind: 'change-margin',
      quantity,
      positionId,
      initialMargin,
      balance,
      locked,
    };
    sendAttempt<'change-margin', 'margin'>(
      operation,
      {
        request: { kind: 'change-margin', positionId, change: plan.change },
        priority: plan.change > 0 ? 'protect' : 'place',
        step,
        lane: { name: laneOf(plan), calm: true },
        hold: () => this.#underWay(operation),
        held: (reason) => {
          this.#end(operation, 'drop', reason);
        },
        leaves: () => {
          operation.move('attempt');
        },
        answered: (outcome) => {
          this.#answered(operation, step, outcome);
        },
      },
      this.#parts,
    );
  }

  #underWay({ plan: { symbol, currency } }: Operation<'margin'>): string | undefined {
    const orders = this.#parts.ordersUnderWay(symbol, currency);
    return orders > 0 ? `${orders} order(s) of ours on ${symbol} could move its margin` : undefined;
  }

  #answered(operation: Operation<'margin'>, step: Step, outcome: Outcome<MarginChange>): void {
    if (outcome.kind === 'yes') {
      const { initialMargin } = outcome.value;
      this.#end(
        operation,
        'yes',
        `the venue says so: initial margin ${textFromFixed(initialMargin)}`,
      );
    } else if (outcome.kind === 'no') this.#end(operation, 'no', outcome.text);
    else if (!outcome.sent) this.#end(operation, 'not-sent', outcome.cause);
    else {
      operation.move('unknown');
      this.#verify(operation, step, 0);
    }
  }

  #verify(operation: Operation<'margin'>, step: Step, looks: number, since?: number): void {
    const { desk, world } = this.#parts;
    const began = since ?? world.stamp.monotonic;
    desk.after(spaced(VERIFY_SPACING_MS, looks), () => {
      this.#read(operation.plan, (reading) => {
        const verdict = reading && compare(reading, step, operation.plan.change);
        const late = world.stamp.monotonic - began >= LATE_LANDING_MS;
        if (verdict?.kind === 'proved') this.#end(operation, 'shows-change', verdict.evidence);
        else if (verdict?.kind === 'disturbed')
          this.#end(operation, 'undecidable', verdict.evidence);
        else if (late)
          this.#end(operation, 'undecidable', verdict?.evidence ?? 'the account cannot be read');
        else this.#verify(operation, step, looks + 1, began);
      });
    });
  }

  #end(
    operation: Operation<'margin'>,
    move: 'yes' | 'no' | 'not-sent' | 'shows-change' | 'undecidable' | 'drop',
    evidence: string,
  ): void {
    operation.move(move);
    endOperation(operation, evidence, this.#parts);
    this.#parts.lanes.release(laneOf(operation.plan), operation);
  }
}

type Comparison = {
  readonly kind: 'proved' | 'open' | 'disturbed';
  readonly evidence: string;
};

/** Exactly the change, in the position and in the wallet, or no proof. */
function compare({ row, wallet }: Reading, step: Step, change: Amount): Comparison {
  if (row?.positionId !== step.positionId || row.quantity !== step.quantity) {
    return { kind: 'disturbed', evidence: 'the position is not the one that was measured' };
  }
  const moved = subtract(row.initialMargin, step.initialMargin);
  if (moved === 0) {
    return { kind: 'open', evidence: 'the margin is what it was; the request may still land' };
  }
  if (moved !== change) {
    const text = `the margin moved by ${textFromFixed(moved)}, not by ${textFromFixed(change)}`;
    return { kind: 'disturbed', evidence: text };
  }
  const { currency } = wallet;
  const confirmed =
    isBalance(wallet.locked, add(step.locked, change), currency) &&
    isBalance(wallet.balance, subtract(step.balance, change), currency);
  return confirmed
    ? { kind: 'proved', evidence: 'initial margin and wallet differ by exactly the change' }
    : { kind: 'open', evidence: 'the margin shows the change, the wallet does not confirm it' };
}
