import fc from 'fast-check';
import { CURRENCIES } from '../../src/core/currency.js';
import type { Price, Quantity, Ratio } from '../../src/core/fixed/fixed.js';
import type { OrderTerms } from '../../src/core/order.js';
import { ASSUMPTIONS, type Assumptions } from '../../src/exchange/assumptions.js';
import {
  SYMBOLS,
  type Choice,
  type Command,
  type Part,
  type ExchangeScenario,
} from './commands.js';
import { scaledOf } from '../support/builders/scaled.js';

const units = (count: number): number => count * 100_000_000;
const symbol = fc.constantFrom(...SYMBOLS);
const currency = fc.constantFrom(...CURRENCIES);
/** Absent once in `freq` draws. */
const optional = <T>(value: fc.Arbitrary<T>, freq: number): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq });
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** Removes undefined members: the exchange expects absent ones. */
const compact = <T>(draw: object): T =>
  Object.fromEntries(Object.entries(draw).filter(([, value]) => value !== undefined)) as T;

/** A price on the step of 0.1, mostly near the market. */
const price: fc.Arbitrary<Price> = fc
  .oneof(
    { weight: 5, arbitrary: fc.integer({ min: 960, max: 1_040 }) },
    { weight: 1, arbitrary: fc.integer({ min: 700, max: 1_300 }) },
  )
  .map((tenths) => (tenths * 10_000_000) as Price);
/** A market price: any multiple of 1e-8. */
const rough: fc.Arbitrary<Price> = fc
  .oneof(
    { weight: 5, arbitrary: fc.integer({ min: 9_600_000_001, max: 10_400_000_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 7_000_000_001, max: 13_000_000_000 }) },
  )
  .map((scaled) => scaled as Price);
/** Distance from a price in steps of 0.1. Below 0 is the wrong side. */
const distance = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 1, arbitrary: fc.integer({ min: -50, max: 900 }) },
);
/** Mostly a valid size; sometimes off the step, 0, or beyond all limits. */
const size: fc.Arbitrary<Quantity> = fc
  .oneof(
    { weight: 14, arbitrary: fc.integer({ min: 50, max: 9_000 }).map((steps) => steps * 100_000) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(0, -100_000, 150_050, units(200), units(1_600), units(900_000)),
    },
  )
  .map((scaled) => scaled as Quantity);
const leverage: fc.Arbitrary<Ratio> = fc
  .constantFrom(units(1), units(2.5), units(10), units(50), units(100), units(0.5), 333_300_000)
  .map((scaled) => scaled as Ratio);
const id = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 99 }).map((number) => `id-${number}`) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'A', 'x y', '', 'z'.repeat(65)) },
);
const choice: fc.Arbitrary<Choice> = fc.record({
  among: fc.oneof(
    { weight: 8, arbitrary: fc.constant('live' as const) },
    { weight: 2, arbitrary: fc.constant('all' as const) },
    { weight: 1, arbitrary: fc.constant('nothing' as const) },
  ),
  nth: fc.nat({ max: 60 }),
});

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ tenths: fc.integer({ min: 1, max: 10 }) }) },
  { weight: 1, arbitrary: fc.record({ quantity: size }) },
);

const terms: fc.Arbitrary<OrderTerms> = fc
  .record({
    symbol: fc.oneof(
      { weight: 30, arbitrary: symbol },
      { weight: 1, arbitrary: fc.constant('NOUSDT') },
    ),
    currency,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('market' as const, 'limit' as const),
    quantity: size,
    price: optional(price, 12),
    reduceOnly: fc.constantFrom(false, false, false, true),
    stopLoss: optional(distance, 2),
    takeProfit: optional(distance, 2),
  })
  .map((draw) => {
    const { price: limit = units(100), side, stopLoss, takeProfit } = draw;
    const sign = side === 'buy' ? 1 : -1;
    const triggerAt = (steps: number | undefined): number | undefined =>
      steps === undefined ? undefined : scaledOf(limit) + steps * sign * 10_000_000;
    const stop = stopLoss === undefined ? undefined : triggerAt(-stopLoss);
    return compact<OrderTerms>({ ...draw, stopLoss: stop, takeProfit: triggerAt(takeProfit) });
  });

const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);

/** Weight and arbitrary of each command. */
const DRAWS: readonly (readonly [number, fc.Arbitrary<object>])[] = [
  [7, fc.record({ kind: kind('place'), terms, id: optional(id, 2), leverage: rarely(leverage) })],
  [5, fc.record({ kind: kind('settle') })],
  [1, fc.record({ kind: fc.constantFrom('cancel', 'cancel', 'refuse'), order: choice })],
  [1, fc.record({ kind: kind('amend'), order: choice, price, quantity: size })],
  [1, fc.record({ kind: kind('fill-part'), order: choice, part })],
  [
    1,
    fc.record({
      kind: kind('protect'),
      position: choice,
      stopLoss: optional(distance, 2),
      takeProfit: optional(distance, 2),
      id: optional(id, 2),
    }),
  ],
  [
    1,
    fc.record({
      kind: kind('move-protection'),
      position: choice,
      stopLoss: optional(distance, 2),
      takeProfit: optional(distance, 2),
      wrong: fc.constantFrom(false, false, false, true),
    }),
  ],
  [
    2,
    fc.record({
      kind: kind('margin'),
      position: choice,
      percent: fc.integer({ min: -40, max: 60 }),
    }),
  ],
  [
    1,
    fc.record({
      kind: kind('close-part'),
      position: choice,
      type: fc.constantFrom('market' as const, 'limit' as const),
      part,
      price: optional(price, 4),
      id: optional(id, 2),
    }),
  ],
  [1, fc.record({ kind: fc.constantFrom('close', 'reverse'), position: choice })],
  [
    1,
    fc.record({
      kind: kind('transfer'),
      currency,
      direction: fc.constantFrom('deposit', 'withdraw'),
      amount: fc.oneof(
        { weight: 1, arbitrary: fc.integer({ min: 1, max: units(120) }) },
        { weight: 1, arbitrary: fc.constantFrom(0, -1, units(1_000_000)) },
        { weight: 3, arbitrary: fc.record({ tenths: fc.constantFrom(1, 9, 10, 10, 11) }) },
      ),
    }),
  ],
  [1, fc.record({ kind: kind('leverage'), symbol, currency, leverage })],
  [
    1,
    fc.record({
      kind: kind('hedge-rate'),
      rate: fc.integer({ min: 8_000_000_000, max: 12_000_000_000 }),
    }),
  ],
  [
    0.5,
    fc.record({
      kind: kind('lock'),
      symbol,
      on: fc.constantFrom(true, false, false, false),
      currency: optional(currency, 2),
    }),
  ],
  [
    0.5,
    fc.record({ kind: kind('delisting'), symbol, on: fc.constantFrom(true, false, false, false) }),
  ],
  [
    1,
    fc.record({
      kind: kind('time'),
      advanceMs: fc.constantFrom(0, 1, 999, 60_000, 3_600_000, 28_800_000, 90_000_000),
    }),
  ],
  [2, fc.record({ kind: kind('to-settlement'), plusMs: fc.constantFrom(0, 0, 1) })],
  [
    4,
    fc.record({ kind: fc.constantFrom('jump', 'sweep'), symbol, last: rough, mark: rarely(rough) }),
  ],
  [
    2,
    fc.record({
      kind: kind('candle'),
      symbol,
      path: fc.constantFrom('pessimistic', 'nearest', 'optimistic'),
      ohlc: fc.array(
        fc.oneof(
          { weight: 5, arbitrary: fc.integer({ min: 960, max: 1_040 }) },
          { weight: 1, arbitrary: fc.integer({ min: 700, max: 1_300 }) },
        ),
        { minLength: 4, maxLength: 4 },
      ),
    }),
  ],
];

const command: fc.Arbitrary<Command> = fc
  .oneof(...DRAWS.map(([share, arbitrary]) => ({ weight: share * 2, arbitrary })))
  .map((draw) => compact<Command>(draw));

const other: fc.Arbitrary<Partial<Assumptions>> = fc
  .tuple(fc.subarray([...ASSUMPTIONS]), fc.boolean())
  .map(([rows, isBacktest]) => ({
    ...Object.fromEntries(rows.map((row) => [row.field, row.other])),
    ...(isBacktest && { fundingShortfall: 'margin-then-balance' as const }),
  }));

export const scenarioArbitrary: fc.Arbitrary<ExchangeScenario> = fc.record({
  other,
  slippageBps: fc.constantFrom(0, 2.5, 30),
  limitFill: fc.constantFrom('through' as const, 'touch' as const),
  rich: fc.constantFrom(true, true, false),
  leverage: fc
    .constantFrom(units(3), units(10), units(10), units(100))
    .map((scaled) => scaled as Ratio),
  fundingRates: fc
    .array(fc.integer({ min: -6_000_000, max: 6_000_000 }), { minLength: 1, maxLength: 3 })
    .map((rates) => rates as Ratio[]),
  commands: fc.array(command, { minLength: 5, maxLength: 60, size: 'max' }),
});
