import { describe, expect, test } from 'vitest';
import type { Bot } from '../../src/app/bot.js';
import { reportFailure } from '../../src/app/report-failure.js';
import type { Command } from '../../src/core/events.js';
import { fixedFromText } from '../../src/core/fixed.js';
import { BotWorld } from '../harness/bot-world.js';
import { demoConfig } from '../harness/demo-config.js';
import type { DiskFault, DiskFaults, Operation } from '../harness/memory-files.js';
import { replayOf } from '../harness/replay-world.js';
import { isField } from '../harness/quirks.js';

const REAL_CLOCK = { clock: { kind: 'real' }, held: true } as const;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

const createWorld = (): BotWorld => new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });

/** Runs until the bot has failed from within. @returns its failure as the command would tell it */
async function failureOf(world: BotWorld, bot: Bot, withinMs = 3_600_000) {
  await world.time.until(() => bot.failure !== undefined, withinMs);
  return reportFailure(bot.failure, false);
}

/** The disk is full from the n-th operation on that `when` holds for. */
function fullFrom(n: number, when: (operation: Operation) => boolean) {
  let seen = 0;
  return (operation: Operation) => {
    if (seen < n && when(operation)) seen += 1;
    const writes = operation.bytes > 0;
    return seen >= n && writes ? { code: 'ENOSPC', bytesKept: operation.bytes >> 1 } : undefined;
  };
}

/** Every order that the venue has was journaled, intent and attempt, before it left. */
async function expectJournaled(world: BotWorld): Promise<void> {
  const records = await world.journal();
  const idsOf = (type: 'intent' | 'attempt') =>
    new Set(records.flatMap((record) => (record.type === type ? [record.clientOrderId] : [])));
  const [intents, attempts] = [idsOf('intent'), idsOf('attempt')];
  for (const { clientOrderId } of world.ownOrders()) {
    expect(intents).toContain(clientOrderId);
    expect(attempts).toContain(clientOrderId);
  }
}

/** A start with space on the disk again finds everything and goes on. */
async function expectRecovery(world: BotWorld): Promise<void> {
  world.files.failWith(() => undefined);
  const bot = await world.start();
  await world.time.run(30_000);
  await world.stop(bot);
  expect(bot.failure).toBeUndefined();
  expect(bot.engine.ledger.unproved).toBe(0);
  expect(bot.engine.reconciled).toBe(true);
  for (const symbol of SYMBOLS) {
    expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(world.venuePosition(symbol));
  }
  const ids = world.ownOrders().map((order) => order.clientOrderId);
  expect(new Set(ids).size).toBe(ids.length);
  await expectJournaled(world);
}

const journalAppend = ({ kind, path }: Operation): boolean =>
  kind === 'append' && path === '/state/journal.log';

const POINTS: readonly (readonly [string, (operation: Operation) => boolean])[] = [
  ['the data of the journal', journalAppend],
  ['the head of the journal', ({ path }) => path === '/state/journal.head'],
  ['the data of the record', ({ kind, path }) => kind === 'append' && path.includes('/record/')],
  ['the head of the record', ({ path }) => path.includes('/record/') && path.endsWith('.head')],
];

describe('a disk that is full while a bot runs', () => {
  describe.each(POINTS)('when it writes %s', (_what, when) => {
    // Early ones hit the start, later ones the middle of placing orders.
    test.each([3, 12, 22, 40])('for the %ith time', async (n) => {
      const world = createWorld();
      const bot = await world.build();
      world.files.failWith(fullFrom(n, when));
      bot.start().catch(() => undefined);
      world.sandbox.release();
      const { exitCode, text } = await failureOf(world, bot);
      const orders = world.ownOrders().length;
      await world.time.run(15_000);
      await world.time.resolve(bot.close());

      expect(exitCode).toBe(1);
      expect(text).toMatch(
        /^sluice: the journal cannot be written: the disk is full: free some space \(.*ENOSPC.*start again with the same state_dir: it reconciles with the venue first\n$/,
      );
      // What waited for the journal was never sent, not even later.
      expect(world.ownOrders()).toHaveLength(orders);
      await expectJournaled(world);
      await expectRecovery(world);
    });
  });

  test('that does not sync counts as full: nothing leaves on a promise that was not kept', async () => {
    const world = createWorld();
    const bot = await world.start();
    let syncs = 0;
    world.files.failWith(({ kind, path }) =>
      kind === 'sync' && path === '/state/journal.log' && (syncs += 1) > 4
        ? { code: 'EIO' }
        : undefined,
    );
    const { exitCode, text } = await failureOf(world, bot);
    await world.time.resolve(bot.close());
    expect(exitCode).toBe(1);
    expect(text).toContain('the disk does not work (input/output error)');
    world.files = world.files.crash();
    await expectJournaled(world);
    await expectRecovery(world);
  });

  test('before the bot has begun, is told at once and leaves nothing held', async () => {
    const world = createWorld();
    world.files.fillAfter(0);
    const error = await world.build().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(reportFailure(error, false)).toEqual({
      exitCode: 1,
      text: expect.stringMatching(/^sluice: .*the disk is full: free some space/) as unknown,
    });
    await expectRecovery(world);
  });
});

describe('orders that rest at the venue when the disk fails', () => {
  const DESK = { symbol: 'BTCUSDT', leverage: fixedFromText<'ratio'>('2') };
  const RESERVE = '/state/journal.reserve';
  const resting = (world: BotWorld) =>
    world.ownOrders().filter(({ status }) => status === 'created');

  const limitOrder = (bot: Bot, price: string): Command => ({
    kind: 'order',
    terms: {
      symbol: 'BTCUSDT',
      currency: 'USDT',
      side: 'buy',
      type: 'limit',
      quantity: fixedFromText('0.002'),
      price: fixedFromText<'price'>(price),
      reduceOnly: false,
    },
    validUntil: Math.ceil(bot.venueTimeIn(10_000)),
  });

  /** A session with an order far from the market; then the disk fails as the next one is given. */
  async function failing(fault: (world: BotWorld, operation: Operation) => DiskFault | undefined) {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'real' } },
      operator: { desk: DESK },
    });
    const bot = await world.start();
    await world.time.until(() => bot.engine.prices.last('BTCUSDT') !== undefined, 10_000);
    const last = bot.engine.prices.last('BTCUSDT') ?? 0;
    bot.command(limitOrder(bot, String(Math.floor(last * 0.98))));
    await world.time.until(() => resting(world).length === 1, 10_000);
    await world.time.run(5_000);
    world.files.failWith((operation) => fault(world, operation));
    bot.command(limitOrder(bot, String(Math.floor(last * 0.97))));
    await world.time.until(() => bot.failure !== undefined, 10_000);
    expect(bot.journalLost).toBe(true);
    return { world, bot };
  }

  const FAULTS: readonly (readonly [string, DiskFaults])[] = [
    ['is full for good', ({ bytes }) => (bytes > 0 ? { code: 'ENOSPC' } : undefined)],
    ['does not sync', ({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined)],
  ];
  test.each(FAULTS)('are still taken back when it %s', async (_what, fault) => {
    const { world, bot } = await failing((_world, operation) => fault(operation));
    expect(resting(world)).toHaveLength(1);
    await world.stop(bot, 'cancel-entries');
    expect(resting(world)).toEqual([]);
    expect(world.ownOrders(), 'the order without a journal never left').toHaveLength(1);
    await expectRecovery(world);
  });

  test('are told to the reserve as long as there is one, and the replay knows', async () => {
    const { world, bot } = await failing(({ files }, { bytes }) =>
      bytes > 0 && files.peek(RESERVE) !== undefined ? { code: 'ENOSPC' } : undefined,
    );
    const [order] = resting(world);
    await world.stop(bot, 'cancel-entries');
    expect(resting(world)).toEqual([]);
    const records = await world.journal();
    const rescue = records.findIndex(({ type }) => type === 'rescue');
    const after = records.slice(rescue);
    expect(after).toContainEqual(expect.objectContaining({ type: 'mode', to: 'HALTED' }));
    const { clientOrderId } = order ?? {};
    const end = { type: 'update', clientOrderId, status: 'canceled', final: true };
    // In the field its lookups miss for longer than the run waits: the next start proves the end.
    if (!isField) expect(after).toContainEqual(expect.objectContaining(end));
    expect(await replayOf(world)).toMatchObject({ identical: true, afterRescue: after.length });
    await expectRecovery(world);
    expect(world.files.peek(RESERVE), 'it is there again').toHaveLength(1024 * 1024);
  });
});
