import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  negate,
  sign,
  absolute,
  subtract,
  fixedFromText,
  fixed,
  numberFromFixed,
  type Price,
  type Quantity,
} from '../../../core/fixed/fixed.js';
import { testInstrument } from '../../../testing/instrument.js';
import { nextLeg, type Leg, type TargetFacts } from './next-leg.js';
import { scaledOf } from '../../../../test/support/builders/scaled.js';

const quantity = (text: string): Quantity => fixedFromText<'quantity'>(text);

/** Steps of 0.001, at least 0.002 and 5 USDT, at most 10 a market order. */
const instrument = testInstrument({
  quantityStep: quantity('0.001'),
  minQuantity: quantity('0.002'),
  maxMarketQuantity: quantity('10'),
  minNotional: fixedFromText('5'),
});

const factsOf = (
  desired: string,
  position: string,
  changes: Partial<TargetFacts> = {},
): TargetFacts => ({
  desired: quantity(desired),
  position: quantity(position),
  hasOrderInFlight: false,
  instrument,
  referencePrice: fixedFromText<'price'>('1000'),
  maxOpenQuantity: instrument.maxMarketQuantity,
  ...changes,
});

const textOf = (leg: Leg): string =>
  leg.kind === 'nothing'
    ? 'nothing'
    : leg.kind === 'wait'
      ? `wait ${leg.reason}`
      : `${leg.kind} ${leg.side} ${numberFromFixed(leg.quantity)}`;

describe('nextLeg', () => {
  it.each([
    ['is there already', '1', '1', 'nothing'],
    ['is flat and wants to be', '0', '0', 'nothing'],
    ['opens long from flat', '1', '0', 'open buy 1'],
    ['opens short from flat', '-1', '0', 'open sell 1'],
    ['increases a long by what is missing', '3', '1', 'open buy 2'],
    ['increases a short by what is missing', '-3', '-1', 'open sell 2'],
    ['decreases a long', '1', '3', 'reduce sell 2'],
    ['decreases a short', '-1', '-3', 'reduce buy 2'],
    ['closes a long', '0', '3', 'reduce sell 3'],
    ['closes a short', '0', '-3', 'reduce buy 3'],
    ['reverses a long by closing all of it first', '-1', '2', 'reduce sell 2'],
    ['reverses a short by closing all of it first', '2', '-1', 'reduce buy 1'],
    ['waits with an increase below the minimum quantity', '0.001', '0', 'wait below-minimum'],
    ['waits with an increase below the minimum notional', '0.004', '0', 'wait below-minimum'],
    ['opens at exactly the minimum notional', '0.005', '0', 'open buy 0.005'],
    ['waits with a small addition', '1.001', '1', 'wait below-minimum'],
    ['closes all when less than the minimum would be left', '0.004', '1', 'reduce sell 1'],
    ['leaves exactly the minimum', '0.005', '1', 'reduce sell 0.995'],
    [
      'waits with a decrease that is no order, enough being left',
      '0.999',
      '1',
      'wait below-minimum',
    ],
    ['closes a position that is itself below the minimum', '0', '0.001', 'reduce sell 0.001'],
    ['cuts an increase at the bound of a market order', '25', '0', 'open buy 10'],
    ['cuts a decrease at the bound of a market order', '0', '-25', 'reduce buy 10'],
    ['cuts shorter so that the rest is an order', '10.001', '0', 'open buy 9.996'],
    ['cuts a close shorter so that the rest is an order', '0', '10.003', 'reduce sell 9.998'],
  ])('%s', (_, desired, position, expected) => {
    expect(textOf(nextLeg(factsOf(desired, position)))).toBe(expected);
  });

  it('every target waits while one of its orders is in flight', () => {
    expect(nextLeg(factsOf('1', '1', { hasOrderInFlight: true }))).toEqual({
      kind: 'wait',
      reason: 'in-flight',
    });
    expect(nextLeg(factsOf('-1', '1', { hasOrderInFlight: true }))).toEqual({
      kind: 'wait',
      reason: 'in-flight',
    });
  });

  it('an increase is bounded by its order type, and a reduction by the market maximum', () => {
    const wide = { maxOpenQuantity: quantity('100') };
    expect(textOf(nextLeg(factsOf('25', '0', wide)))).toBe('open buy 25');
    expect(textOf(nextLeg(factsOf('0', '25', wide)))).toBe('reduce sell 10');
  });

  describe('for any instrument, position and target', () => {
    const steps = fc.integer({ min: -60, max: 60 });
    const worlds = fc.record({
      desired: steps,
      position: steps,
      minSteps: fc.integer({ min: 1, max: 5 }),
      // As with every listed instrument, the largest order is well above twice the smallest.
      maxSteps: fc.integer({ min: 16, max: 40 }),
      minNotional: fc.integer({ min: 0, max: 8 }),
      price: fc.integer({ min: 1, max: 40 }),
    });
    type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
    const STEP = 100_000;

    const factsOfWorld = ({ desired, position, minSteps, maxSteps, minNotional, price }: World) => {
      const rules = testInstrument({
        quantityStep: fixed<'quantity'>(STEP),
        minQuantity: fixed<'quantity'>(minSteps * STEP),
        maxMarketQuantity: fixed<'quantity'>(maxSteps * STEP),
        minNotional: fixed(minNotional * 100 * STEP),
      });
      return {
        desired: fixed<'quantity'>(desired * STEP),
        position: fixed<'quantity'>(position * STEP),
        hasOrderInFlight: false,
        instrument: rules,
        referencePrice: fixedFromText<'price'>(String(price * 100)) as Price,
        maxOpenQuantity: rules.maxMarketQuantity,
      };
    };

    const after = (position: Quantity, leg: Leg): Quantity =>
      leg.kind === 'open' || leg.kind === 'reduce'
        ? add(position, leg.side === 'buy' ? leg.quantity : negate(leg.quantity))
        : position;

    it('an increase never exceeds the target, and a reduction never flips the position', () => {
      fc.assert(
        fc.property(worlds, (world) => {
          const facts = factsOfWorld(world);
          const leg = nextLeg(facts);
          const next = after(facts.position, leg);
          if (leg.kind === 'open') {
            expect(sign(next)).toBe(sign(facts.desired));
            expect(absolute(next)).toBeLessThanOrEqual(absolute(facts.desired));
            expect(absolute(next)).toBeGreaterThan(absolute(facts.position));
          }
          if (leg.kind === 'reduce') {
            expect(scaledOf(next) * scaledOf(facts.position)).toBeGreaterThanOrEqual(0);
            expect(absolute(next)).toBeLessThan(absolute(facts.position));
          }
        }),
      );
    });

    it('a leg is a multiple of the step within the venue’s bounds', () => {
      fc.assert(
        fc.property(worlds, (world) => {
          const facts = factsOfWorld(world);
          const leg = nextLeg(facts);
          if (leg.kind !== 'open' && leg.kind !== 'reduce') return;
          expect(leg.quantity).toBeGreaterThan(0);
          expect(scaledOf(leg.quantity) % STEP).toBe(0);
          expect(leg.quantity).toBeLessThanOrEqual(facts.instrument.maxMarketQuantity);
          if (leg.kind === 'open')
            expect(leg.quantity).toBeGreaterThanOrEqual(facts.instrument.minQuantity);
        }),
      );
    });

    it('finitely many legs reach the target, or less than one minimum order from it', () => {
      fc.assert(
        fc.property(worlds, (world) => {
          let facts = factsOfWorld(world);
          let legs = 0;
          for (let leg = nextLeg(facts); legs < 200; leg = nextLeg(facts), legs++) {
            if (leg.kind === 'nothing' || leg.kind === 'wait') break;
            facts = { ...facts, position: after(facts.position, leg) };
          }
          expect(legs).toBeLessThan(60);
          const { minQuantity, minNotional } = facts.instrument;
          const missing = absolute(subtract(facts.desired, facts.position));
          const notional = (scaledOf(missing) / 1e8) * scaledOf(facts.referencePrice);
          expect(missing < minQuantity || notional < minNotional || missing === 0).toBe(true);
        }),
      );
    });
  });
});

describe('an order of unknown outcome', () => {
  const facts = {
    hasOrderInFlight: false,
    hasAbandonedOrder: true,
    instrument: testInstrument(),
    referencePrice: fixedFromText<'price'>('100'),
    maxOpenQuantity: testInstrument().maxMarketQuantity,
  };
  const of = (text: string) => fixedFromText<'quantity'>(text);

  it('no leg opens while an order of unknown outcome may land', () => {
    const leg = nextLeg({ ...facts, desired: of('2'), position: of('0') });
    expect(leg).toEqual({ kind: 'wait', reason: 'in-flight' });
  });

  it('a position can be closed, and a reversal stops half-way', () => {
    const exit = nextLeg({ ...facts, desired: of('-1'), position: of('2') });
    expect(exit).toMatchObject({ kind: 'reduce', side: 'sell', quantity: of('2') });
    const after = nextLeg({ ...facts, desired: of('-1'), position: of('0') });
    expect(after).toEqual({ kind: 'wait', reason: 'in-flight' });
  });
});
