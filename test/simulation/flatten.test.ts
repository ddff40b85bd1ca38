import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import { summarise } from '../../src/live/summary/run-summary.js';
import type { HttpRequest } from '../../src/core/ports.js';
import { UNCLEAR_ORDERS } from '../../bench/unknown-orders/flatten-faults.mjs';
import { BotWorld } from '../support/rigs/bot-world.js';
import { EIGHT_SYMBOLS } from '../support/builders/eight-symbols.js';
import { FakeProcess } from '../support/fakes/fake-process.js';
import { replayOf } from '../support/rigs/replay-world.js';

const TRADER = fileURLToPath(
  new URL('../../bench/unknown-orders/resting-orders.ts', import.meta.url),
);

const configOf = (symbols: readonly string[], rungs: number): string => `
mode: sandbox
account: demo
venue: { base_url: 'http://127.0.0.1:8787', ws_url: 'ws://127.0.0.1:8787' }
state_dir: /state
on_stop: flatten
strategies:
${symbols
  .map(
    (symbol) => `  - id: one-${symbol.toLowerCase()}
    use: '${TRADER}'
    symbols: [${symbol}]
    leverage: 2
    size: { notional: '100' }
    params: { rungs: ${rungs} }`,
  )
  .join('\n')}
risk:
  preset: standard
  symbols_allow: [${symbols.join(', ')}]
  max_open_orders: { symbol: 6, account: 40 }
  max_position_notional: { usdt: '2000', pct_equity: 90 }
`;

const openOrders = (world: BotWorld): number =>
  world.ownOrders().filter(({ endedAt }) => endedAt === undefined).length;
const positions = (world: BotWorld): number => world.sandbox.exchange.positions('USDT').length;
const ids = (world: BotWorld) => world.ownOrders().map(({ clientOrderId }) => clientOrderId);

/** A bot that holds a position in each symbol and rests orders below it. */
async function botWithOrders(
  world: BotWorld,
  target: { orders: number; positions: number },
  fakeProcess?: FakeProcess,
) {
  const bot = await world.start(fakeProcess);
  await world.time.until(
    () => openOrders(world) >= target.orders && positions(world) >= target.positions,
    1_800_000,
  );
  // The orders' own requests are no part of what follows.
  await world.time.run(20_000);
  return bot;
}

/** Until the flatten is at its end, as the command line waits: @returns virtual ms */
async function flatten(world: BotWorld, bot: Bot, withinMs = 600_000): Promise<number> {
  const from = world.time.monotonicMs();
  await world.time.resolve(bot.stop('flatten', () => from + withinMs));
  return world.time.monotonicMs() - from;
}

describe('a flatten', () => {
  it.each([1, 2, 3])(
    'of 30 orders and 6 positions with one answer in five a 429 or a 500 leaves nothing (seed %i)',
    async (seed) => {
      const world = new BotWorld({
        config: configOf(EIGHT_SYMBOLS.slice(0, 6), 5),
        sandbox: { clock: { kind: 'real' } },
        seed,
      });
      const bot = await botWithOrders(world, { orders: 30, positions: 6 });
      await world.setFaults(UNCLEAR_ORDERS);
      const took = await flatten(world, bot);
      const cancels = (await world.journal()).flatMap((record) =>
        record.type === 'note' && record.text.startsWith('cancel: ') ? [record.text] : [],
      );
      expect(cancels.filter((text) => /429|500/.test(text)).length).toBeGreaterThan(0);
      expect({ orders: openOrders(world), positions: positions(world) }).toEqual({
        orders: 0,
        positions: 0,
      });
      expect(summarise(bot.engine, 0, '')).toMatchObject({
        flatten: { end: 'flat', positions: [], orders: [] },
        reconciled: true,
        unknown: 0,
      });
      expect(took).toBeLessThan(60_000);
      expect(new Set(ids(world)).size).toBe(ids(world).length);
      expect((await replayOf(world)).identical).toBe(true);
    },
    120_000,
  );

  it('that an outage meets is done as soon as the venue has been healthy for a while', async () => {
    const world = new BotWorld({
      config: configOf(EIGHT_SYMBOLS.slice(0, 3), 3),
      sandbox: { clock: { kind: 'real' } },
    });
    const bot = await botWithOrders(world, { orders: 9, positions: 3 });
    await world.setFaults([
      { on: '*', fault: '500_before', probability: 0.5 },
      { on: '*', fault: 'resp_lost', probability: 1 },
    ]);
    let ended = false;
    const from = world.time.monotonicMs();
    const stopping = bot.stop('flatten', () => from + 7_200_000).then(() => (ended = true));
    await world.time.run(15 * 60_000);
    expect(ended).toBe(false);
    await world.setFaults([]);
    const healthyAt = world.time.monotonicMs();
    await world.time.resolve(stopping);
    expect(world.time.monotonicMs() - healthyAt).toBeLessThan(120_000);
    expect([openOrders(world), positions(world)]).toEqual([0, 0]);
    expect(bot.engine.flattenState).toBe('flat');
  }, 120_000);
});

const isPlace = ({ method, url }: HttpRequest): boolean =>
  method === 'POST' && url.includes('/fapi/v2/futures/order');
const isCancel = ({ method }: HttpRequest): boolean => method === 'DELETE';

describe('a flatten in whose middle the bot is killed', () => {
  const CRASH_POINTS = [
    { when: 'before its third cancel', at: isCancel, count: 3, after: false },
    { when: 'after its third cancel', at: isCancel, count: 3, after: true },
    { when: 'before its second exit', at: isPlace, count: 2, after: false },
    { when: 'after its second exit', at: isPlace, count: 2, after: true },
  ];

  it.each(CRASH_POINTS)(
    '$when is finished by the next start before it trades',
    async (crashPoint) => {
      const { at, count, after } = crashPoint;
      const world = new BotWorld({
        config: configOf(EIGHT_SYMBOLS.slice(0, 3), 3),
        sandbox: { clock: { kind: 'real' } },
      });
      let [flattens, seen] = [false, 0];
      const crashesAt = (request: HttpRequest): boolean =>
        flattens && at(request) && ++seen === count;
      const fakeProcess = new FakeProcess(
        after ? { afterRequest: crashesAt } : { beforeRequest: crashesAt },
      );
      const first = await botWithOrders(world, { orders: 9, positions: 3 }, fakeProcess);
      flattens = true;
      void first.stop('flatten');
      await world.time.until(() => !fakeProcess.alive, 60_000);
      await world.time.run(1_000);
      const before = ids(world).length;

      const bot = await world.start();
      expect(bot.engine.mode).toBe('TRADING');
      await world.time.until(() => !bot.engine.isFlattening, 60_000);
      expect([openOrders(world), positions(world)]).toEqual([0, 0]);
      const since = world.ownOrders().slice(before);
      expect(since.every(({ reduceOnly }) => reduceOnly)).toBe(true);
      expect((await world.journal()).findLast(({ type }) => type === 'flatten')).toMatchObject({
        state: 'flat',
      });
      // It trades again only after that.
      await world.time.until(() => positions(world) === 3, 600_000);
      expect(new Set(ids(world)).size).toBe(ids(world).length);
      await world.stop(bot);
      expect((await replayOf(world, '000002')).identical).toBe(true);
    },
    60_000,
  );
});

it('a flatten closes what an earlier configuration traded', async () => {
  const world = new BotWorld({
    config: configOf(EIGHT_SYMBOLS.slice(0, 3), 2),
    sandbox: { clock: { kind: 'real' } },
  });
  const first = await botWithOrders(world, { orders: 6, positions: 3 });
  await world.stop(first, 'keep');
  world.config = configOf(EIGHT_SYMBOLS.slice(0, 1), 2);
  const bot = await world.start();
  await flatten(world, bot);
  expect([openOrders(world), positions(world)]).toEqual([0, 0]);
  expect(bot.engine.flattenState).toBe('flat');
}, 60_000);
