import { describe, expect, it } from 'vitest';
import { judgeNakedPosition, type NakedPosition } from './naked-position.js';

const naked = (fields: Partial<NakedPosition> = {}): NakedPosition => ({
  nakedMs: 0,
  maxNakedMs: 15_000,
  refusals: 0,
  isPricePassed: false,
  isOutage: false,
  ...fields,
});

describe('R18, a position without its stop', () => {
  it.each<[string, Partial<NakedPosition>, string]>([
    ['just inside the time gets a stop', { nakedMs: 14_999 }, 'set'],
    ['at the time is closed', { nakedMs: 15_000 }, 'close'],
    ['just outside the time is closed', { nakedMs: 15_001 }, 'close'],
    ['with one refusal gets a rebuilt stop', { refusals: 1 }, 'rebuild'],
    ['with two refusals is closed', { refusals: 2 }, 'close'],
    ['with a passed price is closed', { isPricePassed: true }, 'close'],
    ['without a fresh price gets a stop', { isPricePassed: undefined }, 'set'],
    [
      'without a fresh price is closed in time',
      { isPricePassed: undefined, nakedMs: 15_000 },
      'close',
    ],
  ])('%s', (_, fields, kind) => {
    expect(judgeNakedPosition(naked(fields)).kind).toBe(kind);
  });
});

describe('R18, while the venue refuses the stops of several symbols', () => {
  it.each<[string, Partial<NakedPosition>, string]>([
    ['two refusals close nothing', { refusals: 2 }, 'set'],
    ['the price is watched for ten times as long', { refusals: 9, nakedMs: 149_999 }, 'set'],
    ['the position is closed at ten times the limit', { refusals: 9, nakedMs: 150_000 }, 'close'],
    ['a passed price closes at once', { refusals: 2, isPricePassed: true }, 'close'],
    [
      'an unknown price leaves the ordinary time',
      { isPricePassed: undefined, nakedMs: 14_999 },
      'set',
    ],
    [
      'an unknown price closes in the ordinary time',
      { isPricePassed: undefined, nakedMs: 15_000 },
      'close',
    ],
  ])('%s', (_, fields, kind) => {
    expect(judgeNakedPosition(naked({ ...fields, isOutage: true })).kind).toBe(kind);
  });
});
