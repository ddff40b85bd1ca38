import { describe, expect, it } from 'vitest';
import { BotWorld, LIVE_URLS, type FaultSpec } from '../support/rigs/bot-world.js';
import { demoConfig } from '../support/builders/demo-config.js';
import { replayOf } from '../support/rigs/replay-world.js';

const HOURS_MS = 3_600_000;

const configOf = (mode: 'live' | 'observe'): string =>
  demoConfig()
    .replace('mode: sandbox', `mode: ${mode}`)
    .replace('http://127.0.0.1:8787', LIVE_URLS.baseUrl)
    .replace('ws://127.0.0.1:8787', LIVE_URLS.wsUrl);

const worldOf = (mode: 'live' | 'observe', faults: readonly FaultSpec[] = []): BotWorld =>
  new BotWorld({
    config: configOf(mode),
    faults,
    sandbox: { clock: { kind: 'real' }, held: true },
  });

interface LoggedRequest {
  readonly method: string;
  readonly path: string;
}

async function requestsOf(world: BotWorld): Promise<readonly LoggedRequest[]> {
  const reply = await world.time.resolve(
    world.sandbox.handle({
      method: 'GET',
      path: '/sandbox/requests',
      query: '',
      headers: {},
      body: '',
    }),
  );
  if (reply === 'reset') throw new Error('the control path answers');
  return (JSON.parse(String(reply.body)) as { requests: LoggedRequest[] }).requests;
}

describe('a run that observes', () => {
  it('two venue hours send reads alone, and every order that would leave is logged', async () => {
    const world = worldOf('observe');
    const seen = new Set<string>();
    const bot = await world.start();
    for (let minute = 0; minute < 120; minute += 1) {
      await world.time.run(60_000);
      // The log of the sandbox is bounded.
      for (const { method } of await requestsOf(world)) seen.add(method);
    }
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect([...seen]).toEqual(['GET']);
    expect(world.sandbox.exchange.allOrders()).toEqual([]);
    const logged = world.log.filter(({ message }) => message.startsWith('would send: '));
    const orders = logged.filter(({ message }) => / (?:BTC|ETH|SOL)USDT at market/.test(message));
    expect(orders.length).toBeGreaterThan(3);
    expect(logged.some(({ message }) => message.startsWith('would send: leverage 2 of'))).toBe(
      true,
    );
    expect(bot.wouldSend).toEqual({ orders: orders.length, other: logged.length - orders.length });
    expect(bot.engine.counts.ordersPlaced).toBe(0);
    expect(bot.engine.restrictions, 'what was not sent is no fault of the venue').toEqual([]);
    expect(bot.engine.isReconciled).toBe(true);
    const journal = await world.journal();
    const outcomes = journal.flatMap((each) => (each.type === 'outcome' ? [each] : []));
    expect(outcomes.length).toBe(orders.length);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ outcome: 'no', code: 'observed' });
    expect(await replayOf(world)).toMatchObject({ identical: true });
  }, 120_000);
});

describe('mode: live', () => {
  it('two venue hours with faults end reconciled, and the replay is identical', async () => {
    const world = worldOf('live', [
      { on: 'POST /fapi/v2/futures/order', fault: 'resp_lost', probability: 0.2 },
      { on: 'POST /fapi/v2/futures/order', fault: 'req_lost', probability: 0.1 },
      { on: 'GET /fapi/v1/futures/orders/detail', fault: 'resp_lost', probability: 0.1 },
    ]);
    const bot = await world.start();
    await world.time.run(2 * HOURS_MS);
    await world.setFaults([]);
    await world.time.run(120_000);
    await world.stop(bot);
    expect(bot.failure).toBeUndefined();
    expect(bot.engine.counts.ordersFilled).toBeGreaterThan(5);
    expect(bot.engine.isReconciled).toBe(true);
    expect(bot.engine.ledger.unprovedCount).toBe(0);
    expect(bot.wouldSend).toBeUndefined();
    expect((await requestsOf(world)).some(({ path }) => path === '/sandbox/clock')).toBe(false);
    expect(await replayOf(world)).toMatchObject({ identical: true });
    const ids = world.ownOrders().map(({ clientOrderId }) => clientOrderId);
    expect(new Set(ids).size).toBe(ids.length);
  }, 120_000);
});
