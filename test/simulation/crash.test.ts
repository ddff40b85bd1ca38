import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/core/ports.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import type { CrashPoints } from '../support/fakes/fake-process.js';

const isPlace = ({ method, url }: HttpRequest): boolean =>
  method === 'POST' && url.includes('/fapi/v2/futures/order');
const isJournal = (path: string): boolean => path.endsWith('/journal.log');
const writes =
  (type: string) =>
  (path: string, text: string): boolean =>
    isJournal(path) && text.includes(`"type":"${type}"`);

/** Fires the n-th time that `when` holds. */
function nth<A extends readonly unknown[]>(n: number, when: (...args: A) => boolean) {
  let count = 0;
  return (...args: A): boolean => when(...args) && ++count === n;
}

/** Tears the n-th write of such a record where that record begins: what stands before it is whole. */
function torn(n: number, type: string) {
  const isIt = nth(n, writes(type));
  return (path: string, text: string): number | undefined =>
    isIt(path, text) ? text.indexOf(`"type":"${type}"`) : undefined;
}

interface Case {
  readonly between: string;
  /** Records of the last intent that are durable when it is dead. */
  readonly durable: readonly string[];
  /** Whether the venue has the order when it is dead. */
  readonly landed: boolean;
  readonly crashPoints: (n: number) => CrashPoints;
}

const CASES: readonly Case[] = [
  {
    between: 'INTENT journaled and ATTEMPT journaled',
    durable: ['intent'],
    landed: false,
    crashPoints: (n) => ({ tornAt: torn(n, 'attempt') }),
  },
  {
    between: 'ATTEMPT journaled and bytes sent',
    durable: ['intent', 'attempt'],
    landed: false,
    crashPoints: (n) => ({ beforeRequest: nth(n, isPlace) }),
  },
  {
    between: 'bytes sent and answer read',
    durable: ['intent', 'attempt'],
    landed: true,
    crashPoints: (n) => ({ afterRequest: nth(n, isPlace) }),
  },
  {
    between: 'answer read and OUTCOME journaled',
    durable: ['intent', 'attempt'],
    landed: true,
    crashPoints: (n) => ({ atAppend: nth(n, writes('outcome')) }),
  },
  {
    between: 'OUTCOME journaled and the fill journaled',
    durable: ['intent', 'attempt', 'outcome'],
    landed: true,
    crashPoints: (n) => ({ atAppend: nth(n, writes('update')) }),
  },
];

const REAL_CLOCK = { clock: { kind: 'real' }, held: true } as const;
const WITHIN_MS = 3_600_000;

/** The first order, one leg of a reversal, and one well into the run. */
const TIMES = [1, 3, 6];

describe.each(CASES)('a bot stopped dead between $between', ({ durable, landed, crashPoints }) => {
  it.each(TIMES)(
    'ends, restarted, with one order for the intent at most (occasion %i)',
    async (n) => {
      const world = new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });
      await world.startUntilCrash(crashPoints(n), WITHIN_MS);
      const before = await world.journal();
      const last = before.findLast((record) => record.type === 'intent');
      if (last?.type !== 'intent') throw new Error('an intent was journaled');
      const id = last.clientOrderId;
      const recorded = before.filter(
        (record) => 'clientOrderId' in record && record.clientOrderId === id,
      );
      for (const type of durable) expect(recorded.map((record) => record.type)).toContain(type);
      const atVenue = world.ownOrders().filter((order) => order.clientOrderId === id);
      expect(atVenue).toHaveLength(landed ? 1 : 0);

      const bot = await world.start();
      await world.time.run(20_000);
      await world.stop(bot);

      const isEntry = !last.terms.reduceOnly;
      const isAttempted = durable.includes('attempt');
      const orders = world.ownOrders().filter((order) => order.clientOrderId === id);
      expect(orders.map((order) => order.status)).toEqual(
        landed || !isEntry ? ['filled'] : isAttempted ? ['canceled'] : [],
      );
      // Its own id stands at the venue as a canceled fence: the entry can never land any more.
      for (const order of orders) {
        if (order.status === 'canceled') expect(order.filledQuantity).toBe(0);
      }
      expect(bot.engine.isReconciled).toBe(true);
      expect(bot.engine.ledger.unprovedCount).toBe(0);
      for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
        expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(world.venuePosition(symbol));
      }
      expect(distinct(world)).toBe(world.ownOrders().length);
    },
  );
});

const distinct = (world: BotWorld): number =>
  new Set(world.ownOrders().map((order) => order.clientOrderId)).size;

describe('an intent whose validity ran out while the bot was dead', () => {
  it('is never sent when no attempt was made', async () => {
    const world = new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });
    await world.startUntilCrash({ tornAt: torn(1, 'attempt') }, WITHIN_MS);
    await world.time.run(600_000);
    const bot = await world.start();
    await world.time.run(20_000);
    const ended = (await world.journal()).filter((record) => record.type === 'dropped');
    expect(ended).toHaveLength(1);
    await world.stop(bot);
    expect(bot.engine.isReconciled).toBe(true);
  });

  it('is fenced when its attempt may have left, and ends proved', async () => {
    const world = new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });
    await world.startUntilCrash({ beforeRequest: nth(1, isPlace) }, WITHIN_MS);
    await world.time.run(600_000);
    const before = world.ownOrders().length;
    const bot = await world.start();
    await world.time.run(20_000);
    await world.stop(bot);
    const orders = world.ownOrders().slice(before);
    expect(orders.map((order) => order.status)).toEqual(['canceled']);
    expect(bot.engine.ledger.unprovedCount).toBe(0);
    expect(bot.engine.isReconciled).toBe(true);
  });
});

describe('a power cut', () => {
  it('that loses every unsynced byte loses no order and doubles none', async () => {
    const world = new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });
    for (let round = 1; round <= 4; round += 1) {
      await world.startUntilCrash({ afterRequest: nth(round, isPlace) }, WITHIN_MS);
      world.files = world.files.crash();
    }
    const bot = await world.start();
    await world.time.run(20_000);
    await world.stop(bot);
    expect(bot.engine.isReconciled).toBe(true);
    expect(distinct(world)).toBe(world.ownOrders().length);
    const intents = new Set(
      (await world.journal()).flatMap((record) =>
        record.type === 'intent' ? [record.clientOrderId] : [],
      ),
    );
    for (const order of world.ownOrders()) expect(intents).toContain(order.clientOrderId);
  });
});
