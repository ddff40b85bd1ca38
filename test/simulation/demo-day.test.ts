import { expect, it } from 'vitest';
import { KEPT_ENDED_ORDERS } from '../../src/execution/order/order-ledger.js';
import { summarise } from '../../src/live/summary/run-summary.js';
import { BotWorld } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { replayOf } from '../support/rigs/replay-world.js';

const DAY_AT_60_MS = 24 * 60_000;
/** The last filled entry of each side of three symbols, which stay for their stops. */
const LAST_ENTRIES = 6;

it('the demo trades 24 venue hours under preset standard, and its replay is identical', async () => {
  const world = new BotWorld({
    config: demoConfig(),
    sandbox: { clock: { kind: 'fast', factor: 60 }, held: true },
  });
  const bot = await world.start();
  await world.time.run(DAY_AT_60_MS);
  await world.stop(bot);
  const summary = summarise(bot.engine, 0, '');
  expect(bot.engine.haltReason).toBeUndefined();
  expect(summary).toMatchObject({ unknown: 0, reconciled: true, mode: 'TRADING' });
  for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
    const filled = world
      .ownOrders()
      .filter((order) => order.symbol === symbol && order.status === 'filled');
    expect(filled.length, symbol).toBeGreaterThan(10);
    expect(bot.engine.positions.quantity(symbol, 'USDT')).toBe(world.venuePosition(symbol));
  }
  const restrictions = (await world.journal()).filter(
    (record) => record.type === 'mode' && record.symbol !== undefined,
  );
  expect(restrictions, 'no control stops a symbol of a calm market').toEqual([]);
  const explained = Object.values(summary.refused_by).reduce((sum, count) => sum + count, 0);
  expect(explained).toBe(summary.refused);
  const { ledger } = bot.engine;
  expect(ledger.nextKey, 'more orders than stay in memory').toBeGreaterThan(KEPT_ENDED_ORDERS);
  expect(ledger.all.length).toBeLessThanOrEqual(KEPT_ENDED_ORDERS + LAST_ENTRIES);
  expect(world.ownOrders().every(({ clientOrderId = '' }) => ledger.known(clientOrderId))).toBe(
    true,
  );
  expect((await replayOf(world)).identical).toBe(true);
}, 240_000);

it('two runs on the same market take the same decisions, whatever the jitter', async () => {
  const decisions = await Promise.all([1, 2].map(async (seed) => decisionsOf(seed)));
  expect(decisions[0]?.length).toBeGreaterThan(10);
  expect(decisions[1]).toEqual(decisions[0]);
}, 60_000);

/**
 * The seed moves the network's jitter, never the market. Sorted: the second leg of a reversal is decided
 * on when the first is proved, which may be before or after what another symbol does on that candle.
 */
async function decisionsOf(jitter: number): Promise<readonly string[]> {
  const world = new BotWorld({
    config: demoConfig(),
    // At sixty two minutes are two seconds: where reads lag, the first leg of a reversal is proved about
    // when the validity of the second ends (D-020), so that jitter decides whether that one leaves.
    sandbox: { clock: { kind: 'fast', factor: 20 }, held: true, seed: 1 },
    faults: [{ on: '*', fault: 'resp_delay', probability: 0.3, delay_ms: 5 + 20 * jitter }],
    seed: jitter,
  });
  const bot = await world.start();
  bot.decideUntil(bot.venueTimeIn(90_000));
  // What the last candle decided needs its time to end, where lookups lag.
  await world.time.run(110_000);
  await world.stop(bot);
  const journal = await world.journal();
  return journal
    .flatMap((record) =>
      record.type === 'intent' ? [`${record.decisionKey} ${record.clientOrderId}`] : [],
    )
    .sort();
}
