import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { demoConfig } from '../support/builders/demo-config.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { NoticeLog } from '../support/rigs/notice-log.js';

const FAILING = fileURLToPath(new URL('../fixtures/failing-trader.ts', import.meta.url));

const sandbox = { clock: { kind: 'fast', factor: 60 }, held: true } as const;

describe('the alerts of a bot at work', () => {
  it('24 venue hours of fills, stops and refusals page no person', async () => {
    const world = new BotWorld({ config: demoConfig(), sandbox });
    const bot = await world.start();
    const watched = new NoticeLog(world, bot);
    await world.time.run(24 * 60_000);
    expect(world.ownOrders().filter(({ status }) => status === 'filled').length).toBeGreaterThan(
      30,
    );
    expect([watched.of('page'), watched.of('message')]).toEqual([[], []]);
    await watched.service.close();
    await world.stop(bot);
  }, 240_000);

  it('a refused key pages once, is repeated until its end, and its end arrives', async () => {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'real' }, held: true },
    });
    const bot = await world.start();
    const watched = new NoticeLog(world, bot);
    await world.rotate('another-secret');
    await world.time.until(() => bot.engine.isKeyRefused, 120_000);
    await world.time.run(6 * 60_000);
    const heads = watched.of('page').map((text) => text.split('\n')[1]);
    expect(heads[0]).toMatch(/^the venue refuses the key/);
    expect(heads.filter((each) => each?.includes('the venue refuses the key'))).toHaveLength(2);
    world.secret.replace('another-secret');
    bot.onSecretReloaded();
    await world.time.until(() => bot.engine.mode === 'TRADING', 180_000);
    await world.time.run(30_000);
    expect(watched.of('message').join('\n')).toContain('resolved: the venue refuses the key');
    await watched.service.close();
    await world.stop(bot);
  }, 120_000);

  it('a failed strategy names its position, its stop and the loss at the stop', async () => {
    const config = demoConfig().replace(
      /use: sma-cross\n(\s+symbols: \[BTCUSDT\])/,
      `use: '${FAILING}'\n$1`,
    );
    const world = new BotWorld({
      config: config.replace('params: { fast: 3, slow: 8 }', 'params: { after: 3 }'),
      sandbox: { clock: { kind: 'real' }, held: true },
    });
    const bot = await world.start();
    const watched = new NoticeLog(world, bot);
    await world.time.until(() => bot.engine.hosts[0]?.state === 'failed', 3_600_000);
    await world.time.run(40_000);
    const text = watched.of('message').join('\n');
    expect(text).toMatch(/strategy has failed: btc-cross: .*no such level/);
    const held = /Position ([\d.]+) BTCUSDT, stop ([\d.]+), loss at the stop ([\d.]+) USDT/.exec(
      text,
    );
    const entry = bot.engine.positions.entryPrice('BTCUSDT', 'USDT');
    expect(held, text).not.toBeNull();
    const [quantity = 0, stop = 0, loss = 0] = (held ?? []).slice(1).map(Number);
    expect(loss).toBeCloseTo(quantity * (Number(entry) / 1e8 - stop), 4);
    await watched.service.close();
    await world.stop(bot);
  }, 120_000);
});
