import { describe, expect, test } from 'vitest';
import { summarise } from '../../src/live/summary/run-summary.js';
import { summaryText } from '../../src/live/summary/run-summary-text.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { KeyRefusingNet } from '../support/fakes/key-refusing-net.js';
import { replayOf } from '../support/rigs/replay-world.js';

const createWorld = (): BotWorld =>
  new BotWorld({ config: demoConfig(), sandbox: { clock: { kind: 'real' }, held: true } });

const always = (): boolean => true;
const never = (): boolean => false;

describe('a key that the venue refuses', () => {
  test('a refusal during a run stops placing and alarms until another key is accepted', async () => {
    const world = createWorld();
    const bot = await world.start();
    const { engine } = bot;
    await world.time.until(() => world.ownOrders().length > 2, 3_600_000);
    await world.rotate('another-secret');
    await world.time.until(() => engine.isKeyRefused, 120_000);
    expect(engine.isKeyRefused).toBe(true);
    const [placed, lines] = [world.ownOrders().length, world.log.length];
    await world.time.run(20 * 60_000);
    expect(world.ownOrders()).toHaveLength(placed);
    const since = world.log.slice(lines - 1);
    const alarms = since.filter(({ level }) => level === 'error').map(({ at }) => at);
    expect(alarms.length).toBeGreaterThanOrEqual(20);
    expect(alarms.length).toBeLessThanOrEqual(22);
    expect(engine.counts.refusedBy.get('KEY')?.lastText).toBe('the venue refuses the key');
    expect(engine.isReconciled).toBe(false);
    expect(since.some(({ message }) => message.includes('market data is down'))).toBe(false);

    world.secret.replace('another-secret');
    bot.onSecretReloaded();
    await world.time.until(() => engine.mode === 'TRADING', 180_000);
    expect(engine.isKeyRefused).toBe(false);
    await world.time.until(() => world.ownOrders().length > placed, 3_600_000);
    expect(world.ownOrders().length).toBeGreaterThan(placed);
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect(engine.ledger.unprovedCount).toBe(0);
    expect(engine.isReconciled).toBe(true);
    const ids = world.ownOrders().map((order) => order.clientOrderId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await replayOf(world)).toMatchObject({ identical: true, unjournaled: 0 });
  });

  test('a refusal during a run is reported by a stop, and the next start continues', async () => {
    const world = createWorld();
    const bot = await world.start();
    await world.time.until(() => world.ownOrders().length > 2, 3_600_000);
    await world.rotate('another-secret');
    await world.time.until(() => bot.engine.isKeyRefused, 120_000);
    await world.stop(bot);
    const summary = summarise(bot.engine, 0, '/state');
    expect(summary).toMatchObject({ key_refused: true, key_refusals: 1, reconciled: false });
    const text = summaryText(summary, bot.engine, { equity: [], colour: false });
    expect(text).toContain('the venue refused the key when the run ended');

    world.secret.replace('another-secret');
    const next = await world.start();
    await world.time.run(60_000);
    await world.stop(next);
    expect(next.engine.ledger.unprovedCount).toBe(0);
    expect(next.engine.isReconciled).toBe(true);
    const ids = world.ownOrders().map((order) => order.clientOrderId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    ['everywhere', always],
    ['on the account alone', (path: string) => /\/(positions|orders|funds)$/.test(path)],
  ])(
    'a refusal at the start, %s, ends the start instead of waiting for ever',
    async (_where, refused) => {
      const world = createWorld();
      const keyRefusingNet = new KeyRefusingNet();
      keyRefusingNet.refused = refused;
      const bot = await world.build(keyRefusingNet);
      await expect(world.time.resolve(bot.start(), 15_000)).rejects.toThrow(
        /refuses the key: .*HTTP 401/,
      );
      await world.time.resolve(bot.close());
      expect(world.ownOrders()).toEqual([]);
    },
  );

  test('a momentary refusal does not end the run', async () => {
    const world = createWorld();
    const keyRefusingNet = new KeyRefusingNet();
    const bot = await world.start(keyRefusingNet);
    await world.time.run(5_000);
    keyRefusingNet.refused = always;
    await world.time.run(3_000);
    keyRefusingNet.refused = never;
    await world.time.run(60_000);
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect(bot.engine.isReconciled).toBe(true);
  });
});
