import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import { botNotifySource } from '../../src/live/notify/bot-notify-source.js';
import { NotifyService } from '../../src/live/notify/notify-service.js';
import { PageTimesFile } from '../../src/live/notify/page-times-file.js';
import { CandleTimes } from '../../src/live/status/candle-times.js';
import { ALERT_LEVELS, type AlertLevel } from '../../src/notify/alert/alert-kind.js';
import { NO_PAGES } from '../../src/notify/alert/page-budget.js';
import { noticeText, type Notice } from '../../src/notify/alert/notice.js';
import { ChannelQueue } from '../../src/notify/channel/channel-queue.js';
import { Notifier } from '../../src/notify/notifier.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { memoryLogger } from '../support/fakes/manual-ports.js';
import { BotWorld } from '../support/rigs/bot-world.js';

const FAILING = fileURLToPath(new URL('../fixtures/failing-trader.ts', import.meta.url));

/** The alerts of a bot in a simulated world, as a person gets them. */
class Watched {
  readonly notices: Notice[] = [];
  readonly service: NotifyService;

  constructor(world: BotWorld, bot: Bot) {
    const { time, files } = world;
    const logger = memoryLogger();
    const ports = { clock: time, scheduler: time, logger };
    const channel = {
      name: 'person',
      levels: new Set(ALERT_LEVELS),
      deliver: (notice: Notice) => {
        this.notices.push(notice);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
    this.service = new NotifyService({
      ...ports,
      notifier: new Notifier({
        account: 'demo',
        mode: 'sandbox',
        session: 's',
        timeZone: 'UTC',
        quietHours: undefined,
        digestMinute: undefined,
        pageTimes: NO_PAGES,
      }),
      queues: [new ChannelQueue({ ...ports, channel })],
      deadMan: undefined,
      pageTimes: new PageTimesFile(files, '/state', logger),
      connect: () => undefined,
      closeNetworks: () => Promise.resolve(),
    });
    this.service.start(botNotifySource({ bot, clock: time, candleTimes: new CandleTimes() }), () =>
      Promise.resolve(),
    );
  }

  of(level: AlertLevel): readonly string[] {
    return this.notices.filter((each) => each.level === level).map(noticeText);
  }
}

const sandbox = { clock: { kind: 'fast', factor: 60 }, held: true } as const;

describe('the alerts of a bot at work', () => {
  it('24 venue hours of fills, stops and refusals page no person', async () => {
    const world = new BotWorld({ config: demoConfig(), sandbox });
    const bot = await world.start();
    const watched = new Watched(world, bot);
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
    const watched = new Watched(world, bot);
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
    const watched = new Watched(world, bot);
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
