import { describe, expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import { Lanes } from './lanes.js';

const BTC = 'BTCUSDT/USDT';
const [a, b, c] = [{}, {}, {}];

describe('a lane', () => {
  it('has one change on the wire, and other lanes their own', () => {
    const lanes = new Lanes();
    expect(lanes.enter(BTC, a, true)).toBe(true);
    expect(lanes.enter(BTC, b, true)).toBe(false);
    expect(lanes.enter(BTC, b, false)).toBe(false);
    expect(lanes.enter('BTCUSDT/INR', b, true)).toBe(true);
    lanes.leave(BTC);
    expect(lanes.enter(BTC, b, true)).toBe(true);
  });

  it('lets who waits ask again when it is free, once', () => {
    const lanes = new Lanes();
    const asked: string[] = [];
    lanes.enter(BTC, a, true);
    lanes.whenFree(BTC, b, true, () => asked.push('b'));
    lanes.whenFree(BTC, c, true, () => asked.push('c'));
    expect(asked).toEqual([]);
    lanes.leave(BTC);
    expect(asked, 'one at a time: a grant that finds the lane taken is lost').toEqual(['b']);
    lanes.enter(BTC, b, true);
    lanes.leave(BTC);
    expect(asked).toEqual(['b', 'c']);
    lanes.enter(BTC, c, true);
    lanes.leave(BTC);
    expect(asked).toEqual(['b', 'c']);
  });

  it('wakes the next when the first will not enter, and what protects beside it', () => {
    const lanes = new Lanes();
    const asked: string[] = [];
    lanes.enter(BTC, {}, true);
    lanes.whenFree(BTC, a, true, () => asked.push('a'));
    lanes.whenFree(BTC, b, true, () => asked.push('b'));
    lanes.whenFree(BTC, c, false, () => asked.push('c'));
    lanes.leave(BTC);
    expect(asked).toEqual(['a', 'c']);
    lanes.pass(BTC);
    expect(asked).toEqual(['a', 'c', 'b']);
  });

  it('that is free asks at once', () => {
    const asked: string[] = [];
    new Lanes().whenFree(BTC, a, true, () => asked.push('a'));
    expect(asked).toEqual(['a']);
  });

  it('that is held lets its holder and what need not be calm pass, and wakes the rest at its end', () => {
    const lanes = new Lanes();
    const asked: string[] = [];
    expect(lanes.hold(BTC, a)).toBe(true);
    expect(lanes.hold(BTC, b)).toBe(false);
    expect(lanes.enter(BTC, a, true)).toBe(true);
    lanes.leave(BTC);
    expect(lanes.enter(BTC, b, false)).toBe(true);
    lanes.leave(BTC);
    lanes.whenFree(BTC, c, true, () => asked.push('c'));
    lanes.release(BTC, b);
    expect([lanes.isHeld(BTC), asked]).toEqual([true, []]);
    lanes.release(BTC, a);
    expect([lanes.isHeld(BTC), asked]).toEqual([false, ['c']]);
  });

  it('is left by who has entered it', () => {
    expect(() => {
      new Lanes().leave(BTC);
    }).toThrow(AssertionError);
  });
});
