import { describe, expect, it } from 'vitest';
import {
  d,
  explanationOf,
  type ControlCase,
  type FactsCase,
} from '../../../test/support/builders/risk-case.js';
import { budgetsOf, type StrategyBudgets } from '../limits/strategy-budgets.js';
import { strategyBudget } from './strategy-budget.js';

/** Of 15,000 USDT, the gross exposure that 10,000 allow. */
const half: StrategyBudgets = budgetsOf(new Map(), [
  { id: 'cross', symbols: ['BTCUSDT', 'ETHUSDT'] },
  { id: 'grid', symbols: ['SOLUSDT'] },
]);
const ether = (position: string, price: string | null = '3000'): FactsCase => ({
  others: [['ETHUSDT', position, price, '2']],
});
const limits = { budgets: half };

const rows: readonly ControlCase[] = [
  { name: 'below the budget', intent: { quantity: '0.124' }, limits },
  { name: 'at the budget', intent: { quantity: '0.125' }, limits },
  {
    name: 'one step above the budget',
    intent: { quantity: '0.126' },
    limits,
    refused: /^worst positions of cross 7560 are above its budget of 7500 USDT$/,
  },
  { name: 'both symbols at the budget', intent: { quantity: '0.075' }, facts: ether('1'), limits },
  {
    name: 'both symbols above the budget',
    intent: { quantity: '0.076' },
    facts: ether('-1'),
    limits,
    refused: /worst positions of cross 7560/,
  },
  {
    name: 'orders of unknown outcome count as filled',
    facts: { longest: '0.125' },
    limits,
    refused: /worst positions of cross 7560/,
  },
  {
    name: 'the positions of another strategy do not count',
    intent: { quantity: '0.125' },
    facts: { others: [['SOLUSDT', '1000', '100', '2']] },
    limits,
  },
  {
    name: 'an entry that does not add to the larger side passes',
    intent: { quantity: '0.1', side: 'sell' },
    facts: { longest: '0.2', position: '0.2' },
    limits,
  },
  {
    name: 'an exit passes above the budget',
    intent: { quantity: '1', side: 'sell', exit: true },
    facts: { position: '1' },
    limits,
  },
  {
    name: 'a manual order has no budget',
    intent: { quantity: '1', strategyId: 'operator', byHand: true },
    limits,
  },
  {
    name: 'a strategy with everything has no budget beside the account',
    intent: { quantity: '1' },
    limits: { budgets: budgetsOf(new Map(), [{ id: 'cross', symbols: ['BTCUSDT'] }]) },
  },
  {
    name: 'without the equity it refuses',
    facts: { equity: null },
    limits,
    refused: /USDT equity is not known/,
  },
  {
    name: 'without a price it refuses',
    facts: { last: null },
    limits,
    refused: /price of BTCUSDT/,
  },
  {
    name: 'without the price of its other symbol it refuses',
    facts: ether('1', null),
    limits,
    refused: /price of ETHUSDT is not known/,
  },
];

describe('R34 strategy_budget_pct', () => {
  it.each(rows)('$name', (row) => {
    if (row.refused === undefined) expect(explanationOf(strategyBudget, row)).toBe('passes');
    else expect(explanationOf(strategyBudget, row)).toMatch(row.refused);
  });
});

describe('shares of strategies', () => {
  const shares = (given: Readonly<Record<string, string>>, ids: readonly string[]) => {
    const budgets = new Map(
      Object.entries(given).map(([id, share]) => [
        id,
        { share: d<'ratio'>(share), symbols: new Set<string>() },
      ]),
    );
    const found = budgetsOf(
      budgets,
      ids.map((id) => ({ id, symbols: [] })),
    );
    return Object.fromEntries([...found].map(([id, { share }]) => [id, share]));
  };

  it.each([
    ['equal shares without a key', {}, { a: '0.5', b: '0.5' }],
    ['the rest for the others', { a: '0.6' }, { a: '0.6', b: '0.2', c: '0.2' }],
    ['the given shares alone', { a: '0.3', b: '0.3' }, { a: '0.3', b: '0.3' }],
    ['everything for one strategy', {}, { a: '1' }],
  ] as const)('%s', (_, given, expected) => {
    const texts = Object.fromEntries(
      Object.entries(expected).map(([id, text]) => [id, d<'ratio'>(text)]),
    );
    expect(shares(given, Object.keys(expected))).toEqual(texts);
  });
});
