import { describe, expect, it } from 'vitest';
import smaCross from '../../../strategies/sma-cross.js';
import streamMomentum from '../../../strategies/stream-momentum.js';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { z } from 'zod';
import { defineStrategy } from './definition.js';
import type { FakeStrategyPort } from '../../../test/support/fakes/fake-strategy-port.js';
import { quantity, rig, textOf } from '../../../test/support/rigs/strategy-rig.js';

const beforeStart = (world: FakeStrategyPort): void => {
  world.setPosition('TESTUSDT', quantity('1'), fixedFromText('100'));
};

describe('a shipped strategy that starts with a position of an earlier run', () => {
  it.each([
    { history: [110, 110, 100], closes: [99], orders: ['sell 1 reduce-only #0/0'] },
    { history: [100, 100, 110], closes: [111], orders: [] },
    { history: [100, 100, 110], closes: [111, 80], orders: ['sell 1 reduce-only #0/0'] },
  ])('sma-cross acts on a cross of $history and $closes', ({ history, closes, orders }) => {
    const { world, close } = rig(smaCross, {
      ...{ beforeStart, history },
      params: { fast: 2, slow: 3 },
    });
    for (const price of closes) close(price);
    expect(world.intents.map(textOf)).toEqual(orders);
  });

  it('stream-momentum leaves when the change turns round, below its threshold in the warm-up', () => {
    const options = { params: { lookback: 2, enterPct: 5 } };
    const before = rig(streamMomentum, { ...options, history: [100, 100] });
    before.close(110);
    before.settle();
    const port = before.world;
    expect(before.position()).toBe(1);
    port.setPosition('TESTUSDT', quantity('0'));
    const { world, close } = rig(streamMomentum, {
      ...options,
      port,
      beforeStart,
      history: [110, 110, 111],
    });
    close(112);
    expect(world.intents).toHaveLength(1);
    close(108);
    expect(world.intents.map(textOf).at(-1)).toBe('sell 1 reduce-only #0/0');
  });
});

it('stream-momentum leaves a position that its state does not know', () => {
  const params = { lookback: 2, enterPct: 5 };
  const { world, close } = rig(streamMomentum, { params, beforeStart, history: [110, 110, 111] });
  close(112);
  expect(world.intents).toEqual([]);
  close(108);
  expect(world.intents.map(textOf)).toEqual(['sell 1 reduce-only #0/0']);
});

it('an explanation in onStart is logged', () => {
  const definition = defineStrategy({
    name: 'explains',
    params: z.object({}),
    create: () => ({ onStart: (view) => view.explain('continues') }),
  });
  expect(rig(definition, { history: [100] }).world.notes).toEqual(['info: mine: continues']);
});

describe('a fill while the bot was down', () => {
  const options = (received: string[], protection: object) => ({
    definition: defineStrategy({
      name: 'watches',
      params: z.object({}),
      create: () => ({
        onFill: (_context, { side }) => void received.push(side),
        onPosition: (_context, { before, quantity: now }) =>
          void received.push(`${before} → ${now}`),
      }),
    }),
    protection,
  });

  it('is reported with the position before and after it, and keeps the history of the position', () => {
    const received: string[] = [];
    const { definition, protection } = options(received, { trailingPct: 10 });
    const { world } = rig(definition, { protection });
    beforeStart(world);
    const exits = { side: 'buy', since: 0, best: 200, stop: 180 };
    world.persist('exits:TESTUSDT', { version: 1, value: JSON.stringify(exits) });
    rig(definition, {
      protection,
      port: world,
      beforeStart: (port, host) => {
        // The engine counts the fill before it has read the position.
        port.setPosition('TESTUSDT', quantity('-0.4'));
        host.onFill({
          ...{ symbol: 'TESTUSDT', side: 'sell', type: 'limit', key: 7, time: 0 },
          ...{ quantity: quantity('0.4'), price: fixedFromText('150') },
        });
        port.setPosition('TESTUSDT', quantity('0.6'), fixedFromText('100'));
      },
    });
    expect(received).toEqual(['sell', '1 → 0.6']);
    expect(JSON.parse(world.persisted('exits:TESTUSDT')?.value ?? '')).toEqual(exits);
  });
});
