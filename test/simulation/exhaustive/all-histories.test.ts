import { describe, expect, it } from 'vitest';
import { allHistories, firstHistoryFailure } from './all-histories.js';
import { enumerate, type HistoryError } from './choices.js';
import { SHORT_SCOPE } from './scope.js';

describe('histories of submitting one order', () => {
  it('every property holds with one crash and any replies, losses, landings and lags', () => {
    const census = allHistories(SHORT_SCOPE);
    expect(census.first).toBeUndefined();
    expect(census).toEqual({
      histories: 84_504,
      violations: 0,
      endings: {
        filled: 39_521,
        canceled: 27_758,
        // Withdrawn: a harmless order has its id.
        fenced: 7_480,
        // An external order had the id.
        verifying: 1_264,
        burned: 8_437,
        rejected: 28,
        dropped: 15,
        'never written': 1,
      },
      mostRequests: 34,
    });
  }, 300_000);

  it('every property holds on random walks with more crashes, cancels, partial fills and lagging reads', () => {
    expect(firstHistoryFailure(2_000)).toBeUndefined();
  }, 300_000);
});

describe('enumeration', () => {
  it('an enumeration visits each leaf of the tree once', () => {
    const leaves: string[] = [];
    const count = enumerate(
      (choices) => {
        const first = choices.choose(3, 'first');
        const second = first === 1 ? choices.choose(2, 'second') : 0;
        leaves.push(`${first}${second}${choices.rarely(9, 'third') ? '+' : ''}`);
      },
      (error) => {
        throw error;
      },
    );
    expect(leaves).toEqual(['00', '00+', '10', '10+', '11', '11+', '20', '20+']);
    expect(count).toBe(leaves.length);
  });

  it('an enumeration continues after a history that breaks, and reports its path', () => {
    const broken: HistoryError[] = [];
    const count = enumerate(
      (choices) => {
        if (choices.choose(3, 'way') === 1) throw new Error('broken');
      },
      (error) => broken.push(error),
    );
    expect(count).toBe(3);
    expect(broken.map(({ message, path }) => [message, path])).toEqual([['broken', ['way 1/3']]]);
  });
});
