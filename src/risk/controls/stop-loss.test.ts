import { expect, it } from 'vitest';
import { explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import { LOSS_LIMITS } from '../limits/loss-limits.js';
import { tradeLoss } from './stop-loss.js';

const stopLoss = (value: 'off' | 'warn' | 'require') => ({
  loss: { ...LOSS_LIMITS.standard, stopLoss: value },
});
/** 1 % of an equity is 111.1881 USDT. */
const AT_LIMIT = '11118.81';

const rows: readonly ControlCase[] = [
  { name: 'an entry without a stop passes under warn', limits: stopLoss('warn') },
  { name: 'an entry without a stop passes under off', limits: stopLoss('off') },
  {
    name: 'an entry without a stop is refused under require',
    limits: stopLoss('require'),
    refused: /no stop loss/,
  },
  {
    name: 'the loss at the stop of 0.01 BTC from 60,000 to 49,000 is 110 USDT, fees 0.6431, slippage 0.545',
    intent: { quantity: '0.01', stopLoss: '49000' },
    facts: { equity: '11118.80' },
    refused: /is 111\.1881 USDT with fees and slippage, limit 111\.188 USDT/,
  },
  {
    name: 'a loss at the limit passes',
    intent: { quantity: '0.01', stopLoss: '49000' },
    facts: { equity: AT_LIMIT },
  },
  {
    name: 'a loss just inside the limit passes',
    intent: { quantity: '0.01', stopLoss: '49000.1' },
    facts: { equity: AT_LIMIT },
  },
  {
    name: 'a loss just outside the limit is refused',
    intent: { quantity: '0.01', stopLoss: '48999.9' },
    facts: { equity: AT_LIMIT },
    refused: /loss at the stop 48999\.9/,
  },
  {
    name: 'a short loses upward',
    intent: { quantity: '0.01', side: 'sell', stopLoss: '71000' },
    refused: /loss at the stop 71000 is 111\.4279 USDT/,
  },
  {
    name: 'a limit entry loses from its own price, without slippage of its own',
    intent: { quantity: '0.01', price: '59000', stopLoss: '49000' },
    refused: /is 100\.8822 USDT/,
  },
  {
    name: 'unknown equity refuses',
    intent: { stopLoss: '49000' },
    facts: { equity: null },
    refused: /equity is not known/,
  },
  {
    name: 'an unknown price refuses a market entry',
    intent: { stopLoss: '49000' },
    facts: { last: null },
    refused: /price of BTCUSDT is not known/,
  },
  {
    name: 'an exit needs no stop',
    intent: { exit: true, side: 'sell' },
    facts: { equity: null, position: '0.001' },
    limits: stopLoss('require'),
  },
];

it.each(rows)('R17: $name', (row) => {
  const text = explanationOf(tradeLoss, row);
  if (row.refused === undefined) expect(text).toBe('passes');
  else expect(text).toMatch(row.refused);
});
