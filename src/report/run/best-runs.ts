import type { ComparedRow } from './run-comparison.js';

interface Merit {
  readonly better: 'higher' | 'lower';
  /** Money of the run: comparable in one currency only. */
  readonly isMoney?: true;
  /** Grows with the length of the period: comparable over one period only. */
  readonly grows?: true;
  /** Continues the run for a year: comparable between long runs only. */
  readonly isYearly?: true;
}

const MERITS: Readonly<Record<string, Merit>> = {
  net_profit: { better: 'higher', isMoney: true, grows: true },
  return_pct: { better: 'higher', grows: true },
  cagr_pct: { better: 'higher', isYearly: true },
  sharpe: { better: 'higher' },
  sortino: { better: 'higher' },
  calmar: { better: 'higher', isYearly: true },
  max_drawdown_pct: { better: 'lower', grows: true },
  max_drawdown_days: { better: 'lower', grows: true },
  win_rate_pct: { better: 'higher' },
  profit_factor: { better: 'higher' },
  expectancy: { better: 'higher', isMoney: true },
  liquidations: { better: 'lower', grows: true },
};

export interface Comparability {
  readonly isOneCurrency: boolean;
  readonly isOnePeriod: boolean;
  /** None is too short for a yearly growth (`MIN_GROWTH_DAYS`). */
  readonly areLong: boolean;
}

/**
 * Indexes of the runs with the best value of a figure. Empty: the figure has no better side, the runs cannot be
 * compared in it, fewer than two have it, or all of those are equal.
 */
export function bestRuns(
  { key, values }: Pick<ComparedRow, 'key' | 'values'>,
  { isOneCurrency, isOnePeriod, areLong }: Comparability,
): readonly number[] {
  const merit = MERITS[key];
  if (merit === undefined) return [];
  if ((merit.isMoney && !isOneCurrency) || (merit.grows && !isOnePeriod)) return [];
  if (merit.isYearly && !areLong) return [];
  const numbers = values.map((value) =>
    value === null || value === undefined ? NaN : Number(value),
  );
  const known = numbers.filter((value) => !Number.isNaN(value));
  const best = merit.better === 'higher' ? Math.max(...known) : Math.min(...known);
  if (known.length < 2 || known.every((value) => value === best)) return [];
  return numbers.flatMap((value, index) => (value === best ? [index] : []));
}
