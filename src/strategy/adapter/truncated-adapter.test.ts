import { expect, it } from 'vitest';
import { z } from 'zod';
import { rig } from '../../../test/support/rigs/strategy-rig.js';
import { TruncatedAdapter } from './truncated-adapter.js';
import { defineStrategy } from '../contract/definition.js';
import { createAdapter } from './create-adapter.js';

/** Calls: open, start, then one per candle, each of which persists `state`. */
const received: number[] = [];
const buying = defineStrategy({
  name: 'buying',
  params: z.object({}),
  state: { version: 1, initial: () => ({ seen: 0 }) },
  create: ({ state }) => ({
    onCandle: (context) => {
      received.push((state.seen += 1));
      context.target(1 / state.seen);
    },
  }),
});

it('a replay stops before the call that the strategy did not answer', () => {
  const { host, world, close, settle } = rig(buying, {
    openAdapter: (settings, outbox, ends) =>
      new TruncatedAdapter(
        createAdapter({ ...settings, definition: buying, params: {} }, outbox, ends),
        5,
      ),
    onError: 'flatten',
  });
  for (const price of [100, 101, 102, 103]) {
    close(price);
    settle();
  }
  expect(received).toEqual([1, 2]);
  expect(world.states.get('TESTUSDT')?.value).toBe('{"seen":2}');
  const before = world.intents.length;
  host.onWorkerFailed('onCandle did not return within 2 s');
  settle();
  expect(host.state).toBe('failed');
  expect(host.counts.errors).toBe(1);
  expect(world.intents).toHaveLength(before + 1);
  host.onWorkerFailed('again');
  expect(world.intents).toHaveLength(before + 1);
});
