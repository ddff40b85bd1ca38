import { fixed } from '../core/fixed/fixed.js';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  intentOf,
  factsOf,
  type FactsCase,
  type IntentCase,
} from '../../test/support/builders/risk-case.js';
import { isLess, isGreater, fixedFromText } from '../core/fixed/fixed.js';
import { createGate } from './gate.js';
import { DEFAULT_LIMITS } from './limits/risk-limits.js';
import { parseComparisons } from './limit-comparisons.js';
import { proportionText } from './product-text.js';

const judge = (intent: IntentCase, facts: FactsCase = {}) =>
  createGate({ preset: 'standard', limits: DEFAULT_LIMITS }).judge(
    intentOf(intent),
    factsOf(facts),
  );

const shown = (intent: IntentCase, facts: FactsCase = {}) =>
  parseComparisons(judge(intent, facts).values()).map(
    ({ control, part = '', value, limit, unit, least }) =>
      `${control}${part === '' ? '' : ` ${part}`}: ${value} ${least === true ? '≥' : '≤'} ${limit} ${unit}`,
  );

describe('the margins of a verdict', () => {
  it('the margins of an approval list every compared limit, in order of evaluation', () => {
    expect(
      shown({ quantity: '0.004', price: '60060' }, { lastAge: 1200, orders: 2, longest: '0.01' }),
    ).toEqual([
      'R05: 1200 ≤ 3000 ms',
      'R06 open_orders: 0 ≤ 5000 ms',
      'R06 positions: 0 ≤ 5000 ms',
      'R06 wallet: 0 ≤ 5000 ms',
      'R27: 0 ≤ 50 bps',
      'R07 notional: 240.24 ≥ 5 USDT',
      'R07 quantity: 0.004 ≥ 0.001 base',
      'R15: 2 ≤ 3 x',
      'R23: 0 ≤ 0 orders',
      'R01: 240.24 ≤ 500 USDT',
      'R02: 0.004 ≤ 1500 base',
      'R03: 10 ≤ 50 bps',
      'R12: 840.84 ≤ 1000 USDT',
      'R13 gross: 840.84 ≤ 15000 USDT',
      'R13 net: 840.84 ≤ 15000 USDT',
      'R14: 420.42 ≤ 6000 USDT',
      'R16 distance: 48.92857143 ≥ 8 %',
      'R10 account: 3 ≤ 40 orders',
      'R10 symbol: 3 ≤ 12 orders',
      'R19: 0 ≤ 300 bps',
      'R21: 0 ≤ 1500 bps',
      'R40 orders: 1 ≤ 500 orders',
      'R40 turnover: 240.24 ≤ 100000 USDT',
      'R09: 1 ≤ 12 orders',
    ]);
  });

  it('a margin uses the smaller of an amount and a share of equity', () => {
    expect(shown({}, { equity: '1000' })).toContain('R01: 60 ≤ 250 USDT');
  });

  it('a refusal has margins too, without unknown values', () => {
    const refused = judge({}, { last: null, equity: null });
    expect(refused.ok).toBe(false);
    const controls = parseComparisons(refused.values()).map(({ control }) => control);
    expect(controls).not.toContain('R01');
    expect(controls).toContain('R06');
  });

  it('an exit has the margins of exit limits, and none without a comparison', () => {
    const exit = { exit: true, side: 'sell', price: '60000' } as const;
    const margins = shown(exit, { position: '0.001', lastAge: 9_000 });
    expect(margins).toContain('R05: 9000 ≤ 15000 ms');
    expect(margins.filter((text) => /^R(01|12|15)/.test(text))).toEqual([]);
  });

  it('an order of any notional has margins', () => {
    const refused = judge({ quantity: '1500000', price: '1999999' });
    expect(refused.ok).toBe(false);
    const notional = parseComparisons(refused.values()).find(({ control }) => control === 'R01');
    expect(notional).toMatchObject({ value: '2999998500000', limit: '500' });
  });

  it('the margins agree with the verdict: no approved order passes a limit', () => {
    const texts = fc.integer({ min: 1, max: 40 }).map((steps) => (steps / 1_000).toFixed(3));
    const prices = fc
      .integer({ min: 590_000, max: 610_000 })
      .map((ticks) => (ticks / 10).toFixed(1));
    const ages = fc.integer({ min: 0, max: 6_000 });
    fc.assert(
      fc.property(
        texts,
        prices,
        ages,
        ages,
        texts,
        (quantity, price, lastAge, walletAge, longest) => {
          const verdict = judge({ quantity, price }, { lastAge, walletAge, longest });
          const broken = parseComparisons(verdict.values()).filter(({ value, limit, least }) => {
            const [a, b] = [fixedFromText(value), fixedFromText(limit)];
            return least === true ? isLess(a, b) : isGreater(a, b);
          });
          expect(broken.length === 0).toBe(verdict.ok);
        },
      ),
    );
  });
});

describe('margins read back from a journal', () => {
  it('margins read back equal the written ones, with their keys', () => {
    const values = {
      'margin_R07.notional': '240.24 of at least 5 USDT',
      margin_R05: '1200 of 3000 ms',
    };
    expect(parseComparisons(values)).toStrictEqual([
      {
        control: 'R05',
        key: 'max_ref_price_age_ms',
        value: '1200',
        limit: '3000',
        unit: 'ms',
      },
      {
        control: 'R07',
        key: 'instrument_rules',
        part: 'notional',
        value: '240.24',
        limit: '5',
        unit: 'USDT',
        least: true,
      },
    ]);
  });

  it.each([
    { what: 'another value of the verdict', values: { age_ms: '1200 of 3000 ms' } },
    { what: 'a name with more before it', values: { the_margin_R05: '1200 of 3000 ms' } },
    { what: 'a name with more after it', values: { 'margin_R05.': '1200 of 3000 ms' } },
    { what: 'a control of another version', values: { margin_R99: '1200 of 3000 ms' } },
    { what: 'a text without a limit', values: { margin_R05: '1200 ms' } },
    { what: 'a text with more before it', values: { margin_R05: 'now 1200 of 3000 ms' } },
    { what: 'a text with more after it', values: { margin_R05: '1200 of 3000 ms or so' } },
    { what: 'a unit of another version', values: { margin_R05: '1200 of 3000 s' } },
    { what: 'nothing', values: {} },
  ])('no margin is read from $what', ({ values }) => {
    expect(parseComparisons(values)).toEqual([]);
  });
});

describe('proportionText', () => {
  it.each([
    [3e8, 2e8, 1e8, '6'],
    [1, 1, 3, '0'],
    [1e8, 1, 3, '0.33333333'],
    [-150_000_000, 100_000_000, 100_000_000, '-1.5'],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1, '811296384146066636813904.95662081'],
  ])('%d × %d ÷ %d is %s', (a, b, c, text) => {
    expect(proportionText(fixed(a), fixed(b), fixed(c))).toBe(text);
  });
});
