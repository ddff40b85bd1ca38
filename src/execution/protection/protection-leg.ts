import { assert } from '../../core/assert.js';
import type { Currency } from '../../core/currency.js';
import type { Price } from '../../core/fixed.js';
import type { Cause } from '../../core/intent.js';
import type { LegSlot } from '../../core/request.js';
import { laneOf, type Operation } from '../operation/operation.js';

/** What is known of one slot of one position: `live` by order detail and positions both (D13). */
export type LegStanding = 'none' | 'under-way' | 'live' | 'refused' | 'gone';

/** One protective order of one position, over all the wishes for it. */
export class ProtectionLeg {
  readonly symbol: string;
  readonly currency: Currency;
  readonly slot: LegSlot;
  /** The wish that is under way. */
  operation: Operation<'protect'> | undefined;
  /** A newer wish, for when that has ended. */
  next: (DecidedLeg & { readonly cause: Cause | undefined }) | undefined;
  /** The newest price that somebody decided on and that was proved live, by now gone or not. */
  decided: DecidedLeg | undefined;
  /** How the last wish ended, where that left nothing live. */
  last: 'refused' | 'gone' | undefined;
  /** What was proved live, and when the read that proved it began. */
  proof: { readonly wanted: Price; readonly orderId: string; readonly at: number } | undefined;
  /** The id under which the wish under way is set, once one was needed. */
  name: LegName | undefined;
  /** Since the first attempt of this wish: monotonic ms of the last yes, or of the first 409. */
  acknowledgedAt: number | undefined;
  conflictAt: number | undefined;
  /** Lookups that could not find it since then. */
  misses = 0;
  /** Why the venue refused after an attempt that is not proved. */
  refusal: string | undefined;
  /** Looks since the last news; spaces the next. */
  looks = 0;

  constructor(symbol: string, currency: Currency, slot: LegSlot) {
    this.symbol = symbol;
    this.currency = currency;
    this.slot = slot;
  }

  get lane(): string {
    return laneOf(this);
  }

  get standing(): LegStanding {
    if (this.operation !== undefined) return 'under-way';
    if (this.proof !== undefined) return 'live';
    return this.last ?? 'none';
  }

  begin(operation: Operation<'protect'>): void {
    this.operation = operation;
    this.proof = undefined;
    this.name = undefined;
    this.looks = 0;
    this.forget();
  }

  /** A new id, or a new attempt after all before it were proved: nothing of them is in doubt. */
  forget(): void {
    this.acknowledgedAt = undefined;
    this.conflictAt = undefined;
    this.misses = 0;
    this.refusal = undefined;
  }
}

/** A stop or target that was moved after its entry. */
export interface DecidedLeg {
  readonly price: Price;
  /** When it was wanted, ms at the venue. */
  readonly wantedAt: number;
}

const RESTORING = 'stop:';

/** Why a stop that was lost is set again: that is nobody's decision about its price. */
export const restoring = (symbol: string, venueTime: number): Cause => ({
  kind: 'timer',
  venueTime,
  key: `${RESTORING}${symbol}`,
});

export const isRestoring = (cause: Cause | undefined): boolean =>
  cause?.kind === 'timer' && cause.key.startsWith(RESTORING);

/** A client order id of a leg, and what it was made of. */
export interface LegName {
  readonly clientOrderId: string;
  readonly positionId: string;
  readonly generation: number;
}

export function operationOf({ operation }: ProtectionLeg): Operation<'protect'> {
  assert(operation !== undefined, 'A leg that is worked on has a wish under way');
  return operation;
}
