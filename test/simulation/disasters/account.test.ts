import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DisasterWorld } from './disaster-world.js';

const RESTING = fileURLToPath(
  new URL('../../../bench/unknown-orders/resting-orders.ts', import.meta.url),
);

describe('a fill whose report is missing while everything else is fine', () => {
  it('is found by the positions, and the order is asked for again', async () => {
    const disaster = await DisasterWorld.started({
      strategy: RESTING,
      params: '{ rungs: 1 }',
      notional: 100,
    });
    const resting = () => disaster.world.ownOrders().find(({ endedAt }) => endedAt === undefined);
    await disaster.until(() => resting() !== undefined && disaster.hasStop('BTCUSDT'), 600_000);
    await disaster.run(10_000);
    const id = resting()?.clientOrderId ?? '';
    let lost = 0;
    disaster.process.instead = ({ url }) =>
      url.includes('/orders/detail') && url.includes(id) && (lost += 1) <= 1
        ? 'refused'
        : undefined;
    const before = disaster.position('BTCUSDT');
    await disaster.control('fill', { client_order_id: id, quantity: '0.001' });
    const own = () => disaster.bot.engine.positions.quantity('BTCUSDT', 'USDT');
    await disaster.until(() => own() === disaster.position('BTCUSDT'), 30_000);
    expect(disaster.position('BTCUSDT')).toBeGreaterThan(before);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});

describe('a liquidation while a request is in flight', () => {
  it('the position is gone on both sides, and nothing is bought again', async () => {
    const disaster = await DisasterWorld.holding();
    const { entries } = disaster;
    await disaster.world.setFaults([{ on: 'GET /futures/positions', fault: 'liq', count: 1 }]);
    await disaster.until(() => disaster.position('BTCUSDT') === 0, 10_000);
    const own = () => disaster.bot.engine.positions.quantity('BTCUSDT', 'USDT');
    await disaster.until(() => own() === 0, 30_000);
    await disaster.run(180_000);
    expect(disaster.entries).toBe(entries);
    await disaster.expectCleanReturn();
  });
});

describe('an order of a person in the same account', () => {
  it('restricts its symbol, and the share of the bot keeps its stop', async () => {
    const disaster = await DisasterWorld.holding({ symbols: 2 });
    const own = () => disaster.bot.engine.positions.ownQuantity('BTCUSDT', 'USDT');
    const [before, { entries }] = [own(), disaster];
    const answer = await disaster.request('POST', '/fapi/v2/futures/order?symbol=BTCUSDT', {
      trigger_type: 'MARKET',
      order_type: 'LONG',
      quantity: 0.001,
      trade_currency: 'USDT',
    });
    expect(answer.ok, answer.text).toBe(true);
    const mode = () => disaster.bot.engine.halts.reason('BTCUSDT');
    await disaster.until(() => mode() !== undefined, 60_000);
    // The whole position is believed once three reads over 30 s agree.
    await disaster.run(60_000);
    expect(disaster.bot.engine.halts.reason('ETHUSDT')).toBeUndefined();
    expect(own()).toBe(before);
    expect(disaster.entries).toBe(entries);
    await disaster.expectCleanReturn();
  });
});

describe('a deposit and a withdrawal in mid-trade', () => {
  it.each([
    ['deposit', 'SPOT', 'FUTURES'],
    ['withdrawal', 'FUTURES', 'SPOT'],
  ])('a %s closes and restricts nothing', async (_, from, to) => {
    const disaster = await DisasterWorld.holding();
    const held = disaster.position('BTCUSDT');
    const answer = await disaster.request('POST', '/fapi/v1/wallet/futures/transfer', {
      from_wallet_type: from,
      to_wallet_type: to,
      amount: '500',
    });
    expect(answer.ok, answer.text).toBe(true);
    await disaster.run(180_000);
    expect(disaster.position('BTCUSDT')).toBe(held);
    expect(disaster.mode).toBe('TRADING');
    await disaster.expectCleanReturn();
  });
});
