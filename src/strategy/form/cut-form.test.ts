import { expect, it } from 'vitest';
import { z } from 'zod';
import { rig } from '../../../test/harness/strategy-rig.js';
import { CutForm } from './cut-form.js';
import { defineStrategy } from '../definition.js';
import { makeForm } from './make-form.js';

/** Opened, started, then a call a candle; `state` is kept at each. */
const heard: number[] = [];
const buying = defineStrategy({
  name: 'buying',
  params: z.object({}),
  state: { version: 1, initial: () => ({ seen: 0 }) },
  create: ({ state }) => ({
    onCandle: (context) => {
      heard.push((state.seen += 1));
      context.target(1 / state.seen);
    },
  }),
});

it('a strategy that was lost is replayed up to the call that it did not answer', () => {
  const { host, world, close, settle } = rig(buying, {
    openForm: (settings, outbox, ends) =>
      new CutForm(makeForm({ ...settings, definition: buying, params: {} }, outbox, ends), 5),
    onError: 'flatten',
  });
  for (const price of [100, 101, 102, 103]) {
    close(price);
    settle();
  }
  expect(heard).toEqual([1, 2]);
  expect(world.states.get('TESTUSDT')?.value).toBe('{"seen":2}');
  const before = world.intents.length;
  host.lost('onCandle did not return within 2 s');
  settle();
  expect(host.state).toBe('failed');
  expect(host.counts.errors).toBe(1);
  expect(world.intents).toHaveLength(before + 1);
  host.lost('again');
  expect(world.intents).toHaveLength(before + 1);
});
