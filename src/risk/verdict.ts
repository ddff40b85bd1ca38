import type { OrderIntent } from '../core/intent.js';
import type { ControlId, LimitClock, Values } from './control.js';

declare const approved: unique symbol;

/**
 * What the gate let through. The brand cannot be named outside this file and only the gate gives it,
 * so that what takes an `Approved` takes nothing that was not judged.
 */
export type Approved<T> = T & { readonly [approved]: true };

/** A control's no, with what it saw. Texts and values are made when asked for. */
export interface Refusal {
  readonly ok: false;
  readonly control: ControlId;
  /** In the `risk:` block. */
  readonly key: string;
  readonly clock: LimitClock;
  /** The third refused duplicate within a minute: the strategy is to be stopped (R08). */
  readonly stopStrategy: boolean;
  /** "price of BTCUSDT is 4000 ms old, limit 3000 ms (max_ref_price_age_ms)". */
  explain(): string;
  /** The control's values, the facts that the judgement stood on, and each control's margin. */
  values(): Values;
}

export interface Approval {
  readonly ok: true;
  readonly approved: Approved<OrderIntent>;
  /** Controls that were judged and passed, in their order. */
  readonly checks: readonly ControlId[];
  /** `research`: what `standard` would have said. */
  readonly wouldRefuse: Refusal | undefined;
  explain(): string;
  /** The facts that the judgement stood on, and each control's margin. */
  values(): Values;
}

export type Verdict = Approval | Refusal;
