import { contradictionsIn, type Contradiction } from '../risk/catalog/contradictions.js';
import type { RiskSettings } from '../risk/limits/risk-config.js';
import { problemAt } from './config-problems.js';
import type { YamlProblem, YamlSource } from './yaml-source.js';

const AT = 'risk';

/** Keys that the `risk:` block sets, with dots: `max_position_notional.usdt`. */
export const riskKeysOf = (source: YamlSource): ReadonlySet<string> =>
  new Set(leavesOf(source.native([AT])));

function leavesOf(value: unknown, at = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, at === '' ? key : `${at}.${key}`),
  );
}

/**
 * Limits that contradict each other, at the lower key of the file. The preset's own value never contradicts a
 * key that is tighter than it: then the tighter one simply holds.
 */
export function limitContradictions(
  source: YamlSource,
  { preset, limits }: RiskSettings,
): readonly YamlProblem[] {
  if (preset === 'none') return [];
  const given = riskKeysOf(source);
  return contradictionsIn(limits)
    .filter(({ lower }) => given.has(lower))
    .map((found) => {
      const upperAt = given.has(found.upper)
        ? source.locate([AT, ...found.upper.split('.')])
        : `preset ${preset}`;
      return problemAt(source, [AT, ...found.lower.split('.')], textOf(found, upperAt));
    });
}

const textOf = (
  { upper, lowerText, upperText, relation, why }: Contradiction,
  upperAt: string,
): string =>
  `${lowerText} ${relation} risk.${upper} ${upperText} (${upperAt}): ${why}; lower this key or raise that one`;
