import type { Currency } from '../../core/currency.js';
import { textFromFixed, type Ratio } from '../../core/fixed/fixed.js';
import type { DecisionCause } from '../../core/intent.js';
import type { Outcome } from '../../core/request.js';
import { RETRY_BACKOFF_MS, backoffDelay } from '../constants.js';
import { symbolLockOf, type Operation } from './operation.js';
import { endOperation, sendAttempt, type OperationParts } from './operation-parts.js';

/** Acknowledged sets that the next read did not show: something else sets the leverage too. */
const MAX_LOST_SETS = 5;

export interface LeverageRequest {
  readonly symbol: string;
  readonly currency: Currency;
  readonly leverage: Ratio;
}

export interface LeverageHandlers {
  /** The value at the venue; undefined: it was never set. */
  readonly onRead: (leverage: Ratio | undefined) => void;
  /** A read shows the requested value. */
  readonly onSet: () => void;
  /** The leverage was not set; nothing more is tried. */
  readonly onFailed: (reason: string) => void;
}

interface LeverageJob {
  readonly request: LeverageRequest;
  readonly handlers: LeverageHandlers;
  readonly cause: DecisionCause | undefined;
  /** Undefined until something has to be sent. */
  operation: Operation<'leverage'> | undefined;
  /** Acknowledged sets. */
  sets: number;
  /** Retries so far; spaces the next. */
  retries: number;
}

/**
 * Leverage of a symbol in one currency: read, set where it differs, and read back (hazard A33).
 * Setting one value twice is harmless, so that a lost reply is answered by another read (hazard
 * F4).
 */
export class LeverageSetter {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  ensure(request: LeverageRequest, handlers: LeverageHandlers, cause?: DecisionCause): void {
    const setting: LeverageJob = {
      request,
      handlers,
      cause,
      operation: undefined,
      sets: 0,
      retries: 0,
    };
    // A command of the operator is journaled even where nothing has to be sent.
    if (cause !== undefined) this.#operationOf(setting);
    this.#read(setting);
  }

  /** Drops what a previous run left: every start requests its leverage again. */
  resume(): void {
    for (const operation of this.#parts.operations.open('leverage')) {
      operation.apply('drop');
      endOperation(operation, 'left by a previous run: the value is read again', this.#parts);
    }
  }

  #read(setting: LeverageJob): void {
    const { symbol, currency } = setting.request;
    this.#parts.requests.enqueue<'read-leverage'>({
      request: { kind: 'read-leverage', symbol, currency },
      priority: 'verify',
      onReply: (outcome) => {
        this.#onRead(setting, outcome);
      },
    });
  }

  #onRead(setting: LeverageJob, outcome: Outcome<Ratio>): void {
    const { request, handlers, sets, retries } = setting;
    const neverSet = outcome.kind === 'no' && outcome.code === 'leverage-not-set';
    const shown = outcome.kind === 'yes' ? outcome.value : undefined;
    if (shown !== undefined || neverSet) handlers.onRead(shown);
    if (shown === request.leverage) this.#onApplied(setting);
    else if (sets === MAX_LOST_SETS) this.#onContested(setting);
    else if (shown === undefined && !neverSet)
      this.#retryLater(setting, () => {
        this.#read(setting);
      });
    else if (retries === 0) this.#set(setting);
    else
      this.#retryLater(setting, () => {
        this.#set(setting);
      });
  }

  #set(setting: LeverageJob): void {
    const { request } = setting;
    const operation = this.#operationOf(setting);
    setting.retries += 1;
    sendAttempt<'set-leverage', 'leverage'>(
      operation,
      {
        request: { kind: 'set-leverage', ...request },
        priority: 'place',
        step: { kind: 'set-leverage' },
        lock: { name: symbolLockOf(request), exclusive: true },
        holdReason: () => undefined,
        onHeld: (reason) => {
          this.#fail(setting, 'drop', reason);
        },
        onSend: () => {
          operation.apply('attempt');
        },
        onReply: (outcome) => {
          this.#onSetReply(setting, operation, outcome);
        },
      },
      this.#parts,
    );
  }

  #operationOf(setting: LeverageJob): Operation<'leverage'> {
    if (setting.operation !== undefined) return setting.operation;
    const { operations, journal } = this.#parts;
    const { request, cause } = setting;
    const operation = operations.create<'leverage'>({ kind: 'leverage', ...request }, cause);
    setting.operation = operation;
    journal.started(operation as unknown as Operation);
    return operation;
  }

  /** After a temporary refusal or an unclear reply the next read shows the value. */
  #onSetReply(
    setting: LeverageJob,
    operation: Operation<'leverage'>,
    outcome: Outcome<Ratio>,
  ): void {
    const temporary =
      outcome.kind === 'no' && (outcome.code === 'rate-limited' || outcome.code === 'locked');
    if (outcome.kind === 'no' && !temporary) {
      const { symbol, leverage } = setting.request;
      const text = textFromFixed(leverage);
      const reason = `the venue refuses leverage ${text} on ${symbol}: ${outcome.text}`;
      this.#fail(setting, 'no', reason);
      return;
    }
    if (outcome.kind === 'yes') {
      setting.sets += 1;
      operation.apply('yes');
    } else operation.apply(temporary ? 'no-for-now' : 'unknown');
    this.#read(setting);
  }

  #onApplied({ operation, handlers, request }: LeverageJob): void {
    if (operation !== undefined) {
      operation.apply('shows-value');
      endOperation(operation, `a read shows ${textFromFixed(request.leverage)}`, this.#parts);
    }
    handlers.onSet();
  }

  #onContested(setting: LeverageJob): void {
    const { symbol, leverage } = setting.request;
    const text = textFromFixed(leverage);
    const reason = `leverage of ${symbol} does not stay at ${text}: something else sets it too`;
    this.#fail(setting, 'does-not-stay', reason);
  }

  #fail(setting: LeverageJob, event: 'no' | 'does-not-stay' | 'drop', reason: string): void {
    const operation = this.#operationOf(setting);
    operation.apply(event);
    endOperation(operation, reason, this.#parts);
    setting.handlers.onFailed(reason);
  }

  #retryLater(setting: LeverageJob, run: () => void): void {
    const delay = backoffDelay(RETRY_BACKOFF_MS, setting.retries);
    setting.retries += 1;
    this.#parts.requests.after(delay, run);
  }
}
