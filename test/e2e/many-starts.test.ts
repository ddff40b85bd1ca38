import { expect, test } from 'vitest';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';

/** Less than a read waits when it must share the budget. */
const SAME_MS = 100;

// Requests of earlier processes count against the minute's budget. A first snapshot that waited for its
// share like any poll would delay each start more.
test('a bot started many times in a minute starts as fast as before', async () => {
  const world = new BotWorld({ config: demoConfig(), sandbox: { clock: { kind: 'real' } } });
  const took: number[] = [];
  for (let start = 0; start < 10; start += 1) {
    const bot = await world.build();
    const before = world.time.monotonicMs();
    await world.time.resolve(bot.start());
    took.push(world.time.monotonicMs() - before);
    await world.stop(bot, 'keep');
  }
  expect(world.time.monotonicMs()).toBeLessThan(60_000);
  // The first starts with an empty folder.
  const [, second = Number.NaN, ...later] = took;
  for (const ms of later) expect(Math.abs(ms - second)).toBeLessThan(SAME_MS);
});
