import { describe, expect, it } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import type { OperatorCommand } from '../../src/core/events.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import type { HttpRequest } from '../../src/core/ports.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { FakeProcess, type CrashPoints } from '../support/fakes/fake-process.js';

const MANUAL_CONFIG = { symbol: 'BTCUSDT', leverage: fixedFromText<'ratio'>('2') };
const isPlace = ({ method, url }: HttpRequest): boolean =>
  method === 'POST' && url.includes('/fapi/v2/futures/order');
const isCancel = ({ method }: HttpRequest): boolean => method === 'DELETE';
const writes =
  (type: string) =>
  (path: string, text: string): boolean =>
    path.endsWith('/journal.log') && text.includes(`"type":"${type}"`);

const createWorld = (): BotWorld =>
  new BotWorld({
    config: demoConfig(),
    sandbox: { clock: { kind: 'real' } },
    operator: { desk: MANUAL_CONFIG },
  });

const order = (bot: Bot, price?: string): OperatorCommand => ({
  kind: 'order',
  terms: {
    symbol: 'BTCUSDT',
    currency: 'USDT',
    side: 'buy',
    type: price === undefined ? 'market' : 'limit',
    quantity: fixedFromText('0.002'),
    ...(price !== undefined && { price: fixedFromText<'price'>(price) }),
    reduceOnly: false,
  },
  validUntil: Math.ceil(bot.venueTimeIn(10_000)),
});

async function open(world: BotWorld, life = new FakeProcess()): Promise<Bot> {
  const bot = await world.start(life);
  await world.time.until(() => bot.engine.prices.last('BTCUSDT') !== undefined, 10_000);
  return bot;
}

/** Says a word to a session that is stopped dead on the way. */
async function commandAndCrash(
  world: BotWorld,
  crashPoints: CrashPoints,
  word: (bot: Bot) => OperatorCommand,
): Promise<void> {
  const fakeProcess = new FakeProcess(crashPoints);
  const bot = await open(world, fakeProcess);
  bot.command(word(bot), 'word-1');
  await world.time.until(() => !fakeProcess.alive, 60_000);
  await world.time.run(50);
}

const CRASH_POINTS: Readonly<Record<string, CrashPoints>> = {
  'before INTENT is journaled': { atAppend: writes('intent') },
  'before ATTEMPT is journaled': { atAppend: writes('attempt') },
  'before the bytes leave': { beforeRequest: isPlace },
  'after the bytes left': { afterRequest: isPlace },
  'before OUTCOME is journaled': { atAppend: writes('outcome') },
};

describe('an order by hand whose process dies', () => {
  it.each(Object.entries(CRASH_POINTS))(
    '%s is one order when it is given again',
    async (_when, crashPoints) => {
      const world = createWorld();
      await commandAndCrash(world, crashPoints, (bot) => order(bot));
      const bot = await open(world);
      bot.command(order(bot), 'word-1');
      await world.time.until(() => bot.engine.isSettled && bot.engine.isReconciled, 60_000);
      await world.stop(bot, 'keep');
      expect(world.ownOrders()).toHaveLength(1);
      expect(world.venuePosition('BTCUSDT')).toBe(fixedFromText('0.002'));
      expect(bot.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(fixedFromText('0.002'));
    },
  );
});

const AMEND_CRASH_POINTS: Readonly<Record<string, CrashPoints>> = {
  'before the cancel leaves': { beforeRequest: isCancel },
  'after the cancel left': { afterRequest: isCancel },
  'before the new order is journaled': { atAppend: writes('intent') },
  'before the new order leaves': { beforeRequest: isPlace },
  'after the new order left': { afterRequest: isPlace },
};

describe('an amendment whose process dies', () => {
  it.each(Object.entries(AMEND_CRASH_POINTS))(
    '%s never leaves two orders open',
    async (_when, crashPoints) => {
      const world = createWorld();
      const first = await open(world);
      first.command(order(first, '56000'), 'word-0');
      await world.time.until(() => first.engine.ledger.all[0]?.state === 'accepted', 10_000);
      const clientOrderId = first.engine.ledger.all[0]?.clientOrderId ?? '';
      await world.time.resolve(first.close());
      await world.time.run(10_000);
      await commandAndCrash(world, crashPoints, (bot) => ({
        kind: 'amend',
        clientOrderId,
        price: fixedFromText('55000'),
        quantity: fixedFromText('0.003'),
        validUntil: Math.ceil(bot.venueTimeIn(60_000)),
      }));
      const bot = await open(world);
      await world.time.until(() => bot.engine.isSettled && bot.engine.isReconciled, 60_000);
      await world.stop(bot, 'keep');
      const resting = world.ownOrders().filter(({ status }) => status === 'created');
      expect(resting.length).toBeLessThanOrEqual(1);
      expect(bot.engine.ledger.orderCount).toBe(resting.length);
      expect(world.ownOrders().length).toBeLessThanOrEqual(2);
    },
  );
});
