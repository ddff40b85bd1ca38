import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentIntents } from '../../src/risk/recent-intents.js';
import { collectEvidence, type Evidence } from '../../src/risk/evidence.js';
import { factsOf } from '../support/builders/risk-case.js';
import { scaledOf } from '../support/builders/scaled.js';
import {
  bookArbitrary,
  exposureOf,
  intentArbitrary,
  intentIn,
  landingOf,
  landingsOf,
  startsOf,
  waiting,
  type Book,
  type BookIntent,
} from './exposure-book.js';
import { EVENTS, LandingExchange } from './landing-exchange.js';
import { reachOf, type Reach } from './landing-model.js';
import { LIMIT, LimitWalk, walkArbitrary } from './limit-walk.js';

/** For more: `SLUICE_RUNS=100000 npx vitest run test/property/exposure-oracle.test.ts`. */
const RUNS = Number(process.env['SLUICE_RUNS'] ?? 10_000);
const SEED = Number(process.env['SLUICE_SEED'] ?? 20_250_505);

const NONE_BEFORE = new RecentIntents();

/** The worst case of the gate, in whole base units. */
const boundOf = ({ minPosition, maxPosition }: Evidence): Reach => ({
  lowest: scaledOf(minPosition) / 1e8,
  highest: scaledOf(maxPosition) / 1e8,
});

/** The intent is not in the book yet. */
const decided = (book: Book, intent: BookIntent): Reach =>
  boundOf(
    collectEvidence(
      intentIn(intent),
      { ...factsOf(), exposure: exposureOf(book) },
      'decide',
      NONE_BEFORE,
    ),
  );

/** The intent waits for its permit: it is the newest order of the book. */
const permitted = (book: Book, intent: BookIntent): Reach => {
  const exposure = exposureOf({ ...book, orders: [...book.orders, waiting(intent)] });
  return boundOf(
    collectEvidence(intentIn(intent), { ...factsOf(), exposure }, 'send', NONE_BEFORE),
  );
};

const covers = (bound: Reach, real: Reach): boolean =>
  bound.highest >= real.highest && bound.lowest <= real.lowest;

describe('the worst case of the gate', () => {
  it(
    `is never below the worst real one, in ${RUNS} books with every subset and order of landings`,
    () => {
      const tally = { books: 0, exact: 0, excess: 0 };
      fc.assert(
        fc.property(bookArbitrary, intentArbitrary, (book, intent) => {
          const real = reachOf(startsOf(book), [...landingsOf(book), landingOf(intent)]);
          const bound = { decide: decided(book, intent), send: permitted(book, intent) };
          if (!covers(bound.decide, real) || !covers(bound.send, real))
            expect.fail(`${JSON.stringify(bound)} of ${JSON.stringify(real)}`);
          const { highest, lowest } = bound.send;
          const excess = highest - real.highest + (real.lowest - lowest);
          tally.books += 1;
          tally.exact += excess === 0 ? 1 : 0;
          tally.excess += excess;
        }),
        { numRuns: RUNS, seed: SEED },
      );
      const exact = ((100 * tally.exact) / tally.books).toFixed(1);
      const mean = (tally.excess / tally.books).toFixed(2);
      process.stdout.write(`exact for ${exact} % of the books, ${mean} units above on average\n`);
    },
    60_000 + RUNS * 5,
  );

  it('is never below a position of the simulated exchange, whatever lands there and when', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(bookArbitrary, intentArbitrary, fc.nat(), (book, intent, seed) => {
        const mine: Book = { ...book, reported: undefined };
        const bound = decided(mine, intent);
        const venue = new LandingExchange(mine.position, [...landingsOf(mine), landingOf(intent)]);
        for (const what of venue.play(seed)) {
          const { position } = venue;
          if (position > bound.highest || position < bound.lowest)
            expect.fail(`${what} leads to ${position}, beyond ${JSON.stringify(bound)}`);
          reached.add(what);
        }
      }),
      { numRuns: RUNS / 20, seed: SEED },
    );
    expect([...reached].sort()).toEqual(EVENTS);
  });

  it('lets no book grow beyond its limit, whatever was approved, filled, canceled and closed', () => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(walkArbitrary, (steps) => {
        const walk = new LimitWalk();
        for (const step of steps) {
          const outcome = walk.take(step);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          const { lowest, highest } = walk.reach();
          if (highest > LIMIT || lowest < -LIMIT)
            expect.fail(`${lowest} to ${highest} after ${outcome}, limit ${LIMIT}`);
        }
      }),
      { numRuns: RUNS / 5, seed: SEED },
    );
    for (const outcome of ['approved', 'refused by R12', 'filled', 'canceled', 'closed'])
      expect(outcomes.get(outcome), outcome).toBeGreaterThan(100);
  });
});
