import type { OrderIntent } from '../core/intent.js';
import type { LimitClock } from './control.js';
import type { ControlId } from './control-id.js';

declare const approved: unique symbol;

/**
 * An intent that the gate has approved. Only the gate gives the brand, which cannot be named outside this
 * file, so that a function of an `Approved` cannot receive an unchecked intent.
 */
export type Approved<T> = T & { readonly [approved]: true };

/** The refusal of a control, with its inputs. Texts and values are built on demand. */
export interface Refusal {
  readonly ok: false;
  readonly control: ControlId;
  /** Key in the `risk:` block. */
  readonly key: string;
  readonly clock: LimitClock;
  /** The third refused duplicate within a minute: the strategy must be stopped (R08). */
  readonly stopStrategy: boolean;
  /** "price of BTCUSDT is 4000 ms old, limit 3000 ms (max_ref_price_age_ms)". */
  explain(): string;
  /** The control's values, the facts of the check, and each control's margin: a new record at each call. */
  values(): Record<string, string>;
}

export interface Approval {
  readonly ok: true;
  readonly approved: Approved<OrderIntent>;
  /** Controls that passed, in order of evaluation. */
  readonly checks: readonly ControlId[];
  /** `research`: the refusal of `standard`. */
  readonly wouldRefuse: Refusal | undefined;
  explain(): string;
  /** A cost that a person should know of; undefined: there is none. */
  warning(): string | undefined;
  /** The facts of the check, and each control's margin: a new record at each call. */
  values(): Record<string, string>;
}

export type Verdict = Approval | Refusal;

/**
 * Controls with transient reasons: old data, a time window, orders that end, a loss that is not latched (then the mode
 * refuses). A pause (R26) and a venue day (R40) outlive every decision.
 */
const TRANSIENT_CONTROLS: ReadonlySet<ControlId> = new Set<ControlId>([
  'R05',
  'R06',
  'R08',
  'R09',
  'R10',
  'R19',
  'R21',
  'R23',
]);

/**
 * Whether the reason of a refusal ends by itself. Sizes, limits and operator commands do not.
 * `isModeTransient`: the mode ends by itself, as a reconciliation and self-clearing restrictions do.
 */
export const isTransientRefusal = (control: ControlId, isModeTransient: boolean): boolean =>
  TRANSIENT_CONTROLS.has(control) || (control === 'mode' && isModeTransient);
