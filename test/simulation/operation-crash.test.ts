import { describe, expect, it } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import type { OperatorCommand } from '../../src/core/events.js';
import { fixedFromText, type Amount } from '../../src/core/fixed/fixed.js';
import type { HttpRequest } from '../../src/core/ports.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { FakeProcess, type CrashPoints } from '../support/fakes/fake-process.js';
import { scaledOf } from '../support/builders/scaled.js';

const MANUAL_CONFIG = { symbol: 'BTCUSDT', leverage: fixedFromText<'ratio'>('2') };
const BTC = { symbol: 'BTCUSDT', currency: 'USDT' } as const;
const usdt = (text: string): Amount => fixedFromText<'USDT'>(text);
const STOP = fixedFromText<'price'>('50000');

type IsRequest = (request: HttpRequest) => boolean;
const to =
  (method: string, path: string): IsRequest =>
  (request) =>
    request.method === method && request.url.includes(path);

const createWorld = (): BotWorld =>
  new BotWorld({
    config: demoConfig(),
    sandbox: { clock: { kind: 'real' } },
    operator: { desk: MANUAL_CONFIG },
  });

async function open(world: BotWorld, life = new FakeProcess()): Promise<Bot> {
  const bot = await world.start(life);
  await world.time.until(() => bot.engine.prices.last('BTCUSDT') !== undefined, 10_000);
  return bot;
}

/** A world with 0.002 BTC long, or an order of 0.002 that rests at 56,000. */
async function prepared(price?: string): Promise<BotWorld> {
  const world = createWorld();
  const bot = await open(world);
  const order: OperatorCommand = {
    kind: 'order',
    terms: {
      ...BTC,
      side: 'buy',
      type: price === undefined ? 'market' : 'limit',
      quantity: fixedFromText('0.002'),
      ...(price !== undefined && { price: fixedFromText<'price'>(price) }),
      reduceOnly: false,
    },
    validUntil: Math.ceil(bot.venueTimeIn(10_000)),
  };
  bot.command(order, 'word-0');
  const state = price === undefined ? 'filled' : 'accepted';
  await world.time.until(() => bot.engine.ledger.all[0]?.state === state, 30_000);
  await world.time.run(10_000);
  await world.time.resolve(bot.close());
  await world.time.run(10_000);
  return world;
}

/** Says a word to a session that is stopped dead on the way. */
async function commandAndCrash(
  world: BotWorld,
  crashPoints: CrashPoints,
  command: (bot: Bot) => OperatorCommand,
): Promise<void> {
  const fakeProcess = new FakeProcess(crashPoints);
  const bot = await open(world, fakeProcess);
  bot.command(command(bot), 'word-1');
  await world.time.until(() => !fakeProcess.alive, 120_000);
  expect(fakeProcess.alive, 'it died where it was told to').toBe(false);
  await world.time.run(50);
}

/** Another life, until nothing of the operation is open any more. */
async function restart(world: BotWorld): Promise<Bot> {
  const bot = await open(world);
  await world.time.until(
    () => bot.engine.operations.all.all.every(({ ended }) => ended) && bot.engine.isSettled,
    200_000,
  );
  return bot;
}

/** Each journal boundary of an operation, and both sides of the wire. */
const crashPointsAt = (isRequest: IsRequest): readonly (readonly [string, CrashPoints])[] => {
  // The set of leverage at the start is an operation too: only the word's own counts.
  const writes =
    (type: string) =>
    (path: string, text: string): boolean =>
      path.endsWith('/journal.log') && text.includes(`"type":"${type}"`) && !isLeverage(text);
  return [
    ['before INTENT is journaled', { atAppend: writes('operation') }],
    ['before ATTEMPT is journaled', { atAppend: writes('operation-attempt') }],
    ['before the bytes leave', { beforeRequest: isRequest }],
    ['after the bytes left', { afterRequest: isRequest }],
    ['with the answer read', { atResponse: isRequest }],
    ['before OUTCOME is journaled', { atAppend: writes('operation-outcome') }],
    ['before its end is journaled', { atAppend: writes('operation-ended') }],
  ];
};
const isLeverage = (text: string): boolean =>
  /"kind":"(?:set-)?leverage"/.test(text) || text.includes('a read shows');

/** Attempts that the journal has of each operation: at most one of what has no id (P27). */
async function attempts(world: BotWorld, step: string): Promise<readonly number[]> {
  const counts = new Map<string, number>();
  for (const record of await world.journal()) {
    if (record.type !== 'operation-attempt' || record.step.kind !== step) continue;
    counts.set(record.operationId, (counts.get(record.operationId) ?? 0) + 1);
  }
  return [...counts.values()];
}

describe('a stop for a position, whose process dies', () => {
  const isSet = to('POST', '/riskorder');
  it.each(crashPointsAt(isSet))(
    '%s, is one live stop when it is asked for again',
    async (_, crashPoints) => {
      const world = await prepared();
      const command: OperatorCommand = { kind: 'protect', ...BTC, stopLoss: STOP };
      await commandAndCrash(world, crashPoints, () => command);
      const bot = await restart(world);
      bot.command(command, 'word-2');
      await world.time.until(
        () => bot.engine.operations.protectiveOrders.states('BTCUSDT', 'USDT').stopLoss === 'live',
        60_000,
      );
      const legs = world.sandbox.exchange.allOrders().filter(({ role }) => role === 'stop-loss');
      expect(legs.filter(({ status }) => status === 'created')).toHaveLength(1);
      expect(world.sandbox.exchange.positions('USDT')[0]?.stopLoss?.price).toBe(STOP);
      expect(bot.engine.haltReason).toBeUndefined();
      await world.stop(bot, 'keep');
    },
  );
});

describe('an amendment in place, whose process dies', () => {
  const isPatch = to('PATCH', '/futures/orders/');
  it.each(crashPointsAt(isPatch))(
    '%s, leaves one order whose terms are known',
    async (_, crashPoints) => {
      const world = await prepared('56000');
      await commandAndCrash(world, crashPoints, (bot) => ({
        kind: 'amend',
        clientOrderId: bot.engine.ledger.all[0]?.clientOrderId ?? '',
        price: fixedFromText('55000'),
        quantity: fixedFromText('0.003'),
        validUntil: Math.ceil(bot.venueTimeIn(60_000)),
        inPlace: true,
      }));
      const bot = await restart(world);
      expect(bot.engine.haltReason).toBeUndefined();
      const resting = world.ownOrders().filter(({ status }) => status === 'created');
      const known = [...bot.engine.ledger.allOpenOrders()];
      expect(resting.length).toBeLessThanOrEqual(1);
      expect(known.map(({ terms: { price, quantity } }) => ({ price, quantity }))).toEqual(
        resting.map(({ price, quantity }) => ({ price, quantity })),
      );
      expect(Math.max(0, ...(await attempts(world, 'amend')))).toBeLessThanOrEqual(1);
      await world.stop(bot, 'keep');
    },
  );
});

describe('more margin, whose process dies', () => {
  const isMargin = to('POST', '/add-margin');
  it.each(crashPointsAt(isMargin))(
    '%s, is added once at most and known for sure',
    async (_, crashPoints) => {
      const world = await prepared();
      const margin = (): number =>
        scaledOf(world.sandbox.exchange.positions('USDT')[0]?.initialMargin ?? 0);
      const before = margin();
      await commandAndCrash(world, crashPoints, () => ({
        kind: 'margin',
        ...BTC,
        change: usdt('5'),
        reduce: false,
        force: false,
      }));
      const bot = await restart(world);
      const added = margin() - before;
      const [operation] = bot.engine.operations.all.all.filter(({ kind }) => kind === 'margin');
      // What was left is proved; without proof it says so. Nothing says done that is not.
      if (operation?.state === 'done') expect(added).toBe(usdt('5'));
      if (operation?.state === 'unproved') expect(added).toBe(0);
      expect([0, usdt('5')]).toContain(added);
      expect(Math.max(0, ...(await attempts(world, 'change-margin')))).toBeLessThanOrEqual(1);
      await world.stop(bot, 'keep');
    },
  );
});

describe('a transfer, whose process dies', () => {
  const isTransfer = to('POST', '/wallet/futures/transfer');
  it.each(crashPointsAt(isTransfer))('%s, moves the money once at most', async (_, crashPoints) => {
    const world = await prepared();
    await commandAndCrash(world, crashPoints, () => ({
      kind: 'transfer',
      currency: 'USDT',
      direction: 'deposit',
      amount: usdt('100'),
      force: false,
    }));
    const bot = await restart(world);
    const rows = world.sandbox.exchange.transfers('USDT');
    const [operation] = bot.engine.operations.all.all.filter(({ kind }) => kind === 'transfer');
    if (operation?.state === 'done') expect(rows).toHaveLength(1);
    if (operation?.state === 'unproved') expect(rows).toHaveLength(0);
    expect(rows.length).toBeLessThanOrEqual(1);
    expect(Math.max(0, ...(await attempts(world, 'transfer')))).toBeLessThanOrEqual(1);
    await world.stop(bot, 'keep');
  });
});

describe('a leverage, whose process dies', () => {
  const isSet = to('POST', '/futures/ETHUSDT/leverage');
  const writes =
    (type: string) =>
    (path: string, text: string): boolean =>
      path.endsWith('/journal.log') &&
      text.includes(`"type":"${type}"`) &&
      text.includes('ETHUSDT');
  const crashPoints: readonly (readonly [string, CrashPoints])[] = [
    ['before INTENT is journaled', { atAppend: writes('operation') }],
    ['before the bytes leave', { beforeRequest: isSet }],
    ['after the bytes left', { afterRequest: isSet }],
    ['with the answer read', { atResponse: isSet }],
  ];
  it.each(crashPoints)(
    '%s, is what it is asked to be when it is asked again',
    async (_, crashPoint) => {
      const world = createWorld();
      const command: OperatorCommand = {
        kind: 'set-leverage',
        symbol: 'ETHUSDT',
        currency: 'USDT',
        leverage: fixedFromText('3'),
      };
      await commandAndCrash(world, crashPoint, () => command);
      const bot = await restart(world);
      bot.command(command, 'word-2');
      await world.time.until(
        () => bot.engine.operations.all.byCommand('word-2')?.state === 'set',
        60_000,
      );
      expect(world.sandbox.exchange.leverage('ETHUSDT', 'USDT')).toBe(fixedFromText('3'));
      await world.stop(bot, 'keep');
    },
  );
});
