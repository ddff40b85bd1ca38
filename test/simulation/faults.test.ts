import { describe, expect, it } from 'vitest';
import { summarise } from '../../src/live/summary/run-summary.js';
import type { Bot } from '../../src/live/bot/bot.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { replayOf } from '../support/rigs/replay-world.js';

const PLACE = 'POST /fapi/v2/futures/order';
/** The faults that lose, double or delay orders in bots that take a time-out for a failure. */
const FAULTS = [
  { on: PLACE, fault: 'resp_lost', probability: 0.2 },
  { on: PLACE, fault: '500_after', probability: 0.15 },
  { on: PLACE, fault: '423(2)', probability: 0.1 },
  { on: PLACE, fault: '429(3)', probability: 0.1 },
] as const;

async function checkInvariants(world: BotWorld, bot: Bot): Promise<void> {
  const ids = world.ownOrders().map((order) => order.clientOrderId);
  expect(new Set(ids).size, 'no duplicate').toBe(ids.length);
  const intents = (await world.journal()).flatMap((record) =>
    record.type === 'intent' ? [record.clientOrderId] : [],
  );
  for (const id of ids) expect(intents, 'no order without an intent').toContain(id);
  await expectFaultsApplied(world);
  for (const order of world.ownOrders()) {
    const ours = bot.engine.ledger.byClientOrderId(order.clientOrderId ?? '');
    expect(ours?.state, 'no lost order').toBe(order.status);
    expect(ours?.filledQuantity).toBe(order.filledQuantity);
  }
  const summary = summarise(bot.engine, 0, '');
  expect(summary.unknown).toBe(0);
  expect(summary.reconciled).toBe(true);
  for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
    expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(world.venuePosition(symbol));
  }
}

/** A test of faults that never strike proves nothing. */
async function expectFaultsApplied(world: BotWorld): Promise<void> {
  const outcomes = (await world.journal()).filter((record) => record.type === 'outcome');
  const seen = new Set(
    outcomes.map(({ outcome, status }) => `${outcome} ${status ?? 'no answer'}`),
  );
  for (const applied of ['unknown no answer', 'unknown 500', 'no 423', 'no 429']) {
    expect(seen).toContain(applied);
  }
}

describe('with answers lost, 500 after the fact, 423 and 429 on place', () => {
  it('two venue hours under a manual clock leave no duplicate, no lost order, no unknown', async () => {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'manual' } },
      faults: [...FAULTS],
    });
    const bot = await world.start();
    for (let second = 0; second < 7_200; second += 1) {
      world.sandbox.advance(1_000);
      await world.time.run(100);
    }
    await world.setFaults([]);
    await world.time.run(60_000);
    await world.stop(bot);
    expect(bot.engine.counts.ordersFilled).toBeGreaterThan(20);
    await checkInvariants(world, bot);
    expect((await replayOf(world)).identical).toBe(true);
  }, 120_000);

  it('an hour under the real clock leaves none either, on another market', async () => {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'real' } },
      faults: [...FAULTS],
      seed: 7,
    });
    const bot = await world.start();
    await world.time.run(60 * 60_000);
    await world.setFaults([]);
    await world.time.run(30_000);
    await world.stop(bot);
    expect(bot.engine.counts.ordersFilled).toBeGreaterThan(10);
    await checkInvariants(world, bot);
  }, 120_000);
});
