import { z } from 'zod';
import { changedLimits } from '../limits/risk-config.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import { LIMIT_ENTRIES, limitText, loosenings, looseningText } from './limit-catalog.js';

export type Tightening =
  | {
      readonly ok: true;
      readonly limits: RiskLimits;
      /** `max_leverage from 3 x to 2 x`, one for each changed limit. */
      readonly changes: readonly string[];
    }
  | {
      readonly ok: false;
      readonly problems: readonly string[];
      /** A limit would allow more; else a value or a key is wrong. */
      readonly isLooser: boolean;
    };

/**
 * Changes limits at run time. A limit can become tighter only: one that would allow more refuses the whole
 * change, because a looser limit needs a person and a restart.
 *
 * @param change keys of the `risk:` block without `preset`; an omitted key keeps its value
 */
export function tightened(limits: RiskLimits, change: unknown): Tightening {
  let after: RiskLimits;
  try {
    after = changedLimits(limits, change);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { ok: false, problems: error.issues.map(issueText), isLooser: false };
  }
  const looser = loosenings(limits, after);
  if (looser.length > 0) return { ok: false, problems: looser.map(loosenedText), isLooser: true };
  return { ok: true, limits: after, changes: changesBetween(limits, after) };
}

const issueText = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

const loosenedText = (loosening: Parameters<typeof looseningText>[0]): string =>
  `${looseningText(loosening)} allows more: limits only tighten at run time. Change the configuration, then sluice risk accept CONFIG and restart`;

const changesBetween = (before: RiskLimits, after: RiskLimits): readonly string[] =>
  LIMIT_ENTRIES.flatMap(({ key, unit, read }) => {
    const [was, is] = [read(before), read(after)];
    return was === is ? [] : [`${key} from ${limitText(was, unit)} to ${limitText(is, unit)}`];
  });
