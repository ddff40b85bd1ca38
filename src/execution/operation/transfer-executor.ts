import type { SpotWalletReport, TransferRow, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { add, negate, subtract, textFromFixed, type Amount } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import { LATE_LANDING_MS, backoffDelay, VERIFY_BACKOFF_MS } from '../constants.js';
import type { Operation, OperationStep, PlanOf } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';
import { matchesPrintedBalance } from './printed-balance.js';

export type TransferRequest = Omit<PlanOf<'transfer'>, 'kind'>;
type Step = Extract<OperationStep, { readonly kind: 'transfer' }>;

interface Wallets {
  readonly futures: WalletReport;
  readonly spot: SpotWalletReport;
}

/** Rows to compare: far more than can appear between two reads. */
const ROWS = 100;
const FIRST_QUERY = 0;

/**
 * Moves money between the wallets of one currency. The request has no id, so that it is sent once
 * and never again (property P27). Its effect is a row of transfers that was not there before, with
 * the wallets as a second witness (hazard F6). One transfer runs at a time, because two equal ones
 * could not be distinguished (hazard F7).
 */
export class TransferExecutor {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /**
   * @param afterUnproved the operator has checked the outcome of an earlier unproved transfer
   * @returns the operation, or the reason that there can be none
   */
  transfer(
    request: TransferRequest,
    afterUnproved: boolean,
    cause?: DecisionCause,
  ): Operation<'transfer'> | string {
    const { operations, journal } = this.#parts;
    if (request.amount <= 0) return 'a transfer moves an amount above 0';
    const earlier = operations.unproved('transfer').at(-1);
    if (earlier !== undefined && !afterUnproved)
      return `an earlier transfer has no proved outcome (${transferText(earlier.plan)})`;
    if (operations.open('transfer').some(({ recovered }) => !recovered))
      return 'another transfer is under way';
    const operation = operations.create<'transfer'>({ kind: 'transfer', ...request }, cause);
    journal.started(operation as unknown as Operation);
    this.#measure(operation);
    return operation;
  }

  /** Resumes operations of a previous run: what was never sent is dropped, the rest is verified. */
  resume(): void {
    for (const operation of this.#parts.operations.open('transfer')) {
      const { step } = operation;
      if (step?.kind === 'transfer') this.#verify(operation, step, FIRST_QUERY);
      else this.#end(operation, 'drop', 'it was never sent');
    }
  }

  #measure(operation: Operation<'transfer'>): void {
    const { currency } = operation.plan;
    this.#readRows(currency, (rows) => {
      this.#readWallets(currency, (wallets) => {
        if (rows === undefined || wallets === undefined) {
          this.#end(operation, 'drop', 'the account cannot be read');
        } else this.#send(operation, rows, wallets);
      });
    });
  }

  #send(
    operation: Operation<'transfer'>,
    rows: readonly TransferRow[],
    { futures, spot }: Wallets,
  ): void {
    const { currency, direction, amount } = operation.plan;
    const step: Step = {
      kind: 'transfer',
      known: rows.filter((row) => isSame(row, operation.plan)).map(({ id }) => id),
      balance: futures.balance,
      withdrawable: spot.withdrawable,
    };
    sendAttempt<'transfer', 'transfer'>(
      operation,
      {
        request: { kind: 'transfer', currency, direction, amount },
        priority: 'place',
        step,
        holdReason: () => undefined,
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

  #onReply(operation: Operation<'transfer'>, step: Step, outcome: Outcome<null>): void {
    if (outcome.kind === 'no') this.#end(operation, 'no', outcome.text);
    else if (outcome.kind === 'unknown' && !outcome.sent)
      this.#end(operation, 'not-sent', outcome.cause);
    else {
      operation.apply(outcome.kind);
      this.#verify(operation, step, FIRST_QUERY);
    }
  }

  #verify(operation: Operation<'transfer'>, step: Step, queries: number, since?: number): void {
    const { requests, engine } = this.#parts;
    const { plan } = operation;
    const began = since ?? engine.stamp.monotonic;
    requests.after(backoffDelay(VERIFY_BACKOFF_MS, queries), () => {
      this.#readRows(plan.currency, (rows) => {
        const fresh = rows?.filter((row) => isSame(row, plan) && !step.known.includes(row.id));
        const [row, another] = fresh ?? [];
        if (another !== undefined)
          this.#end(operation, 'undecidable', `${fresh?.length} rows could be it`);
        else if (row !== undefined) this.#prove(operation, step, row);
        else if (engine.stamp.monotonic - began >= LATE_LANDING_MS) {
          const cause = rows === undefined ? 'transfers cannot be read' : 'no row of it shows';
          this.#end(operation, 'undecidable', `${cause}; the request may still land`);
        } else this.#verify(operation, step, queries + 1, began);
      });
    });
  }

  /** The row is the proof. The wallets are a witness only: other activity may move them too. */
  #prove(operation: Operation<'transfer'>, step: Step, row: TransferRow): void {
    const { currency, direction, amount } = operation.plan;
    this.#readWallets(currency, (wallets) => {
      const change = direction === 'deposit' ? amount : negate(amount);
      const agree =
        wallets !== undefined &&
        matchesPrintedBalance(wallets.futures.balance, add(step.balance, change), currency) &&
        matchesPrintedBalance(
          wallets.spot.withdrawable,
          subtract(step.withdrawable, change),
          currency,
        );
      const walletEvidence = agree
        ? 'both wallets confirm it'
        : 'the wallets were moved by other things too';
      this.#end(operation, 'shows-row', `row ${row.id} was not there before; ${walletEvidence}`);
    });
  }

  #readRows(currency: Currency, then: (rows: readonly TransferRow[] | undefined) => void): void {
    this.#parts.requests.enqueue<'read-transfers'>({
      request: { kind: 'read-transfers', currency, limit: ROWS },
      priority: 'verify',
      onReply: (outcome) => {
        then(outcome.kind === 'yes' ? outcome.value : undefined);
      },
    });
  }

  #readWallets(currency: Currency, then: (wallets: Wallets | undefined) => void): void {
    const { requests } = this.#parts;
    requests.enqueue<'read-wallet'>({
      request: { kind: 'read-wallet', currency },
      priority: 'verify',
      onReply: (futures) => {
        requests.enqueue<'read-spot-wallet'>({
          request: { kind: 'read-spot-wallet', currency },
          priority: 'verify',
          onReply: (spot) => {
            const both = futures.kind === 'yes' && spot.kind === 'yes';
            then(both ? { futures: futures.value, spot: spot.value } : undefined);
          },
        });
      },
    });
  }

  #end(
    operation: Operation<'transfer'>,
    event: 'no' | 'not-sent' | 'shows-row' | 'undecidable' | 'drop',
    evidence: string,
  ): void {
    operation.apply(event);
    endOperation(operation, evidence, this.#parts);
  }
}

const isSame = (row: TransferRow, { direction, amount }: PlanOf<'transfer'>): boolean =>
  row.direction === direction && row.amount === amount;

/** For people: `100 USDT, spot → futures`. */
export const transferText = ({
  amount,
  currency,
  direction,
}: {
  readonly amount: Amount;
  readonly currency: Currency;
  readonly direction: TransferRow['direction'];
}): string => {
  const way = direction === 'deposit' ? 'spot → futures' : 'futures → spot';
  return `${textFromFixed(amount)} ${currency}, ${way}`;
};
