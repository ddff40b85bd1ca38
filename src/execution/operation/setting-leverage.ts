import type { Currency } from '../../core/currency.js';
import { textFromFixed, type Ratio } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import { RETRY_SPACING_MS, spaced } from '../constants.js';
import { laneOf, type Operation } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';

/** Sets that the venue took and that did not show in the next read: somebody else sets it too. */
const MAX_LOST_SETS = 5;

export interface LeverageWish {
  readonly symbol: string;
  readonly currency: Currency;
  readonly leverage: Ratio;
}

export interface LeverageNews {
  /** As the venue told it; undefined: it was never set. */
  readonly read: (leverage: Ratio | undefined) => void;
  /** A read showed it. */
  readonly set: () => void;
  /** Why it is not, and will not be. */
  readonly failed: (reason: string) => void;
}

interface Setting {
  readonly wish: LeverageWish;
  readonly news: LeverageNews;
  readonly cause: Cause | undefined;
  /** Once something had to be sent. */
  operation: Operation<'leverage'> | undefined;
  /** Sets that the venue took. */
  sets: number;
  /** Rounds so far; spaces the next. */
  rounds: number;
}

/**
 * Leverage of a symbol in one currency: read, set where it differs, and read back (A33). Setting is
 * idempotent by value, so that a lost answer is met by reading again (F4).
 */
export class SettingLeverage {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  want(wish: LeverageWish, news: LeverageNews, cause?: Cause): void {
    const setting: Setting = { wish, news, cause, operation: undefined, sets: 0, rounds: 0 };
    // A person's word has its answer in the journal, also where nothing has to be sent.
    if (cause !== undefined) this.#operationOf(setting);
    this.#read(setting);
  }

  /** Whoever wants a leverage says so at every start: what an earlier life left is over. */
  resume(): void {
    for (const operation of this.#parts.operations.open('leverage')) {
      operation.move('drop');
      endOperation(operation, 'left by an earlier life: what holds is read anew', this.#parts);
    }
  }

  #read(setting: Setting): void {
    const { symbol, currency } = setting.wish;
    this.#parts.desk.ask<'read-leverage'>({
      request: { kind: 'read-leverage', symbol, currency },
      priority: 'verify',
      answered: (outcome) => {
        this.#wasRead(setting, outcome);
      },
    });
  }

  #wasRead(setting: Setting, outcome: Outcome<Ratio>): void {
    const { wish, news, sets, rounds } = setting;
    const neverSet = outcome.kind === 'no' && outcome.code === 'leverage-not-set';
    const shown = outcome.kind === 'yes' ? outcome.value : undefined;
    if (shown !== undefined || neverSet) news.read(shown);
    if (shown === wish.leverage) this.#holds(setting);
    else if (sets === MAX_LOST_SETS) this.#contested(setting);
    else if (shown === undefined && !neverSet)
      this.#later(setting, () => {
        this.#read(setting);
      });
    else if (rounds === 0) this.#set(setting);
    else
      this.#later(setting, () => {
        this.#set(setting);
      });
  }

  #set(setting: Setting): void {
    const { wish } = setting;
    const operation = this.#operationOf(setting);
    setting.rounds += 1;
    sendAttempt<'set-leverage', 'leverage'>(
      operation,
      {
        request: { kind: 'set-leverage', ...wish },
        priority: 'place',
        step: { kind: 'set-leverage' },
        lane: { name: laneOf(wish), calm: true },
        hold: () => undefined,
        held: (reason) => {
          this.#fail(setting, 'drop', reason);
        },
        leaves: () => {
          operation.move('attempt');
        },
        answered: (outcome) => {
          this.#wasSet(setting, operation, outcome);
        },
      },
      this.#parts,
    );
  }

  #operationOf(setting: Setting): Operation<'leverage'> {
    if (setting.operation !== undefined) return setting.operation;
    const { operations, journal } = this.#parts;
    const { wish, cause } = setting;
    const operation = operations.create<'leverage'>({ kind: 'leverage', ...wish }, cause);
    setting.operation = operation;
    journal.begun(operation as unknown as Operation);
    return operation;
  }

  /** Refused for the moment or without a clear answer: what holds is for the next read to tell. */
  #wasSet(setting: Setting, operation: Operation<'leverage'>, outcome: Outcome<Ratio>): void {
    const forNow =
      outcome.kind === 'no' && (outcome.code === 'rate-limited' || outcome.code === 'locked');
    if (outcome.kind === 'no' && !forNow) {
      const { symbol, leverage } = setting.wish;
      const text = textFromFixed(leverage);
      const reason = `the venue refuses leverage ${text} on ${symbol}: ${outcome.text}`;
      this.#fail(setting, 'no', reason);
      return;
    }
    if (outcome.kind === 'yes') {
      setting.sets += 1;
      operation.move('yes');
    } else operation.move(forNow ? 'no-for-now' : 'unknown');
    this.#read(setting);
  }

  #holds({ operation, news, wish }: Setting): void {
    if (operation !== undefined) {
      operation.move('shows-value');
      endOperation(operation, `a read shows ${textFromFixed(wish.leverage)}`, this.#parts);
    }
    news.set();
  }

  #contested(setting: Setting): void {
    const { symbol, leverage } = setting.wish;
    const text = textFromFixed(leverage);
    const reason = `leverage of ${symbol} does not stay at ${text}: who else sets it?`;
    this.#fail(setting, 'does-not-stay', reason);
  }

  #fail(setting: Setting, move: 'no' | 'does-not-stay' | 'drop', reason: string): void {
    const operation = this.#operationOf(setting);
    operation.move(move);
    endOperation(operation, reason, this.#parts);
    setting.news.failed(reason);
  }

  #later(setting: Setting, run: () => void): void {
    const delay = spaced(RETRY_SPACING_MS, setting.rounds);
    setting.rounds += 1;
    this.#parts.desk.after(delay, run);
  }
}
