import { describe, expect, it } from 'vitest';
import { DisasterWorld } from './disaster-world.js';

const STOPS = 'POST /futures/positions/*/riskorder';
const MOVED = 'reject(Order type not supported for this endpoint)';

/** The stops of every position are gone, and the venue refuses others. */
async function refuseStops(disaster: DisasterWorld, fault = MOVED): Promise<number> {
  await disaster.world.setFaults([
    { on: STOPS, fault },
    { on: 'GET /futures/positions', fault: 'manual_op(unprotect)', count: 1 },
  ]);
  const from = disaster.now;
  await disaster.until(() => disaster.symbols.every((each) => !disaster.hasStop(each)), 5_000);
  return from;
}

describe('a stop endpoint that refuses on one symbol', () => {
  it('for 1 s: the stop stands again within 15 s and the position stays', async () => {
    const disaster = await DisasterWorld.holding();
    const held = disaster.position('BTCUSDT');
    const from = await refuseStops(disaster);
    await disaster.run(1_000);
    await disaster.world.setFaults([]);
    await disaster.until(() => disaster.hasStop('BTCUSDT'), 15_000);
    expect(disaster.now - from).toBeLessThan(15_000);
    expect(disaster.position('BTCUSDT')).toBe(held);
    await disaster.expectCleanReturn();
  });

  it('for ever: the stop is tried twice, then the position closes within 15 s', async () => {
    const disaster = await DisasterWorld.holding();
    const from = await refuseStops(disaster);
    await disaster.until(() => disaster.position('BTCUSDT') === 0, 15_000);
    expect(disaster.lines(/its stop is built again/, from)).toHaveLength(1);
    expect(
      disaster.lines(/its position is closed: the venue refused its stop twice/, from),
    ).toHaveLength(1);
    await disaster.expectCleanReturn();
  });

  it('with a lock for 10 s: the stop is retried, and the position stays', async () => {
    const disaster = await DisasterWorld.holding();
    const held = disaster.position('BTCUSDT');
    const from = await refuseStops(disaster, '423');
    await disaster.run(8_000);
    await disaster.world.setFaults([]);
    await disaster.until(() => disaster.hasStop('BTCUSDT'), 8_000);
    expect(disaster.now - from).toBeLessThan(17_000);
    expect(disaster.position('BTCUSDT')).toBe(held);
    await disaster.expectCleanReturn();
  });
});

describe('a stop endpoint that refuses on two symbols', () => {
  it('for 1 s: both stops stand again, and no alarm is raised', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const from = await refuseStops(disaster);
    await disaster.run(1_000);
    await disaster.world.setFaults([]);
    await disaster.until(() => disaster.isGuarded, 15_000);
    expect(disaster.symbols.every((symbol) => disaster.position(symbol) !== 0)).toBe(true);
    expect(disaster.now - from).toBeLessThan(15_000);
    await disaster.expectCleanReturn();
  });

  it('for 60 s: entries stop and a person is alarmed; no position closes; the stops return', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const held = disaster.symbols.map((symbol) => disaster.position(symbol));
    const from = await refuseStops(disaster);
    await disaster.until(() => disaster.mode === 'REDUCE_ONLY', 10_000);
    const [alarm] = disaster.lines(
      /the venue refuses stops of several symbols: .*not supported.*Positions without/,
      from,
    );
    expect(alarm?.message).toMatch(/Positions without a stop: BTCUSDT .*stop at .*, ETHUSDT/);
    await disaster.run(from + 60_000 - disaster.now);
    await disaster.world.setFaults([]);
    await disaster.until(() => disaster.isGuarded, 10_000);
    expect(disaster.symbols.map((symbol) => disaster.position(symbol))).toEqual(held);
    // Self-clearing: two clean reconciliations and 60 s.
    await disaster.until(() => disaster.mode === 'TRADING', 90_000);
    expect(disaster.lines(/no position misses its stop any more/, from)).toHaveLength(1);
    await disaster.expectCleanReturn();
  });

  it('for ever: both positions close after 150 s, and entries stay stopped for a person', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const from = await refuseStops(disaster);
    await disaster.run(140_000);
    expect(disaster.symbols.every((symbol) => disaster.position(symbol) !== 0)).toBe(true);
    await disaster.until(
      () => disaster.symbols.every((each) => disaster.position(each) === 0),
      20_000,
    );
    const { entries } = disaster;
    await disaster.run(300_000);
    expect(disaster.mode).toBe('REDUCE_ONLY');
    expect(disaster.entries).toBe(entries);
    expect(disaster.lines(/restricted \(REDUCE_ONLY\) by R18/, from)).toHaveLength(2);
    expect(disaster.alarms(from).length).toBeLessThan(20);
    await disaster.expectCleanReturn();
  });

  it('while the market falls through a stop: that position closes at once, the other one stays', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    await refuseStops(disaster);
    await disaster.until(() => disaster.mode === 'REDUCE_ONLY', 10_000);
    await disaster.setPrice('BTCUSDT', disaster.price('BTCUSDT') * 0.9);
    const fell = disaster.now;
    await disaster.until(() => disaster.position('BTCUSDT') === 0, 10_000);
    expect(disaster.now - fell).toBeLessThan(5_000);
    expect(disaster.position('ETHUSDT')).not.toBe(0);
    await disaster.world.setFaults([]);
    await disaster.until(() => disaster.isGuarded, 15_000);
    await disaster.expectCleanReturn();
  });
});
