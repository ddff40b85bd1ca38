import type { Evidence } from './evidence.js';
import type { RiskLimits } from './limits.js';
import type { RecentIntents } from './recent-intents.js';

/** Numbers of reliability, part 5. `mode` is what the other controls and the protocol have led to. */
export type ControlId =
  | 'R01'
  | 'R02'
  | 'R03'
  | 'R05'
  | 'R06'
  | 'R07'
  | 'R08'
  | 'R10'
  | 'R12'
  | 'R15'
  | 'R22'
  | 'R28'
  | 'R30'
  | 'mode';

/** Which of the two times (design, part 4) a limit counts on. */
export type LimitClock = 'venue' | 'monotonic' | 'none';

/** Named values as text, decimals exact: for the journal. */
export type Values = Readonly<Record<string, string>>;

/** Why a control says no. Texts are made when asked for. */
export interface Breach {
  readonly explain: () => string;
  readonly values: () => Values;
}

/** How near an order came to a limit: what was compared with what. Decimals as text, exact. */
export interface Margin {
  /** Which of a control's limits, where it has several. */
  readonly part?: string;
  readonly value: string;
  readonly limit: string;
  readonly unit: 'ms' | 'USDT' | 'base' | 'bps' | 'orders' | 'x';
  /** The value must not fall below the limit. Default: must not rise above it. */
  readonly least?: true;
}

/** One limit of the table: no state of its own, the same answer for the same evidence. */
export interface Control {
  readonly id: ControlId;
  /** Its key in the `risk:` block. */
  readonly key: string;
  readonly clock: LimitClock;
  judge(evidence: Evidence, limits: RiskLimits, recent: RecentIntents): Breach | undefined;
  /**
   * What `judge` compares, for the journal: asked for only where somebody keeps it. What is not known
   * has no margin, and neither has a control that compares nothing.
   */
  margins?(evidence: Evidence, limits: RiskLimits): readonly Margin[];
}

export const breach = (explain: () => string, values: () => Values = () => ({})): Breach => ({
  explain,
  values,
});

/** Missing data refuses: what cannot be judged is not within a limit. */
export const unknown = (what: string): Breach =>
  breach(
    () => `${what} is not known`,
    () => ({ missing: what }),
  );
