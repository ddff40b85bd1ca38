import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Price } from '../../core/fixed/fixed.js';
import { protectiveOrderIdOf } from '../../core/ids.js';
import type { DecisionCause } from '../../core/intent.js';
import type { ProtectiveOrderSlot } from '../../core/request.js';
import { IdTable } from '../id-table.js';
import { symbolLockOf, type Operation } from '../operation/operation.js';

/** State of one slot of one position. `live`: proved by the order and by positions (hazard D13). */
export type ProtectiveOrderState = 'none' | 'under-way' | 'live' | 'refused' | 'gone';

/** One protective order of one position, over all requests for it. */
export class ManagedProtectiveOrder {
  readonly symbol: string;
  readonly currency: Currency;
  readonly slot: ProtectiveOrderSlot;
  /** The operation in progress. */
  operation: Operation<'protect'> | undefined;
  /** A newer request, started when `operation` has ended. */
  queued: (DecidedProtectivePrice & { readonly cause: DecisionCause | undefined }) | undefined;
  /** The newest decided price that was proved live; the order may be gone by now. */
  lastDecided: DecidedProtectivePrice | undefined;
  /** How the last operation ended, where that left nothing live. */
  lastEnd: 'refused' | 'gone' | undefined;
  /** The proved live order. `at`: monotonic ms at which the read that proved it began. */
  proof: { readonly price: Price; readonly orderId: string; readonly at: number } | undefined;
  /** Client order id of the operation in progress, once one was needed. */
  id: ProtectiveOrderId | undefined;
  /** Monotonic ms of the last acknowledgement, and of the first 409, under this id. */
  acknowledgedAt: number | undefined;
  conflictAt: number | undefined;
  /** Lookups that missed it since then. */
  notFoundCount = 0;
  /** The refusal after an attempt that is unproved. */
  refusal: string | undefined;
  /** Reads since the last one with something new; spaces the next. */
  queries = 0;

  constructor(symbol: string, currency: Currency, slot: ProtectiveOrderSlot) {
    this.symbol = symbol;
    this.currency = currency;
    this.slot = slot;
  }

  get symbolLock(): string {
    return symbolLockOf(this);
  }

  get state(): ProtectiveOrderState {
    if (this.operation !== undefined) return 'under-way';
    if (this.proof !== undefined) return 'live';
    return this.lastEnd ?? 'none';
  }

  start(operation: Operation<'protect'>): void {
    this.operation = operation;
    this.proof = undefined;
    this.id = undefined;
    this.queries = 0;
    this.resetEvidence();
  }

  /** With a new id, or once all attempts are proved, no earlier evidence counts. */
  resetEvidence(): void {
    this.acknowledgedAt = undefined;
    this.conflictAt = undefined;
    this.notFoundCount = 0;
    this.refusal = undefined;
  }
}

/** A stop or target that was decided on after its entry. */
export interface DecidedProtectivePrice {
  readonly price: Price;
  /** When it was requested, ms UTC at the venue. */
  readonly requestedAt: number;
}

const RESTORE_KEY_PREFIX = 'stop:';

/** Cause of a lost stop that is set again: no decision about its price. */
export const restoreCause = (symbol: string, venueTime: number): DecisionCause => ({
  kind: 'timer',
  venueTime,
  key: `${RESTORE_KEY_PREFIX}${symbol}`,
});

export const isRestoreCause = (cause: DecisionCause | undefined): boolean =>
  cause?.kind === 'timer' && cause.key.startsWith(RESTORE_KEY_PREFIX);

/** A client order id of a protective order, and what it was derived from. */
export interface ProtectiveOrderId {
  readonly clientOrderId: string;
  readonly positionId: string;
  readonly generation: number;
}

interface ProtectiveOrderKey {
  readonly symbol: string;
  readonly currency: Currency;
  readonly slot: ProtectiveOrderSlot;
  readonly price: Price;
}

/** Client order ids of protective orders that are in use or used up. */
export class ProtectiveOrderIds {
  readonly #account: string;
  readonly #used = new IdTable();

  constructor(account: string) {
    this.#account = account;
  }

  owns(clientOrderId: string): boolean {
    return this.#used.has(clientOrderId);
  }

  /** Adds an id that a previous run sent. */
  add(clientOrderId: string): void {
    this.#used.add(clientOrderId);
  }

  /** The first id for this slot and price that the journal does not have. */
  allocate(key: ProtectiveOrderKey, positionId: string): ProtectiveOrderId {
    for (let generation = 1; ; generation += 1) {
      const identity = { ...key, account: this.#account, positionId };
      const clientOrderId = protectiveOrderIdOf(identity, generation);
      if (this.#used.has(clientOrderId)) continue;
      this.#used.add(clientOrderId);
      return { clientOrderId, positionId, generation };
    }
  }
}

export function activeOperationOf({ operation }: ManagedProtectiveOrder): Operation<'protect'> {
  assert(operation !== undefined, 'A protective order in progress has an operation');
  return operation;
}
