import { expect, it } from 'vitest';
import {
  add,
  numberFromFixed,
  textFromFixed,
  ZERO,
  type Amount,
} from '../../src/core/fixed/fixed.js';
import { journalStatement } from '../../src/live/books/journal-ledger.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { BotWorld } from '../support/rigs/bot-world.js';

it("the journal's own fills have the profit that the venue booked for them", async () => {
  const world = new BotWorld({
    config: demoConfig({ onStop: 'keep' }),
    sandbox: { clock: { kind: 'fast', factor: 60 }, held: true },
  });
  const bot = await world.start();
  await world.time.run(8 * 60_000);
  await world.stop(bot, 'keep');
  const records = await world.journal();
  const statement = journalStatement({ records, currency: 'USDT', range: {} });
  const fills = statement.rows.filter(({ kind }) => kind === 'fill');
  const orders = world.ownOrders().filter(({ filledQuantity }) => filledQuantity > 0);
  expect(fills.map(({ clientOrderId = '' }) => clientOrderId).sort()).toEqual(
    orders.map(({ clientOrderId = '' }) => clientOrderId).sort(),
  );
  expect(fills.length).toBeGreaterThan(10);
  const closes = world.sandbox.exchange.positionHistory('USDT');
  // A close by a stop at the venue is no fill of an order of ours, and its price is not in the journal.
  const own = closes.filter(({ role }) => role === undefined || role === 'trade');
  const profit = (amounts: readonly Amount[]): number =>
    numberFromFixed(amounts.reduce((sum, amount) => add(sum, amount), ZERO as Amount));
  expect(profit(fills.map(({ amount }) => amount))).toBeCloseTo(
    profit(own.map(({ pnl }) => pnl)),
    5,
  );
  const sum = statement.rows.reduce((total, { amount }) => add(total, amount), statement.opening);
  expect(textFromFixed(sum)).toBe(textFromFixed(statement.closing));
}, 120_000);
