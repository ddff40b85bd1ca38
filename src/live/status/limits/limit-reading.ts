import type { Currency } from '../../../core/currency.js';
import { numberFromFixed, type Fixed } from '../../../core/fixed/fixed.js';
import type { Interval } from '../../../core/interval.js';
import type { Engine } from '../../../engine/engine.js';
import type { LimitClock } from '../../../risk/control.js';
import type { GateFacts } from '../../../risk/facts.js';
import type { KillLevel, Mode } from '../../../risk/mode.js';
import type { RiskLimits } from '../../../risk/limits/risk-limits.js';
import type { PresetName } from '../../../risk/preset.js';
import type { Restriction } from '../../../risk/restrictions.js';

/** Facts of the limits. Nothing is judged or changed. */
export interface LimitInputs {
  readonly symbols: readonly string[];
  readonly strategies: readonly { readonly id: string; readonly interval: Interval }[];
  readonly currency: Currency;
  readonly facts: GateFacts;
  readonly counts: Engine['controlCounts'];
  readonly limits: RiskLimits;
  readonly preset: PresetName;
  readonly mode: Mode;
  readonly killLevel: KillLevel | undefined;
  readonly restrictions: readonly Restriction[];
}

/** Units of a compared value. */
export type ReadingUnit = 'USDT' | 'base' | 'bps' | '%' | 'ms' | 'x' | 'orders' | 'events';

/** One limit with its value now, or the state of a control without a number. */
export interface LimitReading {
  /** Below `risk:`; absent: the control has no key. */
  readonly key?: string;
  readonly symbol?: string;
  readonly strategy?: string;
  /** undefined: a fact is not known; null: nothing is compared now. */
  readonly used?: number | null | undefined;
  /** undefined: a fact is not known; null: there is no limit. */
  readonly limit?: number | null | undefined;
  readonly unit?: ReadingUnit;
  /** The value must not fall below the limit. */
  readonly least?: true;
  /** Clock of the limit, where it is another one than that of its control. */
  readonly clock?: LimitClock;
  /** A word: of a control without a number, or the reason why nothing is compared. */
  readonly state?: string;
}

export type LimitReader = (inputs: LimitInputs) => readonly LimitReading[];

/** A control without a number. */
export const state = (text: string, key?: string): LimitReading => ({
  state: text,
  ...(key !== undefined && { key }),
});

export const numberOf = (value: Fixed | undefined): number | undefined =>
  value === undefined ? undefined : numberFromFixed(value);

/** undefined where either is not known. */
export const timesOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b;

export const ageOf = (now: number, at: number | undefined): number | undefined =>
  at === undefined ? undefined : Math.max(0, now - at);
