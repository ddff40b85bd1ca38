import { describe, expect, it } from 'vitest';
import type { SimulatedExchange } from '../../src/exchange/simulated-exchange.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import type { PaperTerms } from '../../src/venue/paper/paper-input.js';
import { PaperLedger } from '../../src/venue/paper/paper-ledger.js';
import { BotWorld, START_MS, STATE_DIR } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import type { CrashPoints } from '../support/fakes/fake-process.js';
import { replayOf } from '../support/rigs/replay-world.js';

const config = demoConfig().replace('mode: sandbox', 'mode: paper');
const createPaperWorld = (seed = 1): BotWorld =>
  new BotWorld({ config, seed, sandbox: { clock: { kind: 'real' }, held: true } });

const TERMS: PaperTerms = {
  futures: { USDT: fixedFromText('10000'), INR: fixedFromText('1000000') },
  takerFeeRate: fixedFromText('0.00059'),
  makerFeeRate: fixedFromText('0.00023'),
  slippageBps: 5,
  limitFill: 'through',
  hedgeRate: fixedFromText('1'),
  assume: {},
};

/** The account as a start would find it on the world's disk. */
async function accountOn(world: BotWorld): Promise<SimulatedExchange> {
  const owner = { account: 'demo', terms: TERMS, nowMs: START_MS, hasJournaledOrders: true };
  const ledger = await PaperLedger.open(world.files.copy(), STATE_DIR, owner);
  return ledger.exchange;
}

/** Everything that a person could read of it. */
const snapshotOf = (exchange: SimulatedExchange) => ({
  orders: exchange.allOrders(),
  // Maintenance margin is of the price of the moment.
  positions: exchange.positions('USDT').map(({ maintenanceMargin: _of, ...position }) => position),
  closes: exchange.positionHistory('USDT'),
  fees: exchange.fees('USDT'),
  wallet: exchange.futuresWallet('USDT'),
  totals: exchange.totals('USDT'),
});

describe('a paper run', () => {
  it('trades on live prices, reconciles, and its record replays', async () => {
    const world = createPaperWorld();
    const bot = await world.start();
    await world.time.run(3_600_000);
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect(bot.engine.counts.ordersFilled).toBeGreaterThan(5);
    expect(bot.engine.isReconciled).toBe(true);
    expect(await replayOf(world)).toMatchObject({ identical: true });
    const exchange = await accountOn(world);
    for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
      expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(exchange.quantity(symbol, 'USDT'));
    }
    // Nothing of it reached the venue.
    expect(world.sandbox.exchange.allOrders()).toEqual([]);
  });

  it('goes on after a clean stop with the same account', async () => {
    const world = createPaperWorld();
    const first = await world.start();
    await world.time.until(() => [...first.engine.positions.openPositions()].length > 1, 3_600_000);
    await world.time.run(5_000);
    await world.stop(first, 'keep');
    const before = snapshotOf(await accountOn(world));
    expect(before.positions.length).toBeGreaterThan(1);

    const second = await world.start();
    expect(second.engine.isReconciled).toBe(true);
    expect(snapshotOf(await accountOn(world))).toEqual(before);
    await world.time.run(1_800_000);
    await world.stop(second);
    expect(second.engine.isReconciled).toBe(true);
    const ids = (await accountOn(world)).allOrders().map(({ orderId }) => orderId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const appends =
  (path: string, recordText: string) =>
  (file: string, text: string): boolean =>
    file.endsWith(path) && text.includes(recordText);

function nth(n: number, when: (file: string, text: string) => boolean) {
  let count = 0;
  return (file: string, text: string): boolean => when(file, text) && ++count === n;
}

const CRASH_POINTS: readonly (readonly [string, (n: number) => CrashPoints])[] = [
  [
    'before its order is in the account',
    (n) => ({ atAppend: nth(n, appends('/paper.log', '"kind":"place"')) }),
  ],
  [
    'before the fill is in the account',
    (n) => ({ atAppend: nth(n, appends('/paper.log', '"kind":"settle"')) }),
  ],
  [
    'before it knows the answer',
    (n) => ({ atAppend: nth(n, appends('/journal.log', '"type":"outcome"')) }),
  ],
  [
    'before it knows of the fill',
    (n) => ({ atAppend: nth(n, appends('/journal.log', '"type":"update"')) }),
  ],
];

describe.each(CRASH_POINTS)('a paper run stopped dead %s', (_where, crashPoints) => {
  it.each([1, 3, 6])('has exactly one order of it afterwards (occasion %i)', async (n) => {
    const world = createPaperWorld();
    await world.startUntilCrash(crashPoints(n), 3_600_000);
    const bot = await world.start();
    await world.time.run(30_000);
    await world.stop(bot);
    expect(bot.engine.isReconciled).toBe(true);
    expect(bot.engine.ledger.unprovedCount).toBe(0);
    const orders = (await accountOn(world)).allOrders();
    const ids = orders.flatMap(({ clientOrderId }) => clientOrderId ?? []);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
