import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divideHalfEvenBig,
  fixedFromText,
  fitsEightPlaces,
  ProductSum,
  ONE_IN_UNITS,
  textFromFixed,
  UNITS_PER_SCALED,
  unitsOf,
  type Price,
  type Quantity,
  type Ratio,
} from '../../core/fixed/fixed.js';
import {
  amountFromBig,
  bankruptcyValueOf,
  cappedMaintenanceRate,
  collateralOf,
  feeOf,
  initialMarginOf,
  liquidationPriceOf,
  liquidationTriggerOf,
  maintenanceMarginOf,
} from './margin.js';

const price = (text: string): Price => fixedFromText(text);
const quantity = (text: string): Quantity => fixedFromText(text);
const ratio = (text: string): Ratio => fixedFromText(text);
const TAKER = ratio('0.00059');
const ONE = ratio('1');

/** Rounds to the places of the printed sample. */
const rounded = (scaled: bigint, places: number): string =>
  (Number(textFromFixed(amountFromBig(scaled))) + 0).toFixed(places);

describe('the SOMI sample: 43.8 at 0.11442, 5x, INR at 96 per USDT, maintenance 1.5%', () => {
  const size = quantity('43.8');
  const cost = ProductSum.of(price('0.11442'), size);
  const leverage = ratio('5');
  const hedgeRate = ratio('96');
  const collateral = collateralOf(cost, leverage);
  const terms = {
    cost,
    quantity: size,
    longSign: 1,
    maintenanceRate: ratio('0.015'),
  } as const;
  const inUsdt = (inr: string): ProductSum =>
    collateralOf(ProductSum.of(price(inr), ratio('1')), hedgeRate);

  it('the locked margin is 96.4497', () => {
    const margin = initialMarginOf({
      value: cost.exact,
      longSign: 1,
      leverage,
      takerFeeRate: TAKER,
      hedgeRate,
    });
    expect(rounded(margin, 4)).toBe('96.4497');
  });

  it('the opening fee leaves 18.1993 of 114.9329 free, to one unit of the last place', () => {
    const fee = feeOf(cost.exact, TAKER, hedgeRate);
    expect(rounded(fee, 4)).toBe('0.2839');
    // 114.9329 − 18.1993 − 96.4497 = 0.2839
    expect((114.9329 - 18.1993 - 96.4497).toFixed(4)).toBe('0.2839');
  });

  it('the maintenance margin is 7.44', () => {
    const margin = maintenanceMarginOf({
      quantity: size,
      mark: price('0.1144'),
      maintenanceRate: terms.maintenanceRate,
      bankruptcyValue: bankruptcyValueOf(cost, collateral, 1),
      takerFeeRate: TAKER,
      hedgeRate,
    });
    expect(rounded(margin, 2)).toBe('7.44');
  });

  it('the liquidation price is 0.0929299, printed 0.09293', () => {
    const step = price('0.00001');
    expect(textFromFixed(liquidationPriceOf({ ...terms, collateral }, step))).toBe('0.09293');
    const exact = liquidationPriceOf({ ...terms, collateral }, price('0.0000001'));
    expect(textFromFixed(exact)).toBe('0.0929299');
  });

  it('the liquidation price is 0.092809 after adding 0.5 INR, printed 0.09281', () => {
    const more = { ...terms, collateral: collateral.plus(inUsdt('0.5')) };
    expect(textFromFixed(liquidationPriceOf(more, price('0.000001')))).toBe('0.092809');
    expect(textFromFixed(liquidationPriceOf(more, price('0.00001')))).toBe('0.09281');
  });

  it('the liquidation price is 0.0926885 after adding 1 INR instead', () => {
    const more = { ...terms, collateral: collateral.plus(inUsdt('1')) };
    expect(textFromFixed(liquidationPriceOf(more, price('0.0000001')))).toBe('0.0926885');
  });
});

describe('the APT sample: 68.86 at 0.6075, 3x, USDT, maintenance 1%', () => {
  const size = quantity('68.86');
  const cost = ProductSum.of(price('0.6075'), size);
  const leverage = ratio('3');
  const collateral = collateralOf(cost, leverage);
  const maintenanceRate = ratio('0.01');

  it('the locked margin is 13.96060', () => {
    const margin = initialMarginOf({
      value: cost.exact,
      longSign: 1,
      leverage,
      takerFeeRate: TAKER,
      hedgeRate: ONE,
    });
    expect(rounded(margin, 5)).toBe('13.96060');
  });

  it('the maintenance margin is 0.43471', () => {
    const margin = maintenanceMarginOf({
      quantity: size,
      mark: price('0.6074'),
      maintenanceRate,
      bankruptcyValue: bankruptcyValueOf(cost, collateral, 1),
      takerFeeRate: TAKER,
      hedgeRate: ONE,
    });
    expect(rounded(margin, 5)).toBe('0.43471');
  });

  it('the liquidation price is 0.40909, printed 0.4091', () => {
    const terms = {
      cost,
      collateral,
      quantity: size,
      longSign: 1,
      maintenanceRate,
    } as const;
    expect(textFromFixed(liquidationPriceOf(terms, price('0.0001')))).toBe('0.4091');
    expect(textFromFixed(liquidationPriceOf(terms, price('0.00001')))).toBe('0.40909');
  });
});

describe('the XRP sample: 1.2171 at 100x', () => {
  it('a liquidated long closes at its bankruptcy price 1.204929 and loses its collateral', () => {
    const size = quantity('10');
    const cost = ProductSum.of(price('1.2171'), size);
    const collateral = collateralOf(cost, ratio('100'));
    const value = bankruptcyValueOf(cost, collateral, 1);
    expect(textFromFixed(value.average(size))).toBe('1.204929');
    expect(value.minus(cost).exact).toBe(-collateral.exact);
  });
});

describe('the liquidation trigger', () => {
  const position = fc.record({
    price: fc.integer({ min: 1_000, max: 10_000_000_000_000 }),
    size: fc.integer({ min: 1_000, max: 100_000_000_000 }),
    leverage: fc.integer({ min: 1, max: 100 }),
    rate: fc.integer({ min: 0, max: 5_000_000 }),
    longSign: fc.constantFrom(1 as const, -1 as const),
  });

  it('the trigger is the last price of the 1e-8 grid at which the exact fraction liquidates', () => {
    fc.assert(
      fc.property(position, (sample) => {
        const { longSign } = sample;
        const size = sample.size as Quantity;
        const cost = ProductSum.of(sample.price as Price, size);
        const collateral = collateralOf(cost, ratio(sample.leverage.toString()));
        const maintenanceRate = sample.rate as Ratio;
        const terms = {
          cost,
          collateral,
          quantity: size,
          longSign,
          maintenanceRate,
        };
        const found = liquidationTriggerOf(terms, price('0.1'));
        const grid = fitsEightPlaces(found) ? UNITS_PER_SCALED : 1n;
        const trigger = unitsOf(found);
        const value = bankruptcyValueOf(cost, collateral, longSign).exact * ONE_IN_UNITS;
        const kept = ONE_IN_UNITS - BigInt(longSign) * unitsOf(maintenanceRate);
        const worth = (at: bigint): bigint => at * unitsOf(size) * kept;
        if (longSign === 1) {
          expect(worth(trigger) <= value && worth(trigger + grid) > value).toBe(true);
        } else {
          expect(worth(trigger) >= value && worth(trigger - grid) < value).toBe(true);
        }
      }),
    );
  });

  it('a long at 1x has no trigger, since its value is all collateral', () => {
    const cost = ProductSum.of(price('100'), quantity('1'));
    const collateral = collateralOf(cost, ONE);
    const terms = {
      cost,
      collateral,
      quantity: quantity('1'),
      longSign: 1,
    } as const;
    expect(liquidationTriggerOf({ ...terms, maintenanceRate: ratio('0.01') }, price('0.1'))).toBe(
      0,
    );
  });
});

describe('the maintenance rate', () => {
  const capped = (listed: string, leverage: string): string => {
    const cost = ProductSum.of(price('60000'), quantity('0.01'));
    const opened = collateralOf(cost, ratio(leverage));
    return textFromFixed(cappedMaintenanceRate(ratio(listed), opened, cost));
  };

  it.each([
    ['0.01', '100', '0.005'],
    ['0.01', '75', '0.00666667'],
    ['0.01', '50', '0.01'],
    ['0.01', '49.99', '0.01'],
    ['0.015', '5', '0.015'],
    ['0.005', '100', '0.005'],
  ])(
    'a listed rate of %s at %sx becomes %s, at most half of the initial margin',
    (listed, leverage, applied) => {
      expect(capped(listed, leverage)).toBe(applied);
    },
  );

  it('the cap is exact next to the listed rate, at any cost and leverage', () => {
    const position = fc.record({
      price: fc.integer({ min: 1_000, max: 10_000_000_000_000 }),
      size: fc.integer({ min: 1_000, max: 100_000_000_000 }),
      leverage: fc.integer({ min: 50_000_000, max: 20_000_000_000 }),
      distance: fc.integer({ min: -3, max: 3 }),
    });
    fc.assert(
      fc.property(position, ({ price: paid, size, leverage, distance }) => {
        const cost = ProductSum.of(paid as Price, size as Quantity);
        const opened = collateralOf(cost, leverage as Ratio);
        const half = divideHalfEvenBig(opened.exact * 100_000_000n, 2n * cost.exact);
        const listed = Math.max(0, Number(half) + distance);
        expect(cappedMaintenanceRate(listed as Ratio, opened, cost)).toBe(
          Math.min(Number(half), listed),
        );
      }),
    );
  });

  /** Binance FAQ b3c689c1f50a44cabb3a84e663b81d93, and freqtrade's test cases of the same form. */
  const PUBLISHED = [
    [-1, '2', '0.01', '1', '10', '0.01', '11.89108911', '0.00000001'],
    [-1, '3.33333333', '0.01', '1', '10', '0.01', '13.21122112', '0.00000001'],
    [-1, '1.6', '0.01', '1', '8', '0.01', '9.51485149', '0.00000001'],
    [-1, '1.2', '0.01', '0.6', '10', '0.01', '11.89768977', '0.00000001'],
    [1, '2', '0.01', '1', '10', '0.01', '8.07070707', '0.00000001'],
    [1, '1.6', '0.01', '1', '8', '0.01', '6.45454545', '0.00000001'],
    [1, '3.33333333', '0.01', '1', '10', '0.01', '6.72390573', '0.00000001'],
    [1, '1.2', '0.01', '0.6', '10', '0.01', '8.06397306', '0.00000001'],
    [1, '1535443.01', '135365', '3683.979', '1456.84', '0.1', '1114.78', '0.01'],
    [1, '1535443.01', '16300', '109.488', '32481.98', '0.025', '18778.73', '0.01'],
  ] as const;

  it.each(PUBLISHED)(
    'published liquidation prices stay unchanged: side %s, wallet %s + %s, %s at %s, %s → %s',
    (longSign, wallet, cum, size, entry, rate, printed, step) => {
      const cost = ProductSum.of(price(entry), quantity(size));
      const dollars = (text: string): ProductSum => ProductSum.of(price(text), ONE);
      const opened = dollars(wallet);
      const maintenanceRate = cappedMaintenanceRate(ratio(rate), opened, cost);
      expect(textFromFixed(maintenanceRate)).toBe(rate);
      const collateral = opened.plus(dollars(cum));
      const terms = { cost, collateral, quantity: quantity(size), longSign, maintenanceRate };
      expect(textFromFixed(liquidationPriceOf(terms, price(step)))).toBe(printed);
    },
  );
});
