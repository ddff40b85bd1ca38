import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentOf, d, factsOf, type FactsCase } from '../../test/support/builders/risk-case.js';
import { fixedFromNumber, isLess, textFromFixed, times } from '../core/fixed/fixed.js';
import { quantize } from '../core/instrument.js';
import { BTC } from '../../test/support/builders/risk-case.js';
import { createGate } from './gate.js';
import { DEFAULT_LIMITS, type RiskLimits } from './limits/risk-limits.js';
import { headroomOf, type RiskHeadroomQuery } from './headroom.js';

const query = (changes: Partial<RiskHeadroomQuery> = {}): RiskHeadroomQuery => ({
  symbol: 'BTCUSDT',
  currency: 'USDT',
  side: 'buy',
  price: d('100'),
  held: d('0'),
  ...changes,
});

const room = (
  facts: FactsCase = {},
  changes: Partial<RiskHeadroomQuery> = {},
  limits: Partial<RiskLimits> = {},
) => {
  const found = headroomOf(query(changes), factsOf({ last: '100', ...facts }), {
    ...DEFAULT_LIMITS,
    ...limits,
  });
  return found === undefined ? 'not known' : `${(found.units * 1.01).toFixed(4)} ${found.limit}`;
};

describe('the headroom under the limits', () => {
  it.each<[string, FactsCase, Partial<RiskHeadroomQuery>, string, Partial<RiskLimits>?]>([
    ['the order limit, from flat', {}, {}, '5.0000 max_order_notional_usdt 500 USDT'],
    [
      'a share of a small equity',
      { equity: '1000' },
      {},
      '2.5000 max_order_notional_pct_equity 25 %',
    ],
    [
      'nothing of an equity below 0',
      { equity: '-5' },
      {},
      '0.0000 max_position_notional.pct_equity 50 %',
    ],
    [
      'the higher of the two prices',
      { last: '200' },
      {},
      '2.5000 max_order_notional_usdt 500 USDT',
    ],
    [
      'the position limit, where another order of the side is under way',
      { longest: '7' },
      {},
      '2.9300 max_position_notional.usdt 1000 USDT',
    ],
    [
      'what the other symbols of the strategy leave of its budget',
      {
        others: [
          ['ETHUSDT', '1', '500', '2'],
          ['SOLUSDT', '1', '5000', '2'],
        ],
      },
      {},
      // (10,000 × 150 % × 5 % − 500 × 1.01) ÷ 100
      '2.4500 strategy_budget_pct.cross 5 %',
      {
        budgets: new Map([
          ['cross', { share: d('0.05'), symbols: new Set(['BTCUSDT', 'ETHUSDT']) }],
          ['grid', { share: d('0.95'), symbols: new Set(['SOLUSDT']) }],
        ]),
      },
    ],
    [
      'what other symbols leave of the gross exposure',
      { equity: '1000', others: [['ETHUSDT', '-14', '100', '20']] },
      {},
      '0.8600 max_gross_exposure_pct 150 %',
    ],
    [
      'what other symbols of its side leave of the net exposure',
      { equity: '1000', others: [['ETHUSDT', '14', '100', '20']] },
      {},
      '0.8600 max_net_exposure_pct 150 %',
      { exposure: { ...DEFAULT_LIMITS.exposure, maxGrossShare: d('9') } },
    ],
    [
      'what other symbols leave of the margin',
      { equity: '1000', others: [['ETHUSDT', '11', '100', '2']] },
      {},
      '0.8900 max_margin_utilisation_pct 60 %',
    ],
    [
      'the size of the other side, where nothing is left of the gross exposure',
      { equity: '1000', shortest: '-2', others: [['ETHUSDT', '-20', '100', '20']] },
      {},
      '2.0000 max_gross_exposure_pct 150 %',
    ],
    [
      'what opens after a reversal, as from flat',
      { position: '3' },
      { side: 'sell', held: d('3') },
      '5.0000 max_order_notional_usdt 500 USDT',
    ],
  ])('is %s', (_, facts, changes, text, limits) => {
    expect(room(facts, changes, limits)).toBe(text);
  });

  it('the headroom includes the held quantity beside the next order', () => {
    expect(room({ position: '2' }, { held: d('2') })).toBe(
      '7.0200 max_order_notional_usdt 500 USDT',
    );
  });

  it('the headroom respects the limit of a symbol in base units', () => {
    const limits = { maxOrderQuantity: new Map([['BTCUSDT', d<'quantity'>('0.5')]]) };
    expect(room({}, {}, limits)).toMatch(/max_order_qty 0.5 BTCUSDT$/);
  });

  it.each([
    ['the equity', { equity: null }],
    ['the wallet', { wallet: null }],
    ['the leverage', { leverage: null }],
    ['the price of another symbol', { others: [['ETHUSDT', '1', null, '2']] }],
  ] satisfies [string, FactsCase][])('the headroom is not known without %s', (_, facts) => {
    expect(room(facts)).toBe('not known');
  });

  it('the headroom never exceeds the gate’s approval, at prices up to 1 % above', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 100_000 }),
        fc.double({ min: 10, max: 200, noNaN: true }),
        fc.constantFrom('buy' as const, 'sell' as const),
        fc.double({ min: 1, max: 1.0099, noNaN: true }),
        fc.integer({ min: -150, max: 150 }),
        fc.integer({ min: 0, max: 20 }),
        (equity, price, side, moved, other, opposite) => {
          const otherPrice = (equity / 100) * (moved > 1.005 ? moved : 1);
          const facts = (last: number) =>
            factsOf({
              equity: String(equity),
              last: textFromFixed(fixedFromNumber(last)),
              others: [['ETHUSDT', String(other), textFromFixed(fixedFromNumber(otherPrice)), '3']],
              ...(side === 'buy' ? { shortest: String(-opposite) } : { longest: String(opposite) }),
            });
          const found = headroomOf(
            query({ side, price: fixedFromNumber(price) }),
            facts(price),
            DEFAULT_LIMITS,
          );
          const quantity = quantize(found?.units ?? 0, BTC);
          if (isLess(quantity, times(BTC.minQuantity, 1_000))) return;
          const reference = textFromFixed(fixedFromNumber(price * moved));
          const intent = intentOf({ side, quantity: textFromFixed(quantity), reference });
          const { preset, limits } = { preset: 'standard', limits: DEFAULT_LIMITS } as const;
          const verdict = createGate({ preset, limits }).judge(intent, facts(price * moved));
          expect(verdict.explain()).toMatch(/^approved/);
        },
      ),
    );
  });
});
