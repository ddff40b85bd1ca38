import { describe, expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import { SymbolLocks } from './symbol-locks.js';

const BTC = 'BTCUSDT/USDT';
const [a, b, c] = [{}, {}, {}];

describe('symbol lock', () => {
  it('a symbol has one change in flight, and each symbol its own lock', () => {
    const lanes = new SymbolLocks();
    expect(lanes.tryStartRequest(BTC, a, true)).toBe(true);
    expect(lanes.tryStartRequest(BTC, b, true)).toBe(false);
    expect(lanes.tryStartRequest(BTC, b, false)).toBe(false);
    expect(lanes.tryStartRequest('BTCUSDT/INR', b, true)).toBe(true);
    lanes.finishRequest(BTC);
    expect(lanes.tryStartRequest(BTC, b, true)).toBe(true);
  });

  it('a waiting requester is woken once when the lock is free', () => {
    const lanes = new SymbolLocks();
    const asked: string[] = [];
    lanes.tryStartRequest(BTC, a, true);
    lanes.whenFree(BTC, b, true, () => asked.push('b'));
    lanes.whenFree(BTC, c, true, () => asked.push('c'));
    expect(asked).toEqual([]);
    lanes.finishRequest(BTC);
    expect(asked, 'one at a time: a grant that finds the lane taken is lost').toEqual(['b']);
    lanes.tryStartRequest(BTC, b, true);
    lanes.finishRequest(BTC);
    expect(asked).toEqual(['b', 'c']);
    lanes.tryStartRequest(BTC, c, true);
    lanes.finishRequest(BTC);
    expect(asked).toEqual(['b', 'c']);
  });

  it('the next requester is woken when the first gives up, and protective ones beside it', () => {
    const lanes = new SymbolLocks();
    const asked: string[] = [];
    lanes.tryStartRequest(BTC, {}, true);
    lanes.whenFree(BTC, a, true, () => asked.push('a'));
    lanes.whenFree(BTC, b, true, () => asked.push('b'));
    lanes.whenFree(BTC, c, false, () => asked.push('c'));
    lanes.finishRequest(BTC);
    expect(asked).toEqual(['a', 'c']);
    lanes.wakeNext(BTC);
    expect(asked).toEqual(['a', 'c', 'b']);
  });

  it('a requester of a free lock is woken at once', () => {
    const asked: string[] = [];
    new SymbolLocks().whenFree(BTC, a, true, () => asked.push('a'));
    expect(asked).toEqual(['a']);
  });

  it('a reserved lock lets its owner and non-exclusive requests pass, and wakes the rest at its release', () => {
    const lanes = new SymbolLocks();
    const asked: string[] = [];
    expect(lanes.tryReserve(BTC, a)).toBe(true);
    expect(lanes.tryReserve(BTC, b)).toBe(false);
    expect(lanes.tryStartRequest(BTC, a, true)).toBe(true);
    lanes.finishRequest(BTC);
    expect(lanes.tryStartRequest(BTC, b, false)).toBe(true);
    lanes.finishRequest(BTC);
    lanes.whenFree(BTC, c, true, () => asked.push('c'));
    lanes.release(BTC, b);
    expect([lanes.isReserved(BTC), asked]).toEqual([true, []]);
    lanes.release(BTC, a);
    expect([lanes.isReserved(BTC), asked]).toEqual([false, ['c']]);
  });

  it('a lock that was not taken cannot be finished', () => {
    expect(() => {
      new SymbolLocks().finishRequest(BTC);
    }).toThrow(AssertionError);
  });
});
