import { describe, expect, it } from 'vitest';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import { InitialPositions, type InitialPositionsContext } from './initial-positions.js';

const HELD = { symbol: 'BTCUSDT', currency: 'USDT', quantity: d<'quantity'>('1') } as const;
const QUIET: InitialPositionsContext = {
  changedAt: Number.NEGATIVE_INFINITY,
  readSince: () => true,
  expected: [],
};
const read = (startedAt: number, positions: readonly PositionReport[]) => ({
  positions,
  startedAt,
  answeredAt: startedAt + 50,
});

describe('the first snapshot of the positions', () => {
  it('a snapshot is accepted when a second read repeats it', () => {
    const initialPositions = new InitialPositions();
    expect(initialPositions.accepts(read(0, [positionRow('1')]), QUIET)).toBe(false);
    expect(initialPositions.accepts(read(300, [positionRow('1')]), QUIET)).toBe(true);
  });

  it('a snapshot is not accepted after a transient gap', () => {
    const initialPositions = new InitialPositions();
    expect(initialPositions.accepts(read(0, []), QUIET)).toBe(false);
    expect(initialPositions.accepts(read(300, [positionRow('1')]), QUIET)).toBe(false);
    expect(initialPositions.accepts(read(600, []), QUIET)).toBe(false);
    expect(initialPositions.accepts(read(900, [positionRow('1')]), QUIET)).toBe(false);
    expect(initialPositions.accepts(read(1_200, [positionRow('1')]), QUIET)).toBe(true);
  });

  it('acceptance needs a query of every open order between the two reads', () => {
    const initialPositions = new InitialPositions();
    let lastReadAt = 0;
    const facts = { ...QUIET, readSince: (since: number) => lastReadAt >= since };
    expect(initialPositions.accepts(read(100, [positionRow('1')]), facts)).toBe(false);
    expect(initialPositions.accepts(read(400, [positionRow('1')]), facts)).toBe(false);
    lastReadAt = 160;
    expect(initialPositions.accepts(read(700, [positionRow('1')]), facts)).toBe(true);
  });

  it('a fill between the reads restarts the comparison', () => {
    const initialPositions = new InitialPositions();
    expect(initialPositions.accepts(read(0, [positionRow('1')]), QUIET)).toBe(false);
    const filled = { ...QUIET, changedAt: 200 };
    expect(initialPositions.accepts(read(300, [positionRow('1')]), filled)).toBe(false);
    expect(initialPositions.accepts(read(600, [positionRow('1')]), filled)).toBe(true);
  });

  it('a snapshot without a journaled position must repeat for five seconds', () => {
    const initialPositions = new InitialPositions();
    const facts = { ...QUIET, expected: [HELD] };
    for (const at of [0, 2_000, 4_000])
      expect(initialPositions.accepts(read(at, []), facts)).toBe(false);
    expect(initialPositions.accepts(read(5_000, []), facts)).toBe(true);
  });

  it('a snapshot with another quantity than the journal needs no further repetition', () => {
    const initialPositions = new InitialPositions();
    const facts = { ...QUIET, expected: [HELD] };
    initialPositions.accepts(read(0, [positionRow('2')]), facts);
    expect(initialPositions.accepts(read(300, [positionRow('2')]), facts)).toBe(true);
  });
});
