import type { PositionReport, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import {
  add,
  fixedFromText,
  isMultipleOf,
  subtract,
  textFromFixed,
  type Amount,
} from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import { outcomeForSymbol, type MarginChange, type Outcome } from '../../core/request.js';
import { LATE_LANDING_MS, backoffDelay, VERIFY_BACKOFF_MS } from '../constants.js';
import { symbolLockOf, type Operation, type OperationStep } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';
import { matchesPrintedBalance } from './printed-balance.js';

export interface MarginAdjusterParts extends OperationParts {
  /** Number of our open orders on the symbol: their fills would move the margin too (hazard F2). */
  readonly openOrderCount: (symbol: string, currency: Currency) => number;
}

export interface MarginAdjustmentRequest {
  readonly symbol: string;
  readonly currency: Currency;
  /** Above 0 adds, below 0 removes; in `currency`. */
  readonly change: Amount;
}

type Step = Extract<OperationStep, { readonly kind: 'change-margin' }>;
interface Reading {
  readonly row: PositionReport | undefined;
  readonly wallet: WalletReport;
}

/** INR margins are truncated to two places (supplement: INR). */
const PAISA = fixedFromText<'INR'>('0.01');

/**
 * Adds or removes margin of a position. The request has no id, so that it is sent once and never
 * again (property P27). Its effect is the difference between two readings: the position's margin
 * and, as a second witness, the wallet. Nothing of ours moves either meanwhile, since the operation
 * reserves the symbol lock. If anything else moves them the difference proves nothing, and the
 * operator decides.
 */
export class MarginAdjuster {
  readonly #parts: MarginAdjusterParts;

  constructor(parts: MarginAdjusterParts) {
    this.#parts = parts;
  }

  /**
   * @param allow.reduce permits removing margin, which brings liquidation nearer (hazard F3)
   * @param allow.afterUnproved the operator has checked the outcome of an earlier unproved change
   * @returns the operation, or the reason that there can be none
   */
  change(
    request: MarginAdjustmentRequest,
    allow: { readonly reduce: boolean; readonly afterUnproved: boolean },
    cause?: DecisionCause,
  ): Operation<'margin'> | string {
    const { operations, journal, locks } = this.#parts;
    const refusal = this.#refusalReason(request, allow);
    if (refusal !== undefined) return refusal;
    const operation = operations.create<'margin'>({ kind: 'margin', ...request }, cause);
    if (!locks.tryReserve(symbolLockOf(request), operation)) {
      operation.apply('drop');
      journal.started(operation as unknown as Operation);
      endOperation(operation, `another change of ${request.symbol} is not proved yet`, this.#parts);
      return operation;
    }
    journal.started(operation as unknown as Operation);
    this.#read(request, (reading) => {
      this.#onMeasured(operation, reading);
    });
    return operation;
  }

  /** Resumes operations of a previous run: what was never sent is dropped, the rest is verified. */
  resume(): void {
    const { operations, locks } = this.#parts;
    for (const operation of operations.open('margin')) {
      locks.tryReserve(symbolLockOf(operation.plan), operation);
      const { step } = operation;
      if (step?.kind === 'change-margin') this.#verify(operation, step, 0);
      else this.#end(operation, 'drop', 'it was never sent');
    }
  }

  #refusalReason(
    { symbol, currency, change }: MarginAdjustmentRequest,
    allow: { readonly reduce: boolean; readonly afterUnproved: boolean },
  ): string | undefined {
    if (change === 0) return 'a change of margin is not 0';
    if (change < 0 && !allow.reduce)
      return 'giving margin back is off: it brings liquidation nearer';
    if (currency === 'INR' && !isMultipleOf(change, PAISA))
      return 'INR margin is reported in steps of 0.01: no smaller change could be proved';
    const unproved = this.#parts.operations
      .unproved('margin')
      .some(({ plan }) => plan.symbol === symbol && plan.currency === currency);
    return unproved && !allow.afterUnproved
      ? 'an earlier change of its margin has no proved outcome'
      : undefined;
  }

  #read(
    { symbol, currency }: Pick<MarginAdjustmentRequest, 'symbol' | 'currency'>,
    then: (reading: Reading | undefined) => void,
  ): void {
    const { requests } = this.#parts;
    requests.enqueue<'read-positions'>({
      request: { kind: 'read-positions', currency },
      priority: 'verify',
      onReply: (outcome) => {
        const positions = outcomeForSymbol(outcome, symbol);
        if (positions.kind !== 'yes') {
          then(undefined);
          return;
        }
        const row = positions.value.find((each) => each.symbol === symbol);
        requests.enqueue<'read-wallet'>({
          request: { kind: 'read-wallet', currency },
          priority: 'verify',
          onReply: (wallet) => {
            then(wallet.kind === 'yes' ? { row, wallet: wallet.value } : undefined);
          },
        });
      },
    });
  }

  #onMeasured(operation: Operation<'margin'>, reading: Reading | undefined): void {
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
        lock: { name: symbolLockOf(plan), exclusive: true },
        holdReason: () => this.#openOrdersReason(operation),
        onHeld: (reason) => {
          this.#end(operation, 'drop', reason);
        },
        onSend: () => {
          operation.apply('attempt');
        },
        onReply: (outcome) => {
          this.#onReply(operation, step, outcome);
        },
      },
      this.#parts,
    );
  }

  #openOrdersReason({ plan: { symbol, currency } }: Operation<'margin'>): string | undefined {
    const orders = this.#parts.openOrderCount(symbol, currency);
    return orders > 0 ? `${orders} order(s) of ours on ${symbol} could move its margin` : undefined;
  }

  #onReply(operation: Operation<'margin'>, step: Step, outcome: Outcome<MarginChange>): void {
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
      operation.apply('unknown');
      this.#verify(operation, step, 0);
    }
  }

  #verify(operation: Operation<'margin'>, step: Step, queries: number, since?: number): void {
    const { requests, engine } = this.#parts;
    const began = since ?? engine.stamp.monotonic;
    requests.after(backoffDelay(VERIFY_BACKOFF_MS, queries), () => {
      this.#read(operation.plan, (reading) => {
        const comparison = reading && compareMargin(reading, step, operation.plan.change);
        const late = engine.stamp.monotonic - began >= LATE_LANDING_MS;
        if (comparison?.kind === 'proved')
          this.#end(operation, 'shows-change', comparison.evidence);
        else if (comparison?.kind === 'disturbed')
          this.#end(operation, 'undecidable', comparison.evidence);
        else if (late)
          this.#end(operation, 'undecidable', comparison?.evidence ?? 'the account cannot be read');
        else this.#verify(operation, step, queries + 1, began);
      });
    });
  }

  #end(
    operation: Operation<'margin'>,
    event: 'yes' | 'no' | 'not-sent' | 'shows-change' | 'undecidable' | 'drop',
    evidence: string,
  ): void {
    operation.apply(event);
    endOperation(operation, evidence, this.#parts);
    this.#parts.locks.release(symbolLockOf(operation.plan), operation);
  }
}

type MarginComparison = {
  readonly kind: 'proved' | 'open' | 'disturbed';
  readonly evidence: string;
};

/** Proved only by exactly the change, in the position and in the wallet. */
function compareMargin({ row, wallet }: Reading, step: Step, change: Amount): MarginComparison {
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
    matchesPrintedBalance(wallet.locked, add(step.locked, change), currency) &&
    matchesPrintedBalance(wallet.balance, subtract(step.balance, change), currency);
  return confirmed
    ? { kind: 'proved', evidence: 'initial margin and wallet differ by exactly the change' }
    : { kind: 'open', evidence: 'the margin shows the change, the wallet does not confirm it' };
}
