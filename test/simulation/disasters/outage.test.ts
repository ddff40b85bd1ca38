import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../../src/core/ports.js';
import type { Instead } from '../../support/fakes/hindered-process.js';
import { DisasterWorld } from './disaster-world.js';

const HOUR_MS = 3_600_000;
const RESTING = fileURLToPath(
  new URL('../../../bench/unknown-orders/resting-orders.ts', import.meta.url),
);
const PAGE = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: '<html>maintenance</html>',
};
const LOCKED = {
  status: 423,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"errors":[{"code":423,"text":"under maintenance"}]}',
};
const FAILED = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"errors":[{"text":"internal error"}]}',
};
const isRead = ({ method }: HttpRequest): boolean => method === 'GET';
const isWrite = (request: HttpRequest): boolean => !isRead(request);
const isSandboxOnly = ({ url }: HttpRequest): boolean => url.includes('/sandbox/');

const answer =
  (instead: Instead, to: (request: HttpRequest) => boolean = () => true) =>
  (request: HttpRequest): Instead =>
    to(request) && !isSandboxOnly(request) ? instead : undefined;

describe('maintenance of the venue for an hour', () => {
  it.each([
    ['503 with a page', PAGE],
    ['423 with a text of its own', LOCKED],
  ])(
    'answered with %s: one notice at its start, one at its end, a clean return',
    async (_, page) => {
      const disaster = await DisasterWorld.holding({ symbols: 2 });
      const { entries } = disaster;
      const from = disaster.now;
      disaster.process.instead = answer(page);
      disaster.process.passes = () => false;
      await disaster.run(30_000);
      expect(disaster.mode).toBe('REDUCE_ONLY');
      await disaster.run(HOUR_MS - 30_000);
      disaster.process.instead = () => undefined;
      disaster.process.passes = () => true;
      const ended = disaster.now;
      await disaster.until(() => disaster.mode === 'TRADING', 240_000);
      expect(disaster.lines(/the venue cannot be read/, from)).toHaveLength(1);
      expect(disaster.lines(/the venue can be read again, after (59 min|1 h)/, from)).toHaveLength(
        1,
      );
      const lines = disaster.alarms(from).filter(({ at }) => at < ended);
      // Poll, restriction, market data, and two lines of each symbol's candles.
      expect(lines.length).toBeLessThanOrEqual(7);
      expect(disaster.entries).toBe(entries);
      await disaster.expectCleanReturn();
    },
  );
});

describe('no name resolves, with an order resting', () => {
  it('for 10 min: the order is not forgotten, nothing is placed, and the bot goes on', async () => {
    const disaster = await DisasterWorld.started({
      strategy: RESTING,
      params: '{ rungs: 1 }',
      notional: 100,
    });
    const resting = () => disaster.world.ownOrders().filter(({ endedAt }) => endedAt === undefined);
    await disaster.until(() => resting().length >= 1 && disaster.hasStop('BTCUSDT'), 600_000);
    await disaster.run(10_000);
    const [order] = resting();
    const from = disaster.now;
    disaster.process.goOffline();
    await disaster.run(120_000);
    // It fills while nobody can see it.
    await disaster.control('fill', { client_order_id: order?.clientOrderId, quantity: '0.001' });
    await disaster.run(480_000);
    expect(disaster.mode).toBe('REDUCE_ONLY');
    expect(disaster.bot.engine.ledger.byClientOrderId(order?.clientOrderId ?? '')?.ended).toBe(
      false,
    );
    disaster.process.goOnline();
    await disaster.until(() => disaster.mode === 'TRADING', 240_000);
    // The strategy asks again at each candle that it missed.
    const alarms = disaster
      .alarms(from)
      .filter(({ message }) => !message.includes('refused: mode'));
    expect(alarms.length).toBeLessThanOrEqual(8);
    await disaster.expectCleanReturn();
  });
});

describe('reads are down and writes are up', () => {
  it('for 5 min: no entry leaves, and the position keeps its stop', async () => {
    const disaster = await DisasterWorld.holding();
    const { entries } = disaster;
    disaster.process.instead = answer(
      FAILED,
      (request) => isRead(request) && request.url.includes('/futures/'),
    );
    await disaster.run(300_000);
    expect(disaster.entries).toBe(entries);
    expect(disaster.isGuarded).toBe(true);
    disaster.process.instead = () => undefined;
    await disaster.until(() => disaster.mode === 'TRADING', 240_000);
    await disaster.expectCleanReturn();
  });
});

describe('writes are down and reads are up', () => {
  it('for 5 min with a stop that disappears: the close is tried until the venue takes it', async () => {
    const disaster = await DisasterWorld.holding();
    disaster.process.instead = answer(FAILED, isWrite);
    await disaster.world.setFaults([
      { on: 'GET /futures/positions', fault: 'manual_op(unprotect)', count: 1 },
    ]);
    await disaster.run(300_000);
    expect(disaster.position('BTCUSDT')).not.toBe(0);
    disaster.process.instead = () => undefined;
    const from = disaster.now;
    await disaster.until(() => disaster.isGuarded, 30_000);
    expect(disaster.now - from).toBeLessThan(30_000);
    await disaster.expectCleanReturn();
  });
});
