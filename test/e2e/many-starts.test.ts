import { expect, test } from 'vitest';
import { BotWorld } from '../harness/bot-world.js';
import { demoConfig } from '../harness/demo-config.js';

/** Below what a read waits when it must share the budget. */
const SAME_MS = 100;

// The requests of earlier processes count against the minute's budget. A first picture that waited like
// any poll for its share would make each of them start later.
test('a bot that was started many times in a minute starts as fast as before', async () => {
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
  // The first begins with an empty folder.
  const [, second = Number.NaN, ...later] = took;
  for (const ms of later) expect(Math.abs(ms - second)).toBeLessThan(SAME_MS);
});
