import { describe, expect, it } from 'vitest';
import { positionRow } from '../../../test/harness/position-row.js';
import { d } from '../../../test/harness/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import { Baseline, type BaselineFacts } from './baseline.js';

const HELD = { symbol: 'BTCUSDT', currency: 'USDT', quantity: d<'quantity'>('1') } as const;
const QUIET: BaselineFacts = {
  changedAt: Number.NEGATIVE_INFINITY,
  lookedSince: () => true,
  expected: [],
};
const read = (startedAt: number, positions: readonly PositionReport[]) => ({
  positions,
  startedAt,
  answeredAt: startedAt + 50,
});

describe('the first picture of the positions', () => {
  it('is believed when a second read repeats it', () => {
    const baseline = new Baseline();
    expect(baseline.accepts(read(0, [positionRow('1')]), QUIET)).toBe(false);
    expect(baseline.accepts(read(300, [positionRow('1')]), QUIET)).toBe(true);
  });

  it('is not believed after a blip', () => {
    const baseline = new Baseline();
    expect(baseline.accepts(read(0, []), QUIET)).toBe(false);
    expect(baseline.accepts(read(300, [positionRow('1')]), QUIET)).toBe(false);
    expect(baseline.accepts(read(600, []), QUIET)).toBe(false);
    expect(baseline.accepts(read(900, [positionRow('1')]), QUIET)).toBe(false);
    expect(baseline.accepts(read(1_200, [positionRow('1')]), QUIET)).toBe(true);
  });

  it('waits for a look at every open order between the two reads', () => {
    const baseline = new Baseline();
    let lookedAt = 0;
    const facts = { ...QUIET, lookedSince: (since: number) => lookedAt >= since };
    expect(baseline.accepts(read(100, [positionRow('1')]), facts)).toBe(false);
    expect(baseline.accepts(read(400, [positionRow('1')]), facts)).toBe(false);
    lookedAt = 160;
    expect(baseline.accepts(read(700, [positionRow('1')]), facts)).toBe(true);
  });

  it('begins anew when a fill is learnt between the reads', () => {
    const baseline = new Baseline();
    expect(baseline.accepts(read(0, [positionRow('1')]), QUIET)).toBe(false);
    const filled = { ...QUIET, changedAt: 200 };
    expect(baseline.accepts(read(300, [positionRow('1')]), filled)).toBe(false);
    expect(baseline.accepts(read(600, [positionRow('1')]), filled)).toBe(true);
  });

  it('that lacks what the journal holds must be repeated for five seconds', () => {
    const baseline = new Baseline();
    const facts = { ...QUIET, expected: [HELD] };
    for (const at of [0, 2_000, 4_000]) expect(baseline.accepts(read(at, []), facts)).toBe(false);
    expect(baseline.accepts(read(5_000, []), facts)).toBe(true);
  });

  it('that has another quantity than the journal is not in question', () => {
    const baseline = new Baseline();
    const facts = { ...QUIET, expected: [HELD] };
    baseline.accepts(read(0, [positionRow('2')]), facts);
    expect(baseline.accepts(read(300, [positionRow('2')]), facts)).toBe(true);
  });
});
