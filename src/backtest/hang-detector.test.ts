import { describe, expect, it } from 'vitest';
import { unwatchedHeartbeat, PHASE, HEARTBEAT_CELL, type Heartbeat } from './heartbeat.js';
import { HangDetector } from './hang-detector.js';

const LOOK_MS = 50;

function detectorRig(budgetMs: number) {
  const pulse: Heartbeat = unwatchedHeartbeat();
  const detector = new HangDetector(pulse, budgetMs, LOOK_MS);
  let [realMs, cpuMs] = [0, 0];
  pulse[HEARTBEAT_CELL.phase] = PHASE.run;
  const check = (real: number, cpu: number) =>
    detector.check({ realMs: (realMs += real), cpuMs: (cpuMs += cpu) });
  return {
    pulse,
    check,
    checkTimes(count: number, real: number, cpu: number) {
      let found: ReturnType<HangDetector['check']>;
      for (let at = 0; at < count; at++) found ??= check(real, cpu);
      return found;
    },
  };
}

describe('HangDetector', () => {
  it('the detector reports a candle that computed for the whole budget', () => {
    const { checkTimes, check } = detectorRig(1_000);
    expect(checkTimes.call({ look: check }, 20, LOOK_MS, LOOK_MS)).toBeUndefined();
    expect(check(LOOK_MS, LOOK_MS)).toBe('computed');
  });

  it('the budget restarts with each candle and each phase', () => {
    const { pulse, check } = detectorRig(1_000);
    for (let candle = 1; candle < 100; candle++) {
      pulse[HEARTBEAT_CELL.candles] = candle;
      expect(check(LOOK_MS, LOOK_MS)).toBeUndefined();
      for (let at = 0; at < 19; at++) expect(check(LOOK_MS, LOOK_MS)).toBeUndefined();
    }
    pulse[HEARTBEAT_CELL.phase] = PHASE.make;
    expect(check(LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('the time of our own code is not counted', () => {
    const { pulse, checkTimes, check } = detectorRig(1_000);
    pulse[HEARTBEAT_CELL.phase] = PHASE.own;
    expect(checkTimes.call({ look: check }, 1_000, LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('a suspended process counts for at most two intervals', () => {
    const { check } = detectorRig(1_000);
    check(LOOK_MS, LOOK_MS);
    expect(check(3_600_000, 0)).toBeUndefined();
    expect(check(LOOK_MS, LOOK_MS)).toBeUndefined();
  });

  it('CPU time of the garbage collector is not counted', () => {
    const { checkTimes, check } = detectorRig(1_000);
    expect(checkTimes.call({ look: check }, 20, LOOK_MS, 4 * LOOK_MS)).toBeUndefined();
  });

  it('a waiting strategy gets ten times the budget', () => {
    const { checkTimes, check } = detectorRig(1_000);
    expect(checkTimes.call({ look: check }, 200, LOOK_MS, 1)).toBeUndefined();
    expect(check(LOOK_MS, 1)).toBe('waited');
  });
});
