import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './bollinger-reversion.js';

const STILL = [100, 102, 100, 102];
const params = { length: 4, deviations: 1.5 };
const run = (closes: readonly number[], protect = {}) =>
  simulate({ strategy, candles: candlesFromCloses(closes), params, protect });

describe('bollinger-reversion', () => {
  it('buys below the lower band and leaves at the average', () => {
    const { positions } = run([...STILL, 80, 82, 95, 96, 96]);
    expect(positions).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0]);
  });

  it('sells above the upper band and leaves at the average', () => {
    const { positions } = run([...STILL, 120, 118, 105, 105, 105]);
    expect(positions).toEqual([0, 0, 0, 0, 0, -1, -1, 0, 0]);
  });

  it('does nothing inside of the bands, nor in a market that stands still', () => {
    expect(run([...STILL, 101, 102, 101]).orders).toEqual([]);
    expect(run(Array<number>(20).fill(100)).orders).toEqual([]);
  });

  it('waits for the average after a stop, and does not buy the same fall again', () => {
    const { fills } = run([...STILL, 80, 80, 70, 60, 50], { stop_loss_pct: 5 });
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
  });

  it('says what it saw', () => {
    expect(run([...STILL, 80]).explanations).toEqual([
      expect.stringMatching(/^80 is below the lower band of \d+\.\d\d$/),
    ]);
  });
});
