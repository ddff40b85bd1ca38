import type { RiskLimits } from '../limits/risk-limits.js';
import { ACCOUNT_LIMIT_ENTRIES } from './account-limit-entries.js';
import { isLooser, type LimitEntry } from './limit-entry.js';
import { MARKET_LIMIT_ENTRIES } from './market-limit-entries.js';
import { ORDER_LIMIT_ENTRIES } from './order-limit-entries.js';

/** Every value of the `risk:` block that a control compares, in the order of the controls. */
export const LIMIT_ENTRIES: readonly LimitEntry[] = [
  ...ORDER_LIMIT_ENTRIES,
  ...ACCOUNT_LIMIT_ENTRIES,
  ...MARKET_LIMIT_ENTRIES,
].sort((a, b) => (a.control < b.control ? -1 : a.control > b.control ? 1 : 0));

/** A limit that allows more than before. */
export interface Loosening {
  readonly key: string;
  /** Values as the block writes them; undefined: no limit. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly unit: LimitEntry['unit'];
}

/** The limits of `after` that allow more than those of `before`. */
export const loosenings = (before: RiskLimits, after: RiskLimits): readonly Loosening[] =>
  LIMIT_ENTRIES.flatMap((entry) => {
    const [was, is] = [entry.read(before), entry.read(after)];
    return isLooser(entry, was, is)
      ? [{ key: entry.key, before: was, after: is, unit: entry.unit }]
      : [];
  });

/** `5 x`; `none` without a limit. */
export const limitText = (value: string | undefined, unit: string): string =>
  value === undefined ? 'none' : unit === '' ? value : `${value} ${unit}`;

/** `max_leverage from 3 x to 5 x`. */
export const looseningText = ({ key, before, after, unit }: Loosening): string =>
  `${key} from ${limitText(before, unit)} to ${limitText(after, unit)}`;
