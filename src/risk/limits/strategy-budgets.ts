import { z } from 'zod';
import {
  add,
  divide,
  fixed,
  larger,
  ONE,
  SCALE,
  subtract,
  ZERO,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { percent } from './limit-values.js';

/** R34: the part of the account's gross exposure that one strategy may use. */
export interface StrategyBudget {
  /** Fraction of the limit of R13; 1 is all of it. */
  readonly share: Ratio;
  /** Its symbols. No other strategy has them. */
  readonly symbols: ReadonlySet<string>;
}

/** By id of the strategy. A manual order has no budget: the limits of the account hold for it. */
export type StrategyBudgets = ReadonlyMap<string, StrategyBudget>;

export const NO_BUDGETS: StrategyBudgets = new Map();

export const budgetKeys = {
  strategy_budget_pct: z
    .record(
      z.string(),
      percent('1', '100'),
      'expected { strategy: percent }, such as { trend: 60 }',
    )
    .optional(),
};

type Keys = z.infer<z.ZodObject<typeof budgetKeys>>;

export const strategyBudgets = (
  { strategy_budget_pct: given = {} }: Keys,
  base: StrategyBudgets,
): StrategyBudgets =>
  new Map([
    ...base,
    ...Object.entries(given).map(([id, share]) => {
      const symbols = base.get(id)?.symbols ?? new Set<string>();
      return [id, { share, symbols }] as const;
    }),
  ]);

export interface BudgetedStrategy {
  readonly id: string;
  readonly symbols: readonly string[];
}

/** Sum of the given shares. */
export const givenShare = (given: StrategyBudgets): Ratio =>
  [...given.values()].reduce<Ratio>((sum, { share }) => add(sum, share), ZERO as Ratio);

/**
 * Budgets of all strategies. Those without a given share have equal parts of what the given ones leave: with none
 * given, 100 % ÷ their number.
 */
export function budgetsOf(
  given: StrategyBudgets,
  strategies: readonly BudgetedStrategy[],
): StrategyBudgets {
  const others = strategies.filter(({ id }) => !given.has(id)).length;
  const left = larger(ZERO as Ratio, subtract(ONE as Ratio, givenShare(given)));
  const part = others === 0 ? left : divide<'ratio'>(left, fixed(others * SCALE));
  return new Map(
    strategies.map(({ id, symbols }) => {
      const share = given.get(id)?.share ?? part;
      return [id, { share, symbols: new Set(symbols) }] as const;
    }),
  );
}
