import { candlesFromCloses, simulate } from 'sluice/testing';
import { describe, expect, it } from 'vitest';
import strategy from './stream-momentum.js';

const params = { lookback: 2, enterPct: 5 };
const run = (closes: readonly number[]) =>
  simulate({ strategy, candles: candlesFromCloses(closes), params });

describe('stream-momentum', () => {
  it('enters beyond the threshold and leaves when the change has turned round', () => {
    const { positions } = run([100, 100, 100, 110, 110, 111, 109, 109, 109]);
    expect(positions).toEqual([0, 0, 0, 0, 1, 1, 1, 0, 0]);
  });

  it('goes short on a fall', () => {
    expect(run([100, 100, 100, 90, 89]).positions).toEqual([0, 0, 0, 0, -1]);
  });

  it('does nothing within the threshold', () => {
    expect(run([100, 101, 103, 104, 103, 101, 100]).intents).toEqual([]);
  });

  it('turns straight from long to short', () => {
    const { positions } = run([100, 100, 100, 110, 110, 95, 80, 80]);
    expect(positions).toEqual([0, 0, 0, 0, 1, 1, -1, -1]);
  });

  it('keeps symbols apart', () => {
    const { positionsOf } = simulate({
      strategy,
      candles: {
        BTCUSDT: candlesFromCloses([100, 100, 100, 110, 111]),
        ETHUSDT: candlesFromCloses([100, 100, 100, 90, 89]),
      },
      params,
    });
    expect([positionsOf('BTCUSDT').at(-1), positionsOf('ETHUSDT').at(-1)]).toEqual([1, -1]);
  });
});
