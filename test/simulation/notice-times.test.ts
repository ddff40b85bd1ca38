import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { QuietHours } from '../../src/notify/alert/quiet-hours.js';
import { NoticeLog } from '../support/rigs/notice-log.js';
import { DisasterWorld } from './disasters/disaster-world.js';

const FAILING = fileURLToPath(new URL('../fixtures/failing-trader.ts', import.meta.url));
const MINUTE_MS = 60_000;
/** The worlds begin at 00:00 UTC: it is night for 20 minutes. */
const NIGHT: QuietHours = { fromMinute: 22 * 60 + 30, toMinute: 20 };
const MAINTENANCE = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html>maintenance</html>',
};

const watch = ({ world, bot }: DisasterWorld): NoticeLog =>
  new NoticeLog(world, bot, { quietHours: NIGHT });

/** Minutes since the start of the world, and what each notice of a level says that is new. */
const raised = (
  log: NoticeLog,
  level: string,
  from: number,
): readonly (readonly [number, string])[] =>
  log.notices
    .filter((notice) => notice.level === level)
    .flatMap(({ atMs, items }) =>
      items
        .filter(({ state }) => state === 'raised')
        .map(({ kind }) => [Math.floor((atMs - from) / MINUTE_MS), kind] as const),
    );

describe('the notices of a night', () => {
  it('a maintenance wakes a person after a quarter of an hour, once, for all positions', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const { process, world } = disaster;
    const log = watch(disaster);
    const from = world.time.utcMs();
    process.instead = ({ url }) => (url.includes('/sandbox/') ? undefined : MAINTENANCE);
    process.passes = () => false;
    await disaster.run(14 * MINUTE_MS);
    expect(log.notices).toEqual([]);
    await disaster.run(3 * MINUTE_MS);
    const pages = raised(log, 'page', from);
    expect(new Set(pages.map(([minute, kind]) => `${kind} ${minute}`))).toEqual(
      new Set(['feed_dead 15']),
    );
    process.instead = () => undefined;
    process.passes = () => true;
    await disaster.until(() => disaster.mode === 'TRADING', 4 * MINUTE_MS);
    await disaster.run(MINUTE_MS);
    expect(log.of('message').join('\n')).toMatch(/resolved: .*BTCUSDT/);
    expect(raised(log, 'page', from)).toEqual(pages);
    await log.service.close();
  }, 240_000);

  it('the message of a failed strategy leaves at the end of the night, with its position and stop', async () => {
    const disaster = await DisasterWorld.started({ strategy: FAILING, params: '{ after: 3 }' });
    const log = watch(disaster);
    const { bot, world } = disaster;
    await disaster.until(() => bot.engine.hosts[0]?.state === 'failed', 20 * MINUTE_MS);
    const night = Date.UTC(2025, 4, 5, 0, 20) - world.time.utcMs();
    await disaster.run(night - MINUTE_MS);
    expect(log.notices).toEqual([]);
    expect(disaster.isGuarded).toBe(true);
    await disaster.run(2 * MINUTE_MS);
    expect(log.of('page')).toEqual([]);
    expect(log.of('message').join('\n')).toMatch(
      /strategy has failed: .*Position [\d.]+ BTCUSDT, stop [\d.]+, loss at the stop [\d.]+ USDT/s,
    );
    await log.service.close();
  }, 240_000);
});
