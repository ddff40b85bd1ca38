import { describe, expect, it } from 'vitest';
import { explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import { stateAge } from './state-age.js';

const marketExit = { exit: true, side: 'sell' as const };
const exit = { ...marketExit, price: '60000' };
const states = [
  ['ordersAge', 'open orders'],
  ['positionsAge', 'positions'],
  ['walletAge', 'wallet'],
] as const;

describe.each(states)('R06 max_state_age_ms by %s', (key, what) => {
  const rows: readonly ControlCase[] = [
    { name: 'fresh' },
    { name: 'at the limit', facts: { [key]: 5_000 } },
    {
      name: 'above the limit',
      facts: { [key]: 5_001 },
      refused: new RegExp(`state of ${what} is 5001 ms old, limit 5000 ms`),
    },
    { name: 'an exit at its limit', intent: exit, facts: { [key]: 30_000 } },
    {
      name: 'an exit above its limit',
      intent: exit,
      facts: { [key]: 30_001 },
      refused: /30001 ms old, limit 30000 ms/,
    },
    {
      name: 'never read',
      facts: { [key]: null },
      refused: new RegExp(`state of ${what} is not known`),
    },
    { name: 'never read, an exit', intent: exit, facts: { [key]: null }, refused: /not known/ },
    { name: 'a market exit with data of any age', intent: marketExit, facts: { [key]: 3_600_000 } },
    { name: 'a market exit without data', intent: marketExit, facts: { [key]: null } },
  ];
  it.each(rows)('the control gives the expected verdict: $name', (row) => {
    expect(explanationOf(stateAge, row)).toMatch(row.refused ?? 'passes');
  });
});
