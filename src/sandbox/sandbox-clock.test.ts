import { describe, expect, test } from 'vitest';
import { ManualTime } from '../../test/support/fakes/manual-ports.js';
import { createSandboxClock, parseClockMode, type ClockMode } from './sandbox-clock.js';

const START = Date.UTC(2025, 4, 5);
const clockOf = (clock: ClockMode, held = false) => {
  const time = new ManualTime();
  return { time, venue: createSandboxClock({ clock, startMs: START, held }, time) };
};

describe('the venue clock', () => {
  test.each([
    ['real', { kind: 'real' }],
    ['manual', { kind: 'manual' }],
    ['fast:60', { kind: 'fast', factor: 60 }],
    ['fast:2.5', { kind: 'fast', factor: 2.5 }],
  ])('the text %s is parsed', (text, mode) => {
    expect(parseClockMode(text)).toEqual(mode);
  });

  test.each(['', 'fast', 'fast:0', 'fast:-1', 'fast:1e3', 'fast:1000000', 'slow'])(
    'the text "%s" is refused',
    (text) => {
      expect(() => parseClockMode(text)).toThrow(
        `clock "${text}" is not one of real, manual or fast:N`,
      );
    },
  );

  test('a change of the speed keeps the time, and counts from then on', async () => {
    const { time, venue } = clockOf({ kind: 'real' });
    await time.advance(1_000);
    venue.setMode({ kind: 'fast', factor: 60 });
    expect([venue.now(), venue.rate()]).toEqual([START + 1_000, 60]);
    await time.advance(1_000);
    venue.setMode({ kind: 'manual' });
    await time.advance(1_000);
    expect([venue.now(), venue.rate()]).toEqual([START + 61_000, 0]);
    venue.setMode({ kind: 'real' });
    await time.advance(500);
    expect([venue.now(), venue.rate()]).toEqual([START + 61_500, 1]);
  });

  test('a change of the speed of a held clock waits for its release', async () => {
    const { time, venue } = clockOf({ kind: 'real' }, true);
    venue.setMode({ kind: 'fast', factor: 10 });
    await time.advance(1_000);
    expect([venue.now(), venue.rate()]).toEqual([START, 0]);
    venue.release();
    await time.advance(1_000);
    expect(venue.now()).toBe(START + 10_000);
  });

  test('venue time runs with real time, N times as fast, or not at all', async () => {
    for (const [mode, passedMs, rate] of [
      [{ kind: 'real' }, 1_500, 1],
      [{ kind: 'fast', factor: 60 }, 90_000, 60],
      [{ kind: 'manual' }, 0, 0],
    ] as const) {
      const { time, venue } = clockOf(mode);
      await time.advance(1_500);
      expect([venue.now(), venue.rate()]).toEqual([START + passedMs, rate]);
    }
  });

  test('venue time starts at real time by default', () => {
    const time = new ManualTime(1_234_567);
    expect(createSandboxClock({}, time).now()).toBe(1_234_567);
  });

  test('venue time stays while held and continues from there', async () => {
    const { time, venue } = clockOf({ kind: 'fast', factor: 60 }, true);
    await time.advance(5_000);
    expect([venue.now(), venue.rate(), venue.realMsUntil(START + 1)]).toEqual([
      START,
      0,
      undefined,
    ]);
    venue.release();
    await time.advance(1_000);
    expect(venue.now()).toBe(START + 60_000);
    venue.hold();
    await time.advance(1_000);
    expect(venue.now()).toBe(START + 60_000);
  });

  test('the clock returns the real time until a venue time', () => {
    const { venue } = clockOf({ kind: 'fast', factor: 60 });
    expect(venue.realMsUntil(START + 60_000)).toBe(1_000);
    expect(venue.realMsUntil(START - 1)).toBe(0);
  });

  test('only a manual clock can be advanced', () => {
    const { venue } = clockOf({ kind: 'manual' });
    expect(venue.advance(60_000)).toBe(true);
    expect(venue.now()).toBe(START + 60_000);
    expect(clockOf({ kind: 'real' }).venue.advance(1)).toBe(false);
  });
});
