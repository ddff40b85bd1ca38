import { candlesFrom, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './opening-range.js';

const params = { opensAt: 0, range: 2, leaveAfter: 8 };
const startMs = Date.UTC(2025, 0, 1);
/** A day before it warms the strategy up. */
const DAY = 1_440;
const run = (closes: readonly number[], more: object = {}) => {
  const candles = candlesFrom(
    [...Array<number>(DAY).fill(100), ...closes].map((close) => ({ close })),
    { startMs },
  );
  const { positions, explanations } = simulate({
    strategy,
    candles,
    params: { ...params, ...more },
  });
  return { positions: positions.slice(DAY), explanations };
};

describe('opening-range', () => {
  it('follows a close above the range, and leaves when the session ends', () => {
    const { positions, explanations } = run([100, 102, 101, 103, 104, 104, 104, 104, 104]);
    expect(positions).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 0]);
    expect(explanations).toEqual(['103 is outside of the opening range 100 … 102']);
  });

  it('follows a close below it', () => {
    expect(run([100, 98, 97, 97]).positions).toEqual([0, 0, 0, -1]);
  });

  it('takes one break a session', () => {
    const { explanations } = run([100, 102, 103, 97, 103, 97]);
    expect(explanations).toHaveLength(1);
  });

  it('does nothing within the range, nor on its edge', () => {
    expect(run([100, 102, 102, 100, 101]).explanations).toEqual([]);
  });

  it('opens when it is told to', () => {
    const { positions } = run([100, 100, 100, 102, 101, 103, 103], { opensAt: 2 });
    expect(positions).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it('says that a range longer than the session cannot be', () => {
    expect(() => run([100], { range: 8 })).toThrow(/range: range must be below leaveAfter/);
  });
});
