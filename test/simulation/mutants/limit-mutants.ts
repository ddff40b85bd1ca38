import type { Mutant } from './mutant.js';

const REPEATS = 'src/risk/controls/duplicate-and-open-orders.test.ts';

/** Limits that hold too much, or too little. */
export const LIMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an order at another price is a repeat',
    in: 'RecentIntents.msSinceSame',
    find: 'other.price === price &&',
    replace: '',
    hazard: 'P5',
    scenario: REPEATS,
  },
  {
    name: 'a marketable order at another price is none',
    in: 'restingPrice',
    find: 'isPast(price, referencePrice) ? undefined : price',
    replace: 'price',
    hazard: 'P5',
    scenario: REPEATS,
  },
  {
    name: 'a target that waits in a backtest is forgotten',
    in: 'CandleDispatcher.#onOwn',
    find: 'tracker.retryPostponed()',
    replace: 'void 0',
    hazard: 'P5',
    scenario: 'src/strategy/target/target-tracker.test.ts',
  },
  {
    name: 'failed reads are no errors of the venue',
    in: 'CircuitBreakers.onPollFailed',
    find: 'this.#errors.add(this.#parts.stamp.monotonic)',
    replace: '0',
    hazard: 'P5',
    scenario: 'src/engine/watch/circuit-breakers.test.ts',
  },
  {
    name: 'a size forgets the exposure of other symbols',
    in: 'accountHeadrooms',
    find: 'left(bounds.gross, others.gross)',
    replace: 'left(bounds.gross, 0)',
    hazard: 'P5',
    scenario: 'src/risk/headroom.test.ts',
  },
];
