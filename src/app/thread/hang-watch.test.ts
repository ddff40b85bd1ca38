import { describe, expect, it } from 'vitest';
import { noPulse, PHASE, PULSE, type Pulse } from '../../backtest/pulse.js';
import { HangWatch } from './hang-watch.js';

const LOOK_MS = 50;

function watched(budgetMs: number) {
  const pulse: Pulse = noPulse();
  const watch = new HangWatch(pulse, budgetMs, LOOK_MS);
  let [realMs, cpuMs] = [0, 0];
  pulse[PULSE.phase] = PHASE.run;
  return {
    pulse,
    look: (real: number, cpu: number) =>
      watch.look({ realMs: (realMs += real), cpuMs: (cpuMs += cpu) }),
    looks(count: number, real: number, cpu: number) {
      let found: ReturnType<HangWatch['look']>;
      for (let at = 0; at < count; at++) found ??= this.look(real, cpu);
      return found;
    },
  };
}

describe('the watch over a strategy', () => {
  it('ends what has computed for the whole budget at one candle', () => {
    const { looks, look } = watched(1_000);
    expect(looks.call({ look }, 20, LOOK_MS, LOOK_MS)).toBeUndefined();
    expect(look(LOOK_MS, LOOK_MS)).toBe('computed');
  });

  it('begins anew with each candle and each phase', () => {
    const { pulse, look } = watched(1_000);
    for (let candle = 1; candle < 100; candle++) {
      pulse[PULSE.candles] = candle;
      expect(look(LOOK_MS, LOOK_MS)).toBeUndefined();
      for (let at = 0; at < 19; at++) expect(look(LOOK_MS, LOOK_MS)).toBeUndefined();
    }
    pulse[PULSE.phase] = PHASE.make;
    expect(look(LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('counts no time in which our own code works, however long that takes', () => {
    const { pulse, looks, look } = watched(1_000);
    pulse[PULSE.phase] = PHASE.own;
    expect(looks.call({ look }, 1_000, LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('counts one look when the whole process stood still between two', () => {
    const { look } = watched(1_000);
    look(LOOK_MS, LOOK_MS);
    expect(look(3_600_000, 0)).toBeUndefined();
    expect(look(LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('counts what one thread can compute, not what a collector computes beside it', () => {
    const { looks, look } = watched(1_000);
    expect(looks.call({ look }, 20, LOOK_MS, 4 * LOOK_MS)).toBeUndefined();
  });

  it('gives ten times the budget to what waits, on a busy machine or for something', () => {
    const { looks, look } = watched(1_000);
    expect(looks.call({ look }, 200, LOOK_MS, 1)).toBeUndefined();
    expect(look(LOOK_MS, 1)).toBe('waited');
  });
});
