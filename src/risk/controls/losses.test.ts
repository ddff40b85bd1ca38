import { describe, expect, it } from 'vitest';
import {
  d,
  explanationOf,
  VENUE_TIME,
  type ControlCase,
} from '../../../test/support/builders/risk-case.js';
import type { Control } from '../control.js';
import { LOSS_LIMITS } from '../limits/loss-limits.js';
import { dailyLoss, dailyTurnover, drawdown, lossStreak } from './losses.js';

const exit = { exit: true, side: 'sell' } as const;
const cautious = { loss: LOSS_LIMITS.cautious };

function cases(name: string, control: Control, rows: readonly ControlCase[]): void {
  describe(name, () => {
    it.each(rows)('$name', (row) => {
      const text = explanationOf(control, row);
      if (row.refused === undefined) expect(text).toBe('passes');
      else expect(text).toMatch(row.refused);
    });
  });
}

cases('R19, loss of the venue day', dailyLoss, [
  {
    name: 'an entry just inside the soft limit passes',
    facts: { losses: { dayLoss: d('299.99') } },
  },
  { name: 'an entry at the soft limit passes', facts: { losses: { dayLoss: d('300') } } },
  {
    name: 'an entry just outside the soft limit is refused',
    facts: { losses: { dayLoss: d('300.00000001') } },
    refused: /^loss of the venue day is 300\.00000001 of 10000, limit 3 %$/,
  },
  { name: 'a profit passes', facts: { losses: { dayLoss: d('-5000') } } },
  {
    name: 'the base is the equity at the start of the day',
    facts: { losses: { dayLoss: d('30.1'), dayStart: d('1000') } },
    refused: /30\.1 of 1000/,
  },
  {
    name: 'a loss without equity is refused',
    facts: { losses: { dayLoss: d('1'), dayStart: d('0') } },
    refused: /1 of 0/,
  },
  { name: 'unknown losses refuse', facts: { losses: null }, refused: /not known/ },
  {
    name: 'a change of the wallet that no trade explains refuses',
    facts: { losses: { unexplained: d('1000') } },
    refused: /changed by 1000 and no trade explains it/,
  },
  {
    name: 'an exit passes beyond the limit',
    intent: exit,
    facts: { losses: { dayLoss: d('9000'), unexplained: d('1') } },
  },
  { name: 'an exit passes while losses are unknown', intent: exit, facts: { losses: null } },
]);

cases('R21, drawdown', drawdown, [
  {
    name: 'an entry at the limit passes',
    facts: { losses: { drawdown: d('1800'), highWater: d('12000') } },
  },
  {
    name: 'an entry just outside is refused',
    facts: { losses: { drawdown: d('1800.00000001'), highWater: d('12000') } },
    refused: /^drawdown is 1800\.00000001 of 12000, limit 15 %$/,
  },
  { name: 'unknown losses refuse', facts: { losses: null }, refused: /not known/ },
  { name: 'an exit passes', intent: exit, facts: { losses: { drawdown: d('9000') } } },
]);

cases('R26, losing closes in a row', lossStreak, [
  {
    name: 'an entry within the pause is refused',
    facts: { losses: { pausedUntil: VENUE_TIME + 1 } },
    limits: cautious,
    refused: /5 positions in a row closed at a loss/,
  },
  {
    name: 'an entry at the end of the pause passes',
    facts: { losses: { pausedUntil: VENUE_TIME } },
    limits: cautious,
  },
  { name: 'no pause passes', limits: cautious },
  {
    name: 'unknown losses refuse',
    facts: { losses: null },
    limits: cautious,
    refused: /not known/,
  },
  {
    name: 'a pause does not hold while the limit is off',
    facts: { losses: { pausedUntil: VENUE_TIME + 1 } },
  },
  {
    name: 'an exit passes within the pause',
    intent: exit,
    facts: { losses: { pausedUntil: VENUE_TIME + 1 } },
    limits: cautious,
  },
]);

cases('R40, turnover and orders of the venue day', dailyTurnover, [
  { name: 'the last order of the day passes', facts: { losses: { orders: 499 } } },
  { name: 'one more is refused', facts: { losses: { orders: 500 } }, refused: /order 501/ },
  {
    name: 'at its sending the order is counted already',
    facts: { losses: { orders: 500 } },
    phase: 'send',
  },
  { name: 'turnover at the limit passes', facts: { losses: { turnover: d('99940') } } },
  {
    name: 'turnover just outside is refused',
    facts: { losses: { turnover: d('99940.00000001') } },
    refused: /would be 100000\.00000001 USDT, limit 100000 USDT/,
  },
  {
    name: 'an INR wallet compares in USDT',
    facts: { losses: { turnover: d('9941'), dayStart: d('85000'), dayStartUsdt: d('1000') } },
    refused: /limit 10000 USDT/,
  },
  { name: 'an unknown price refuses', facts: { last: null }, refused: /price of BTCUSDT/ },
  { name: 'unknown losses refuse', facts: { losses: null }, refused: /not known/ },
  {
    name: 'an exit passes',
    intent: exit,
    facts: { losses: { orders: 9000, turnover: d('1000000') } },
  },
]);
