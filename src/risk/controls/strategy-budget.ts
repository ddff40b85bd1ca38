import {
  fixedFromProduct,
  isAtLeast,
  multiply,
  multiplyExact,
  ONE,
  textFromFixed,
  type Ratio,
} from '../../core/fixed/fixed.js';
import { largest } from '../book-totals.js';
import { breach, missingData, type Breach, type Control, type Margin } from '../control.js';
import type { Evidence } from '../evidence.js';
import type { RiskLimits } from '../limits/risk-limits.js';
import type { StrategyBudget } from '../limits/strategy-budgets.js';
import { addsToLarger } from './account-exposure.js';

/**
 * R34: notional of the worst positions of all symbols of the order's strategy, as in R13, within its share of the
 * account's gross exposure. The margin is shared: a strategy that rests leaves it to the others, within theirs.
 */
export const strategyBudget: Control = {
  id: 'R34',
  key: 'strategy_budget_pct',
  clock: 'none',
  class: 'reject',
  judge(evidence, limits) {
    const budget = budgetFor(evidence, limits);
    if (budget === undefined) return undefined;
    const missing = missingFact(evidence, budget);
    if (missing !== undefined) return missing;
    const { value, limit } = sums(evidence, budget, limits);
    if (value <= limit) return undefined;
    const [text, limitText] = [usdtText(value), usdtText(limit)];
    const { strategyId } = evidence.intent;
    return breach(
      () => `worst positions of ${strategyId} ${text} are above its budget of ${limitText} USDT`,
      () => ({ strategy: strategyId, value: text, limit: limitText }),
    );
  },
  margins(evidence, limits): readonly Margin[] {
    const budget = budgetFor(evidence, limits);
    if (budget === undefined || missingFact(evidence, budget) !== undefined) return [];
    const { value, limit } = sums(evidence, budget, limits);
    return [{ value: usdtText(value), limit: usdtText(limit), unit: 'USDT' }];
  },
};

/**
 * undefined: an order that adds nothing to the gross exposure, a manual order, or a strategy that may use all
 * that R13 allows.
 */
function budgetFor(evidence: Evidence, { budgets }: RiskLimits): StrategyBudget | undefined {
  const budget = budgets.get(evidence.intent.strategyId);
  if (budget === undefined || isAtLeast(budget.share, WHOLE)) return undefined;
  return addsToLarger(evidence) ? budget : undefined;
}

const WHOLE = ONE as Ratio;

function missingFact(
  { worstPrice, equityUsdt, entry, intent }: Evidence,
  { symbols }: StrategyBudget,
): Breach | undefined {
  const { symbol, currency } = intent.terms;
  if (worstPrice === undefined) return missingData(`price of ${symbol}`);
  if (equityUsdt === undefined) return missingData(`${currency} equity`);
  const unknown = entry?.others.books.find(
    (book) => book.price === undefined && symbols.has(book.symbol),
  );
  return unknown === undefined ? undefined : missingData(`price of ${unknown.symbol}`);
}

/** After `missingFact`. In 1e-36 USDT. */
function sums(evidence: Evidence, { share, symbols }: StrategyBudget, { exposure }: RiskLimits) {
  const { worstPrice, equityUsdt, entry } = evidence;
  let value = worstPrice === undefined ? 0n : multiplyExact(largest(evidence), worstPrice);
  for (const book of entry?.others.books ?? [])
    if (book.price !== undefined && symbols.has(book.symbol))
      value += multiplyExact(largest(book), book.price);
  const part = multiply<'ratio'>(exposure.maxGrossShare, share);
  return { value, limit: equityUsdt === undefined ? 0n : multiplyExact(equityUsdt, part) };
}

const usdtText = (product: bigint): string => textFromFixed(fixedFromProduct(product));
