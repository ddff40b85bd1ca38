import type { ControlClass, ControlId } from './control-id.js';
import type { Evidence } from './evidence.js';
import type { RiskLimits } from './limits/risk-limits.js';
import type { RecentIntents } from './recent-intents.js';

/** Clock of a time limit. */
export type LimitClock = 'venue' | 'monotonic' | 'none';

/** Named values as text, with exact decimals, for the journal. */
export type Values = Readonly<Record<string, string>>;

/** Reason of a refusal. Texts are built on demand. */
export interface Breach {
  /** Key of the limit, where a control has several. Default: that of the control. */
  readonly key?: string;
  readonly explain: () => string;
  readonly values: () => Values;
}

/** A compared value and its limit, as text with exact decimals. */
export interface Margin {
  /** Name of the limit, where a control has several. */
  readonly part?: string;
  readonly value: string;
  readonly limit: string;
  readonly unit: 'ms' | 'USDT' | 'base' | 'bps' | '%' | 'orders' | 'closes' | 'x';
  /** The value must not fall below the limit. Default: must not rise above it. */
  readonly least?: true;
}

/** One risk control. It has no state: the same evidence gets the same result. */
export interface Control {
  readonly id: ControlId;
  /** Its key in the `risk:` block. */
  readonly key: string;
  readonly clock: LimitClock;
  readonly class: ControlClass;
  judge(evidence: Evidence, limits: RiskLimits, recent: RecentIntents): Breach | undefined;
  /**
   * The comparisons of `judge`, built only for the journal. An unknown value has no margin, and neither
   * has a control that compares nothing.
   */
  margins?(evidence: Evidence, limits: RiskLimits): readonly Margin[];
}

export const breach = (
  explain: () => string,
  values: () => Values = () => ({}),
  key?: string,
): Breach => ({ explain, values, ...(key !== undefined && { key }) });

/** Missing data refuses: an unknown value is not within a limit. */
export const missingData = (name: string): Breach =>
  breach(
    () => `${name} is not known`,
    () => ({ missing: name }),
  );
