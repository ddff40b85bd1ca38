import { expect, test } from 'vitest';
import { absolute, type Quantity } from '../../src/core/fixed/fixed.js';
import type { Bot } from '../../src/live/bot/bot.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { replayOf } from '../support/rigs/replay-world.js';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const own = (bot: Bot, symbol: string): Quantity =>
  bot.engine.positions.ownQuantity(symbol, 'USDT');
const held = (bot: Bot): string | undefined => SYMBOLS.find((symbol) => own(bot, symbol) !== 0);
const modes = async (world: BotWorld): Promise<readonly string[]> =>
  (await world.journal()).flatMap((record) =>
    record.type === 'mode' && record.symbol === undefined && record.from !== record.to
      ? [`${record.from} → ${record.to}`]
      : [],
  );

test('a burst of 5xx stops entries, lets an exit leave, and ends by itself', async () => {
  const world = new BotWorld({
    config: demoConfig(),
    sandbox: { clock: { kind: 'real' }, held: true },
  });
  const bot = await world.start();
  const { time } = world;
  await time.until(() => held(bot) !== undefined && bot.engine.isSettled, 6 * 3_600_000);
  await world.setFaults([
    { on: 'POST /fapi/v2/futures/order', fault: '500_before' },
    { on: 'GET /fapi/v1/futures/orders/details', fault: '500_before' },
  ]);
  await time.until(() => bot.engine.mode === 'REDUCE_ONLY', 6 * 3_600_000);
  expect(bot.engine.restrictions).toMatchObject([{ control: 'R25', class: 'self-clearing' }]);
  await world.setFaults([]);

  const symbol = held(bot) ?? '';
  const before = own(bot, symbol);
  bot.command({
    kind: 'order',
    terms: {
      symbol,
      currency: 'USDT',
      side: before > 0 ? 'sell' : 'buy',
      type: 'market',
      quantity: absolute(before),
      reduceOnly: true,
    },
    validUntil: world.sandbox.now() + 60_000,
  });
  await time.until(() => own(bot, symbol) === 0, 30_000);
  expect(own(bot, symbol)).toBe(0);
  expect(bot.engine.mode, 'it left while entries were stopped').toBe('REDUCE_ONLY');

  await time.until(() => bot.engine.mode === 'TRADING', 600_000);
  expect(bot.engine.restrictions).toEqual([]);
  await time.resolve(bot.stop('keep'));
  expect((await modes(world)).slice(-2)).toEqual([
    'TRADING → REDUCE_ONLY',
    'REDUCE_ONLY → TRADING',
  ]);
  expect((await replayOf(world)).identical).toBe(true);
}, 60_000);
