import { describe, expect, it } from 'vitest';
import { killPermits, modeOf, permits, restrictionOfKill, stricter } from './mode.js';

describe('modes', () => {
  it('a phase before trading hides every restriction, because it lets no exit leave', () => {
    expect(modeOf('starting', 'HALTED')).toBe('STARTING');
    expect(modeOf('reconciling', 'TRADING')).toBe('RECONCILING');
    for (const mode of ['TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY', 'HALTED'] as const)
      expect(modeOf('ready', mode)).toBe(mode);
  });

  it('the stricter of two modes applies', () => {
    expect(stricter('RECONCILING', 'STARTING')).toBe('RECONCILING');
    const order = ['TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY', 'HALTED', 'RECONCILING'] as const;
    for (const [place, safer] of order.entries()) {
      for (const freer of order.slice(0, place)) {
        expect(stricter(freer, safer)).toBe(safer);
        expect(stricter(safer, freer)).toBe(safer);
      }
    }
  });

  it.each([
    ['TRADING', 'everything'],
    ['REDUCE_ONLY', 'exits'],
    ['CANCEL_ONLY', 'exits'],
    ['HALTED', 'exits'],
    ['STARTING', 'nothing'],
    ['RECONCILING', 'nothing'],
  ] as const)('mode %s allows %s', (mode, out) => {
    expect(permits(mode, false)).toBe(out === 'everything');
    expect(permits(mode, true)).toBe(out !== 'nothing');
  });
});

describe('the kill switch', () => {
  it.each([
    [undefined, true, true],
    ['pause', false, true],
    ['flatten', false, true],
    ['cancel', false, false],
  ] as const)('level %s allows entries: %s, exits: %s', (level, entries, exits) => {
    expect([killPermits(level, false), killPermits(level, true)]).toEqual([entries, exits]);
  });

  it('each level requires a mode without entries', () => {
    for (const level of ['pause', 'cancel', 'flatten'] as const)
      expect(permits(restrictionOfKill(level), false)).toBe(false);
    expect(restrictionOfKill('cancel')).toBe('CANCEL_ONLY');
  });
});
