import { describe, expect, it } from 'vitest';
import { explanationOf, type ControlCase } from '../../../test/support/builders/risk-case.js';
import type { Control } from '../control.js';
import { PRESET_LIMITS } from '../limits/risk-limits.js';
import {
  fundingGuard,
  hedgeRateAge,
  marketEntry,
  priceDrift,
  priceJump,
  volatility,
} from './market.js';

const exit = { exit: true, side: 'sell' as const };

const runs = (control: Control, rows: readonly ControlCase[]): void => {
  it.each(rows)('$name', (row) => {
    if (row.refused === undefined) expect(explanationOf(control, row)).toBe('passes');
    else expect(explanationOf(control, row)).toMatch(row.refused);
  });
};

describe('R42 inr_fx_max_age_ms', () => {
  const intent = { currency: 'INR' as const };
  const week = 7 * 86_400_000;
  runs(hedgeRateAge, [
    { name: 'a rate just inside', intent, facts: { hedgeRateAge: week - 1 } },
    { name: 'a rate at the limit', intent, facts: { hedgeRateAge: week } },
    {
      name: 'a rate just outside',
      intent,
      facts: { hedgeRateAge: week + 1 },
      refused: /the newest rate of INR to USDT is .* old, limit 7 d 0 h: set venue\.inr_rate/,
    },
    {
      name: 'no rate',
      intent,
      facts: { hedgeRateAge: null },
      refused: /rate of INR to USDT/,
    },
    { name: 'an exit', intent: { ...intent, ...exit }, facts: { hedgeRateAge: null } },
    { name: 'an entry in USDT', facts: { hedgeRateAge: null } },
  ]);
});

describe('R04 market_orders', () => {
  const cautious = { market: PRESET_LIMITS.cautious.market };
  runs(marketEntry, [
    { name: 'a market entry under standard' },
    { name: 'a limit entry under cautious', intent: { price: '60000' }, limits: cautious },
    {
      name: 'a market entry under cautious, with the key that mends it',
      limits: cautious,
      refused: /market_orders: allow/,
    },
    { name: 'a market exit under cautious', intent: exit, limits: cautious },
  ]);
});

describe('R27 max_price_drift_bps', () => {
  runs(priceDrift, [
    { name: 'just inside', facts: { last: '60299.9' } },
    { name: 'at the limit', facts: { last: '60300' } },
    { name: 'just outside, above', facts: { last: '60300.1' }, refused: /was 60000/ },
    { name: 'just outside, below', facts: { last: '59699.9' }, refused: /was 60000/ },
    {
      name: 'just outside at send time',
      phase: 'send',
      facts: { last: '60300.1' },
      refused: /bps/,
    },
    {
      name: 'a marketable limit order just outside',
      intent: { price: '60120' },
      facts: { last: '60300.1' },
      refused: /was 60000/,
    },
    {
      name: 'a resting limit order, which was decided at its own price',
      intent: { price: '57000', reference: '57000' },
    },
    { name: 'no price', facts: { last: null }, refused: /price of BTCUSDT is not known/ },
    { name: 'an exit at any price', intent: exit, facts: { last: '1' } },
    { name: 'a manual order at any price', intent: { byHand: true }, facts: { last: '1' } },
  ]);
});

describe('R38 price_jump_pct', () => {
  runs(priceJump, [
    { name: 'a jump at the limit', facts: { jump: ['60000', '63000'] } },
    { name: 'a jump up beyond it', facts: { jump: ['60000', '63000.1'] }, refused: /5 % apart/ },
    { name: 'a jump down beyond it', facts: { jump: ['60000', '56999'] }, refused: /5 % apart/ },
    { name: 'mark and last at the limit', facts: { mark: '58800' } },
    { name: 'mark and last beyond it', facts: { mark: '58799.9' }, refused: /2 % apart/ },
    { name: 'a mark that is too old to compare', facts: { mark: '50000', markAge: 3_001 } },
    { name: 'no mark and no second price' },
    { name: 'an exit during a jump', intent: exit, facts: { jump: ['60000', '30000'] } },
  ]);
});

describe('R43 volatility_halt', () => {
  runs(volatility, [
    { name: 'just inside', facts: { volatility: '7.99' } },
    { name: 'at the limit', facts: { volatility: '8' } },
    { name: 'just outside', facts: { volatility: '8.01' }, refused: /8\.01 times/ },
    { name: 'less than an hour of minutes' },
    { name: 'an exit', intent: exit, facts: { volatility: '100' } },
  ]);
});

describe('R41 funding_guard', () => {
  const cost = (rate: string, inMs = 30_000) => ({ funding: { rate, inMs } });
  runs(fundingGuard, [
    { name: 'at the limit', facts: cost('0.003') },
    { name: 'just outside', facts: cost('0.00300001'), refused: /costs 30\.0001 bps, limit 30/ },
    { name: 'a long that receives', facts: cost('-0.01') },
    {
      name: 'a short that pays',
      intent: { side: 'sell' },
      facts: cost('-0.01'),
      refused: /100 bps/,
    },
    { name: 'a short that receives', intent: { side: 'sell' }, facts: cost('0.01') },
    { name: 'at 60 s before the settlement', facts: cost('0.01', 60_000), refused: /100 bps/ },
    { name: 'more than 60 s before the settlement', facts: cost('0.01', 60_001) },
    { name: 'after the settlement', facts: cost('0.01', -1) },
    { name: 'no rate' },
    { name: 'an exit', intent: exit, facts: cost('0.01') },
  ]);
});
