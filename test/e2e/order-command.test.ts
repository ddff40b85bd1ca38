import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFiles } from '../../src/app/ports/node-files.js';
import { nodeProcessFacts } from '../../src/app/ports/process-facts.js';
import { fixedFromText } from '../../src/core/fixed.js';
import { acquireStateLock } from '../../src/execution/log/state-lock.js';
import { answersOf } from '../../src/sandbox/answers.js';
import { AccountDesk, typing } from '../harness/account-desk.js';
import { sluice } from '../harness/command-line.js';
import { readsCatchUp } from '../harness/quirks.js';

const PLACE = 'POST /fapi/v2/futures/order';
const BUY = 'order place buy BTCUSDT --quantity 0.002';
const REST = 'order place buy BTCUSDT --quantity 0.002 --limit 56000';

let desk: AccountDesk;
beforeEach(async () => {
  // The window of duplicates would make a test wait.
  desk = await AccountDesk.open({
    limits: false,
    risk: '{ preset: standard, duplicate_window_ms: 1 }',
  });
});
afterEach(async () => {
  await desk.close();
});

const orders = () => desk.exchange.allOrders();
const replayed = async () => {
  const replay = await sluice(['replay', desk.stateDir, '--json']);
  return JSON.parse(replay.stdout);
};

describe('sluice order place', () => {
  it('fills at the market, once, at the leverage of the configuration, and replays', async () => {
    const line = `${BUY} --stop 50000 --target 70000 --yes`;
    const { exitCode, json, stdout, stderr } = await desk.ask(line);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({
      outcome: 'yes',
      order: { symbol: 'BTCUSDT', side: 'buy', status: 'filled', filled_quantity: '0.002' },
    });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('buy 0.002 BTCUSDT, at the market');
    const placed = orders().filter(({ role }) => role === 'trade');
    expect(placed.map(({ clientOrderId }) => clientOrderId)).toEqual([json.order.client_order_id]);
    expect(desk.exchange.leverage('BTCUSDT', 'USDT')).toBe(fixedFromText('2'));
    const [position] = (await desk.ask('account positions')).json.positions;
    expect(position).toMatchObject({ stop_loss: '50000', take_profit: '70000' });
    expect(await replayed()).toMatchObject({ identical: true, sessions: [{ intents: 1 }] });
  });

  it('of a symbol that no strategy owns takes the leverage that the venue has', async () => {
    const line = 'order place buy ETHUSDT --quantity 0.05 --yes';
    const unset = await desk.say(line);
    expect(unset.exitCode).toBe(4);
    expect(unset.stderr).toContain('sluice account leverage set ETHUSDT 1');
    await desk.say('account leverage set ETHUSDT 3 --yes');
    expect((await desk.ask(line)).json.order.status).toBe('filled');
    expect(desk.exchange.leverage('ETHUSDT', 'USDT')).toBe(fixedFromText('3'));
  });

  it('closes with --reduce-only', async () => {
    await desk.say(`${BUY} --yes`);
    const line = 'order place sell BTCUSDT --quantity 0.002 --reduce-only --yes';
    expect((await desk.ask(line)).json.order.status).toBe('filled');
    expect(desk.exchange.positions('USDT')).toEqual([]);
  });

  it('finds an order whose answer was lost, and sends it once', async () => {
    await desk.faults([{ on: PLACE, fault: 'resp_lost', count: 1 }]);
    const { exitCode, json } = await desk.ask(`${BUY} --yes`);
    expect([exitCode, json.order.status]).toEqual([0, 'filled']);
    expect(orders()).toHaveLength(1);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('that is not proved in time says so, and the next command finds it', async () => {
    // So that no list of open orders shows it meanwhile.
    writeFileSync(
      desk.config,
      readFileSync(desk.config, 'utf8').replace('poll_ms: 500', 'poll_ms: 4000'),
    );
    await desk.faults([
      { on: PLACE, fault: 'resp_lost', count: 1 },
      { on: 'GET /futures/orders/detail', fault: 'html_5xx', count: 1_000 },
    ]);
    const { exitCode, json, stderr } = await desk.ask(`${REST} --wait 1s --yes`);
    expect([exitCode, json.outcome, json.order.status]).toEqual([1, 'unknown', 'unknown']);
    expect(stderr).toContain('looked for at the next start');
    await desk.faults([]);
    const line = `order cancel --client-id ${json.order.client_order_id} --yes`;
    expect((await desk.ask(line)).json.order.status).toBe('canceled');
    expect(orders()).toHaveLength(1);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('with --once is one order, however often it is said', async () => {
    const line = `${BUY} --once monday --yes`;
    const first = await desk.ask(line);
    const second = await desk.ask(line);
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(second.json).toEqual(first.json);
    expect(orders()).toHaveLength(1);
    const other = await desk.say('order place buy BTCUSDT --quantity 0.003 --once monday --yes');
    expect(other.exitCode).toBe(4);
    expect(other.stderr).toContain('--once monday has had another order already');
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('that the gate refuses exits with 4, and nothing is sent', async () => {
    const { exitCode, json } = await desk.ask('order place buy BTCUSDT --quantity 1 --yes');
    expect([exitCode, json.outcome]).toEqual([4, 'refused']);
    expect(json.reason).toContain('R01');
    expect(orders()).toEqual([]);
    expect(await replayed()).toMatchObject({ identical: true, sessions: [{ verdicts: 1 }] });
  });

  it('that the venue rejects exits with 1', async () => {
    await desk.faults([{ on: PLACE, fault: 'reject(insufficient balance)', count: 5 }]);
    const { exitCode, json } = await desk.ask(`${BUY} --yes`);
    expect([exitCode, json.outcome]).toEqual([1, 'no']);
    expect(json.order).toMatchObject({ status: 'rejected', reason: 'insufficient balance' });
  });

  it('of a symbol that is not listed names the one that was meant', async () => {
    const spoken = await desk.say('order place buy BTCUSD --quantity 0.002 --yes');
    expect(spoken.exitCode).toBe(2);
    expect(spoken.stderr).toContain('did you mean BTCUSDT?');
  });
});

describe('an order is confirmed', () => {
  it('by --yes where there is no terminal, else nothing is sent', async () => {
    const spoken = await desk.say(BUY);
    expect(spoken.exitCode).toBe(2);
    expect(spoken.stderr).toContain('add --yes');
    expect(orders()).toEqual([]);
  });

  it.each([
    { typed: 'yes', exitCode: 0, sent: 1 },
    { typed: 'y', exitCode: 1, sent: 0 },
    { typed: '', exitCode: 1, sent: 0 },
  ])('by typing yes at a terminal, not "$typed"', async ({ typed, exitCode, sent }) => {
    const spoken = await desk.say(BUY, { keyboard: typing(typed) });
    expect(spoken.exitCode).toBe(exitCode);
    expect(spoken.stderr).toContain('worth');
    expect(orders()).toHaveLength(sent);
  });
});

describe('an order by hand is refused', () => {
  it('with 3 while another process holds the state', async () => {
    const lock = await acquireStateLock(nodeFiles, desk.stateDir, nodeProcessFacts);
    const spoken = await desk.say(`${BUY} --yes`);
    await lock.release();
    expect(spoken.exitCode).toBe(3);
    expect(spoken.stderr).toContain(`process ${process.pid} works with this state_dir`);
    expect(orders()).toEqual([]);
  });

  it.each(['live', 'paper'])('with 4 in mode: %s', async (mode) => {
    const config = readFileSync(desk.config, 'utf8')
      .replace('mode: sandbox', `mode: ${mode}`)
      .replace('{ preset: standard, duplicate_window_ms: 1 }', '{ symbols_allow: [BTCUSDT] }');
    writeFileSync(desk.config, config);
    const spoken = await desk.say(`${BUY} --yes`);
    expect(spoken.exitCode).toBe(4);
    expect(spoken.stderr).toContain(`mode: ${mode} changes nothing by hand`);
    expect((await desk.say('account funds')).exitCode).toBe(0);
  });

  it('with 2 without a configuration', async () => {
    const spoken = await sluice([...BUY.split(' '), '--yes']);
    expect(spoken.exitCode).toBe(2);
    expect(spoken.stderr).toContain('needs --config FILE');
  });

  it('with 2 where the sandbox is embedded', async () => {
    const spoken = await sluice([...BUY.split(' '), '--config', 'config/demo.yaml', '--yes']);
    expect(spoken.exitCode).toBe(2);
    expect(spoken.stderr).toContain('start one with `sluice sandbox`');
  });
});

describe('a resting order', () => {
  const rest = async () => (await desk.ask(`${REST} --yes`)).json.order;

  it('is shown by either id', async () => {
    const order = await rest();
    expect(order.status).toBe('open');
    const byId = await desk.ask(`order show ${order.order_id}`);
    const byClientId = await desk.ask(`order show --client-id ${order.client_order_id}`);
    expect(byId.json).toMatchObject({ order: { status: 'created', price: '56000' }, fills: [] });
    expect(byClientId.json).toEqual(byId.json);
    expect((await desk.say('order show nonsense')).exitCode).toBe(1);
  });

  it('is canceled through the journal, by the id of the venue', async () => {
    const order = await rest();
    const { exitCode, json } = await desk.ask(`order cancel ${order.order_id} --yes`);
    expect([exitCode, json.order.status]).toEqual([0, 'canceled']);
    const again = await desk.ask(`order cancel ${order.order_id} --yes`);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('nothing to cancel');
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('is canceled past the journal while the kill switch is set, and nothing is placed', async () => {
    const order = await rest();
    writeFileSync(`${desk.stateDir}/KILL`, '');
    expect((await desk.say(`${BUY} --yes`)).exitCode).toBe(4);
    const canceled = await desk.ask(`order cancel ${order.order_id} --yes`);
    expect(canceled).toMatchObject({ exitCode: 0, json: { order: { status: 'canceled' } } });
    expect(orders()).toHaveLength(1);
  });

  it('is amended by a cancel, its proof, and a new order', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --yes`;
    const { exitCode, json } = await desk.ask(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({ status: 'open', price: '55000', quantity: '0.003' });
    const [old, replacement] = orders();
    expect([old?.status, replacement?.status]).toEqual(['canceled', 'created']);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('is amended in place on demand: one order, the same id, the new terms', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --in-place --yes`;
    const { exitCode, json } = await desk.ask(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({
      order_id: order.order_id,
      status: 'open',
      price: '55000',
      quantity: '0.003',
    });
    expect(orders().map(({ status }) => status)).toEqual(['created']);
    const canceled = await desk.ask(`order cancel ${order.order_id} --yes`);
    expect(canceled.json.order).toMatchObject({ status: 'canceled', quantity: '0.003' });
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('amended in place by a request that is lost is fenced, and what is left is placed', async () => {
    const order = await rest();
    await desk.faults([{ on: 'PATCH /futures/orders/*', fault: 'req_lost', count: 1 }]);
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --in-place --wait 60s --yes`;
    const { exitCode, json } = await desk.ask(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({ status: 'open', price: '55000', quantity: '0.003' });
    expect(orders().map(({ status }) => status)).toEqual(['canceled', 'created']);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('stays as it is where the gate would refuse the amended one', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 3 --yes`;
    const { exitCode, json } = await desk.ask(line);
    expect([exitCode, json.outcome]).toEqual([4, 'refused']);
    expect(orders().map(({ status }) => status)).toEqual(['created']);
  });

  it('that is partly filled is amended only on demand, for what is left', async () => {
    const order = await rest();
    desk.exchange.fillPart({ orderId: order.order_id }, fixedFromText('0.001'));
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.004 --yes`;
    const refused = await desk.say(line);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('0.001 of the order are filled already');
    const { json } = await desk.ask(`${line} --partial`);
    expect(json.order).toMatchObject({ status: 'open', quantity: '0.003' });
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('of somebody else is canceled by the word foreign alone', async () => {
    await rest();
    const placed = desk.exchange.place({
      terms: {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'buy',
        type: 'limit',
        quantity: fixedFromText('0.001'),
        price: fixedFromText('55500'),
        reduceOnly: false,
      },
      clientOrderId: 'by-hand-1',
    });
    if (!placed.ok) throw new Error('placed');
    await readsCatchUp();
    const line = `order cancel ${placed.value.orderId}`;
    expect((await desk.say(`${line} --yes`)).exitCode).toBe(2);
    expect((await desk.say(line, { keyboard: typing('yes') })).exitCode).toBe(1);
    const status = () =>
      orders().find(({ clientOrderId }) => clientOrderId === 'by-hand-1')?.status;
    expect(status()).toBe('created');
    expect((await desk.say(line, { keyboard: typing('foreign') })).exitCode).toBe(0);
    expect(status()).toBe('canceled');
    expect(
      (await desk.say(`order amend ${placed.value.orderId} --limit 1 --quantity 1 --yes`)).exitCode,
    ).toBe(4);
  });
});

describe('an order by hand in the wallet of the configuration', () => {
  it('is margined in INR where that trades INR', async () => {
    const inr = await AccountDesk.open({
      limits: false,
      risk: '{ preset: standard, currencies_allow: [INR] }',
      venue: ", trade_currency: INR, inr_rate: { value: '90' }",
    });
    const { exitCode, json } = await inr.ask(`${BUY} --yes`);
    const funds = (await inr.ask('account funds')).json;
    await inr.close();
    expect([exitCode, json.order.currency]).toEqual([0, 'INR']);
    expect(funds.currency).toBe('INR');
    expect(Number(funds.futures.locked)).toBeGreaterThan(0);
  });
});

describe('at a venue with the quirks of the field', () => {
  it('orders are placed, shown and canceled all the same', async () => {
    const { assumptions, switches, faults } = answersOf({ quirks: 'field' });
    const field = await AccountDesk.open({
      limits: false,
      risk: '{ preset: standard, duplicate_window_ms: 1 }',
      assumptions,
      switches,
      faults,
    });
    try {
      const placed = await field.ask(`${REST} --yes`);
      expect([placed.exitCode, placed.json.order.status]).toEqual([0, 'open']);
      const client = placed.json.order.client_order_id;
      const shown = await field.ask(`order show --client-id ${client}`);
      expect(shown.json.order.order_id).toBe(placed.json.order.order_id);
      const cancel = `order cancel --client-id ${client} --yes`;
      expect((await field.ask(cancel)).json.order.status).toBe('canceled');
      expect(field.exchange.openOrders('USDT')).toEqual([]);
    } finally {
      await field.close();
    }
  });
});
