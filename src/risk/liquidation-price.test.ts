import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  fixedFromText,
  isAtLeast,
  isAtMost,
  ProductSum,
  textFromFixed,
  unitsOf,
  type Price,
  type Ratio,
} from '../core/fixed/fixed.js';
import {
  cappedMaintenanceRate,
  collateralOf,
  liquidationTriggerOf,
} from '../exchange/account/margin.js';
import { assumedLiquidationPrice } from './liquidation-price.js';

const price = (text: string, leverage: string, isLong: boolean): string =>
  textFromFixed(
    assumedLiquidationPrice(fixedFromText<'price'>(text), fixedFromText<'ratio'>(leverage), isLong),
  );

it.each([
  ['100', '1', true, '0'],
  ['100', '1', false, '196.07843137'],
  ['98', '5', true, '80'],
  ['102', '5', false, '120'],
  ['99.5', '100', true, '99'],
  ['100.5', '100', false, '101'],
] as const)(
  'an entry at %s with leverage %s, long %s, is liquidated at %s',
  (entry, leverage, isLong, at) => {
    expect(price(entry, leverage, isLong)).toBe(at);
  },
);

it('the exchange liquidates no position nearer to its entry, at any listed rate up to 2 %', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.integer({ min: 100, max: 10_000 }),
      fc.integer({ min: 0, max: 200 }),
      fc.boolean(),
      (cents, leverageCents, rateBps, isLong) => {
        const entry = fixedFromText<'price'>((cents / 100).toFixed(2));
        const leverage = fixedFromText<'ratio'>((leverageCents / 100).toFixed(2));
        const listed = fixedFromText<'ratio'>((rateBps / 10_000).toFixed(4));
        const ours = assumedLiquidationPrice(entry, leverage, isLong);
        const theirs = exchangeTrigger(entry, leverage, listed, isLong);
        // The exchange rounds the rate at 1e-8, and both prices are rounded there.
        const slack = unitsOf(entry) / 10n ** 8n + 2n * 10n ** 10n;
        const distance = unitsOf(ours) - unitsOf(theirs);
        expect(isLong ? distance >= -slack : distance <= slack).toBe(true);
        expect(isLong ? isAtMost(ours, entry) : isAtLeast(ours, entry)).toBe(true);
      },
    ),
  );
});

function exchangeTrigger(entry: Price, leverage: Ratio, listed: Ratio, isLong: boolean): Price {
  const quantity = fixedFromText<'quantity'>('1');
  const cost = ProductSum.of(entry, quantity);
  const collateral = collateralOf(cost, leverage);
  const maintenanceRate = cappedMaintenanceRate(listed, collateral, cost);
  const longSign = isLong ? 1 : -1;
  const terms = { cost, collateral, quantity, longSign, maintenanceRate } as const;
  return liquidationTriggerOf(terms, fixedFromText<'price'>('0.01'));
}
