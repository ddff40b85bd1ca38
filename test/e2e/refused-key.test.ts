import { describe, expect, test } from 'vitest';
import { reportFailure } from '../../src/app/report-failure.js';
import { BotWorld } from '../harness/bot-world.js';
import { demoConfig } from '../harness/demo-config.js';
import { RefusedKey } from '../harness/refused-key.js';

const createWorld = (): BotWorld =>
  new BotWorld({ config: demoConfig(), sandbox: { clock: { kind: 'real' }, held: true } });

const always = (): boolean => true;
const never = (): boolean => false;

describe('a key that the venue refuses', () => {
  test('in the middle of a run ends it within a minute, and a good key goes on', async () => {
    const world = createWorld();
    const life = new RefusedKey();
    const bot = await world.start(life);
    await world.time.until(() => world.ownOrders().length > 2, 3_600_000);
    life.refused = always;
    await world.time.until(() => bot.failure !== undefined, 60_000);
    await world.time.resolve(bot.close());
    expect(reportFailure(bot.failure, false)).toEqual({
      exitCode: 1,
      text: expect.stringMatching(
        /^sluice: http:\/\/127\.0\.0\.1:8787 refuses the key: HTTP 401: Invalid Authentication.* start again with the same state_dir\n$/,
      ) as unknown,
    });

    const next = await world.start();
    await world.time.run(60_000);
    await world.stop(next);
    expect(next.engine.ledger.unproved).toBe(0);
    expect(next.engine.reconciled).toBe(true);
    const ids = world.ownOrders().map((order) => order.clientOrderId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['everywhere', always],
    ['on the account alone', (path: string) => /\/(positions|orders|funds)$/.test(path)],
  ])('at the start, %s, ends the start instead of waiting for ever', async (_where, refused) => {
    const world = createWorld();
    const life = new RefusedKey();
    life.refused = refused;
    const bot = await world.build(life);
    await expect(world.time.resolve(bot.start(), 15_000)).rejects.toThrow(
      /refuses the key: .*HTTP 401/,
    );
    await world.time.resolve(bot.close());
    expect(world.ownOrders()).toEqual([]);
  });

  test('for a moment is no reason to end', async () => {
    const world = createWorld();
    const life = new RefusedKey();
    const bot = await world.start(life);
    await world.time.run(5_000);
    life.refused = always;
    await world.time.run(3_000);
    life.refused = never;
    await world.time.run(60_000);
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect(bot.engine.reconciled).toBe(true);
  });
});
