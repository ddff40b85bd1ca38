import { isGreater, ONE, type Ratio } from '../core/fixed/fixed.js';
import { didYouMean } from '../core/suggestion.js';
import { percentText } from '../risk/catalog/limit-entry.js';
import type { RiskSettings } from '../risk/limits/risk-config.js';
import { budgetsOf, givenShare, type BudgetedStrategy } from '../risk/limits/strategy-budgets.js';
import { problemAt } from './config-problems.js';
import type { YamlProblem, YamlSource } from './yaml-source.js';

const AT = ['risk', 'strategy_budget_pct'];
const WHOLE = ONE as Ratio;

/** Budgets of strategies that do not exist, that exceed the account, or that leave nothing to another strategy. */
export function budgetProblems(
  source: YamlSource,
  { limits: { budgets } }: RiskSettings,
): readonly YamlProblem[] {
  const ids = strategyIds(source);
  const unknown = [...budgets.keys()]
    .filter((id) => !ids.includes(id))
    .map((id) => {
      const what = `no strategy has the id "${id}"${didYouMean(id, ids)}`;
      return problemAt(source, [...AT, id], what);
    });
  return [...unknown, ...sumProblems(source, budgets, ids)];
}

function sumProblems(
  source: YamlSource,
  budgets: RiskSettings['limits']['budgets'],
  ids: readonly string[],
): readonly YamlProblem[] {
  const sum = givenShare(budgets);
  if (isGreater(sum, WHOLE)) {
    const what = `the budgets add up to ${percentText(sum)} %, and the account has 100 %: lower one of them`;
    return [problemAt(source, AT, what)];
  }
  const without = ids.filter((id) => !budgets.has(id));
  if (sum !== WHOLE || without.length === 0 || budgets.size === 0) return [];
  const what = `the budgets add up to 100 % and leave nothing for ${without.join(', ')}: lower one of them, or give these a budget`;
  return [problemAt(source, AT, what)];
}

/** The settings with the budget of every strategy. */
export const withBudgets = (
  settings: RiskSettings,
  strategies: readonly BudgetedStrategy[],
): RiskSettings => ({
  ...settings,
  limits: { ...settings.limits, budgets: budgetsOf(settings.limits.budgets, strategies) },
});

function strategyIds(source: YamlSource): readonly string[] {
  const strategies = source.native(['strategies']);
  if (!Array.isArray(strategies)) return [];
  return strategies.flatMap((strategy: unknown) => {
    const id =
      typeof strategy === 'object' && strategy !== null && 'id' in strategy
        ? strategy.id
        : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
