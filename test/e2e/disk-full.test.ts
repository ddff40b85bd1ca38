import { describe, expect, test } from 'vitest';
import type { Bot } from '../../src/live/bot/bot.js';
import { reportFailure } from '../../src/cli/report-failure.js';
import type { OperatorCommand } from '../../src/core/events.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import type { DiskFault, DiskFaults, Operation } from '../support/fakes/memory-files.js';
import { replayOf } from '../support/rigs/replay-world.js';
import { isField } from '../support/builders/quirks.js';

const REAL_CLOCK = { clock: { kind: 'real' }, held: true } as const;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

const createWorld = (): BotWorld => new BotWorld({ config: demoConfig(), sandbox: REAL_CLOCK });

/** Runs until the bot has failed from within. @returns its failure as the command prints it */
async function failureOf(world: BotWorld, bot: Bot, withinMs = 3_600_000) {
  await world.time.until(() => bot.failure !== undefined, withinMs);
  return reportFailure(bot.failure, false);
}

/** The disk is full from the n-th operation on for which `when` holds. */
function fullFrom(n: number, when: (operation: Operation) => boolean) {
  let seen = 0;
  return (operation: Operation) => {
    if (seen < n && when(operation)) seen += 1;
    const writes = operation.bytes > 0;
    return seen >= n && writes ? { code: 'ENOSPC', bytesKept: operation.bytes >> 1 } : undefined;
  };
}

/** Every order at the venue was journaled, intent and attempt, before it was sent. */
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

/** A start with space on the disk finds everything and continues. */
async function expectRecovery(world: BotWorld): Promise<void> {
  world.files.failWith(() => undefined);
  const bot = await world.start();
  await world.time.run(30_000);
  await world.stop(bot);
  expect(bot.failure).toBeUndefined();
  expect(bot.engine.ledger.unprovedCount).toBe(0);
  expect(bot.engine.isReconciled).toBe(true);
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
    test.each([3, 12, 22, 40])('the %ith write fails without an unjournaled order', async (n) => {
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
      // Requests waiting for the journal are never sent, not even later.
      expect(world.ownOrders()).toHaveLength(orders);
      await expectJournaled(world);
      await expectRecovery(world);
    });
  });

  test('a failed sync counts as a full disk: nothing is sent on an unsynced record', async () => {
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

  test('a full disk before the start is reported at once and holds nothing', async () => {
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

describe('resting orders when the disk fails', () => {
  const MANUAL_CONFIG = { symbol: 'BTCUSDT', leverage: fixedFromText<'ratio'>('2') };
  const RESERVE = '/state/journal.reserve';
  const resting = (world: BotWorld) =>
    world.ownOrders().filter(({ status }) => status === 'created');

  const limitOrder = (bot: Bot, price: string): OperatorCommand => ({
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

  /** A session with an order far from the market; the disk fails as the next one is placed. */
  async function failing(fault: (world: BotWorld, operation: Operation) => DiskFault | undefined) {
    const world = new BotWorld({
      config: demoConfig(),
      sandbox: { clock: { kind: 'real' } },
      operator: { desk: MANUAL_CONFIG },
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
    expect(bot.isCancelOnly).toBe(true);
    return { world, bot };
  }

  const FAULTS: readonly (readonly [string, DiskFaults])[] = [
    ['is full for good', ({ bytes }) => (bytes > 0 ? { code: 'ENOSPC' } : undefined)],
    ['does not sync', ({ kind }) => (kind === 'sync' ? { code: 'EIO' } : undefined)],
  ];
  test.each(FAULTS)('resting orders are still cancelled when the disk %s', async (_what, fault) => {
    const { world, bot } = await failing((_world, operation) => fault(operation));
    expect(resting(world)).toHaveLength(1);
    await world.stop(bot, 'cancel-entries');
    expect(resting(world)).toEqual([]);
    expect(world.ownOrders(), 'the order without a journal never left').toHaveLength(1);
    await expectRecovery(world);
  });

  test('the cancels are written to the reserved disk space, and the replay reads them', async () => {
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
    // With field quirks lookups miss for longer than the run waits: the next start proves the end.
    if (!isField) expect(after).toContainEqual(expect.objectContaining(end));
    expect(await replayOf(world)).toMatchObject({ identical: true, afterRescue: after.length });
    await expectRecovery(world);
    expect(world.files.peek(RESERVE), 'it is there again').toHaveLength(1024 * 1024);
  });
});
