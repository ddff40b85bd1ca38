import type { SpotReport, TransferRow, WalletReport } from '../../core/account.js';
import type { Currency } from '../../core/currency.js';
import { negate, subtract, textFromFixed, type Amount } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import { LATE_LANDING_MS, spaced, VERIFY_SPACING_MS } from '../constants.js';
import type { Operation, OperationStep, PlanOf } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';

export type TransferWish = Omit<PlanOf<'transfer'>, 'kind'>;
type Step = Extract<OperationStep, { readonly kind: 'transfer' }>;

interface Wallets {
  readonly futures: WalletReport;
  readonly spot: SpotReport;
}

/** Rows to compare: far more than can come between two looks. */
const ROWS = 100;
const FIRST_LOOK = 0;

/**
 * Money between the wallets of one currency. The request has no id, so that it is sent once and never
 * again (property P27): what it did is read from the rows that were not there before, and told
 * together with what the wallets say (F6). One at a time, because two equal ones could not be told
 * apart (F7).
 */
export class Transferring {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /**
   * @param afterUnproved a person has looked at what an earlier one did
   * @returns the operation, or why there can be none
   */
  transfer(
    wish: TransferWish,
    afterUnproved: boolean,
    cause?: Cause,
  ): Operation<'transfer'> | string {
    const { operations, journal } = this.#parts;
    if (wish.amount <= 0) return 'a transfer moves an amount above 0';
    const earlier = operations.unproved('transfer').at(-1);
    if (earlier !== undefined && !afterUnproved)
      return `an earlier transfer has no proved outcome (${transferText(earlier.plan)})`;
    if (operations.open('transfer').some(({ recovered }) => !recovered))
      return 'another transfer is under way';
    const operation = operations.create<'transfer'>({ kind: 'transfer', ...wish }, cause);
    journal.begun(operation as unknown as Operation);
    this.#measure(operation);
    return operation;
  }

  /** What an earlier life left: what was never sent is dropped, the rest is looked for. */
  resume(): void {
    for (const operation of this.#parts.operations.open('transfer')) {
      const { step } = operation;
      if (step?.kind === 'transfer') this.#verify(operation, step, FIRST_LOOK);
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
        hold: () => undefined,
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

  #answered(operation: Operation<'transfer'>, step: Step, outcome: Outcome<null>): void {
    if (outcome.kind === 'no') this.#end(operation, 'no', outcome.text);
    else if (outcome.kind === 'unknown' && !outcome.sent)
      this.#end(operation, 'not-sent', outcome.cause);
    else {
      operation.move(outcome.kind);
      this.#verify(operation, step, FIRST_LOOK);
    }
  }

  #verify(operation: Operation<'transfer'>, step: Step, looks: number, since?: number): void {
    const { desk, world } = this.#parts;
    const { plan } = operation;
    const began = since ?? world.stamp.monotonic;
    desk.after(spaced(VERIFY_SPACING_MS, looks), () => {
      this.#readRows(plan.currency, (rows) => {
        const fresh = rows?.filter((row) => isSame(row, plan) && !step.known.includes(row.id));
        const [row, another] = fresh ?? [];
        if (another !== undefined)
          this.#end(operation, 'undecidable', `${fresh?.length} rows could be it`);
        else if (row !== undefined) this.#prove(operation, step, row);
        else if (world.stamp.monotonic - began >= LATE_LANDING_MS) {
          const said = rows === undefined ? 'transfers cannot be read' : 'no row of it shows';
          this.#end(operation, 'undecidable', `${said}; the request may still land`);
        } else this.#verify(operation, step, looks + 1, began);
      });
    });
  }

  /** The row proves it; the wallets are the second witness, and others may move them too. */
  #prove(operation: Operation<'transfer'>, step: Step, row: TransferRow): void {
    const { currency, direction, amount } = operation.plan;
    this.#readWallets(currency, (wallets) => {
      const change = direction === 'deposit' ? amount : negate(amount);
      const agree =
        wallets !== undefined &&
        subtract(wallets.futures.balance, step.balance) === change &&
        subtract(step.withdrawable, wallets.spot.withdrawable) === change;
      const said = agree ? 'both wallets confirm it' : 'the wallets were moved by other things too';
      this.#end(operation, 'shows-row', `row ${row.id} was not there before; ${said}`);
    });
  }

  #readRows(currency: Currency, then: (rows: readonly TransferRow[] | undefined) => void): void {
    this.#parts.desk.ask<'read-transfers'>({
      request: { kind: 'read-transfers', currency, limit: ROWS },
      priority: 'verify',
      answered: (outcome) => {
        then(outcome.kind === 'yes' ? outcome.value : undefined);
      },
    });
  }

  #readWallets(currency: Currency, then: (wallets: Wallets | undefined) => void): void {
    const { desk } = this.#parts;
    desk.ask<'read-wallet'>({
      request: { kind: 'read-wallet', currency },
      priority: 'verify',
      answered: (futures) => {
        desk.ask<'read-spot-wallet'>({
          request: { kind: 'read-spot-wallet', currency },
          priority: 'verify',
          answered: (spot) => {
            const both = futures.kind === 'yes' && spot.kind === 'yes';
            then(both ? { futures: futures.value, spot: spot.value } : undefined);
          },
        });
      },
    });
  }

  #end(
    operation: Operation<'transfer'>,
    move: 'no' | 'not-sent' | 'shows-row' | 'undecidable' | 'drop',
    evidence: string,
  ): void {
    operation.move(move);
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
