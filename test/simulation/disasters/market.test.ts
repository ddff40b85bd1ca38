import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DisasterWorld } from './disaster-world.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAD = fileURLToPath(new URL('../../fixtures/mad-trader.ts', import.meta.url));

describe('a flash crash of 30 % in 10 s', () => {
  it('the stops at the venue close both positions, and nothing is bought in the fall', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const { entries } = disaster;
    const before = disaster.symbols.map((symbol) => disaster.price(symbol));
    for (let second = 1; second <= 10; second += 1) {
      for (const [index, symbol] of disaster.symbols.entries())
        await disaster.setPrice(symbol, (before[index] ?? 0) * (1 - 0.03 * second));
      await disaster.run(1_000);
    }
    expect(disaster.symbols.map((symbol) => disaster.position(symbol))).toEqual([0, 0]);
    await disaster.run(120_000);
    expect(disaster.entries).toBe(entries);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});

describe('a feed that is frozen for 10 min', () => {
  it('no entry leaves, the stop stays, and the bot goes on by itself', async () => {
    const disaster = await DisasterWorld.holding();
    const { entries } = disaster;
    disaster.process.passes = () => false;
    await disaster.run(600_000);
    expect(disaster.entries).toBe(entries);
    expect(disaster.isGuarded).toBe(true);
    disaster.process.passes = () => true;
    await disaster.until(() => disaster.lines(/market data is up/).length > 0, 120_000);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});

describe('a strategy gone mad', () => {
  it('for 20 candles: position, orders and notional stay within their limits', async () => {
    const disaster = await DisasterWorld.started({ strategy: MAD, notional: 150 });
    for (let minute = 0; minute < 20; minute += 1) {
      await disaster.run(60_000);
      disaster.expectWithinLimits();
      const open = disaster.world.ownOrders().filter(({ endedAt }) => endedAt === undefined);
      expect(open.length).toBeLessThanOrEqual(12);
    }
    expect(disaster.world.ownOrders().length).toBeGreaterThan(3);
    await disaster.expectCleanReturn();
  });
});

describe('a wall clock that jumps by a day', () => {
  it.each([
    ['forward', DAY_MS],
    ['back', -DAY_MS],
  ])('%s: nothing is traded because of it, and the position keeps its stop', async (_, ms) => {
    const disaster = await DisasterWorld.holding();
    const { entries } = disaster;
    const held = disaster.position('BTCUSDT');
    disaster.world.clockErrorMs = ms;
    await disaster.run(300_000);
    expect(disaster.entries).toBe(entries);
    expect(disaster.position('BTCUSDT')).toBe(held);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});

describe('a process that is asleep for an hour', () => {
  it('wakes up, reads everything again, and trades on no candle of the past', async () => {
    const disaster = await DisasterWorld.holding();
    const { entries } = disaster;
    disaster.process.sleep();
    await disaster.run(HOUR_MS);
    // Meanwhile the stop fires.
    await disaster.setPrice('BTCUSDT', disaster.price('BTCUSDT') * 0.9);
    await disaster.run(1_000);
    disaster.process.wake();
    await disaster.run(120_000);
    expect(disaster.position('BTCUSDT')).toBe(0);
    expect(disaster.entries).toBe(entries);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});
