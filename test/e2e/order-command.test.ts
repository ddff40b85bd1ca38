import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/command-io.js';
import { nodeFiles } from '../../src/io/node/node-files.js';
import { nodeProcessFacts } from '../../src/io/node/process/node-process-facts.js';
import { fixedFromText } from '../../src/core/fixed/fixed.js';
import { acquireStateLock } from '../../src/io/log/state-lock.js';
import { resolveBehavior } from '../../src/sandbox/behavior/behavior-choices.js';
import { AccountCliRig, typedLines } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { waitForReadLag } from '../support/builders/quirks.js';

const PLACE = 'POST /fapi/v2/futures/order';
const BUY = 'order place buy BTCUSDT --quantity 0.002';
const REST = 'order place buy BTCUSDT --quantity 0.002 --limit 56000';

let rig: AccountCliRig;
beforeEach(async () => {
  // The window of duplicates would make a test wait.
  rig = await AccountCliRig.open({
    limits: false,
    risk: '{ preset: standard, duplicate_window_ms: 1 }',
  });
});
afterEach(async () => {
  await rig.close();
});

const orders = () => rig.exchange.allOrders();
/** Keeps an order with a lost answer out of every list of open orders meanwhile. */
const pollRarely = (): void => {
  const text = readFileSync(rig.config, 'utf8').replace('poll_ms: 500', 'poll_ms: 4000');
  writeFileSync(rig.config, text);
};
const replayed = async () => {
  const replay = await runSluice(['replay', rig.stateDir, '--json']);
  return JSON.parse(replay.stdout);
};

describe('sluice order place', () => {
  it('a market order fills once, at the configured leverage, and replays', async () => {
    const line = `${BUY} --stop 50000 --target 70000 --yes`;
    const { exitCode, json, stdout, stderr } = await rig.runJson(line);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({
      outcome: 'yes',
      order: { symbol: 'BTCUSDT', side: 'buy', status: 'filled', filled_quantity: '0.002' },
    });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('buy 0.002 BTCUSDT, at the market');
    const placed = orders().filter(({ role }) => role === 'trade');
    expect(placed.map(({ clientOrderId }) => clientOrderId)).toEqual([json.order.client_order_id]);
    expect(rig.exchange.leverage('BTCUSDT', 'USDT')).toBe(fixedFromText('2'));
    const [position] = (await rig.runJson('account positions')).json.positions;
    expect(position).toMatchObject({ stop_loss: '50000', take_profit: '70000' });
    expect(await replayed()).toMatchObject({ identical: true, sessions: [{ intents: 1 }] });
  });

  it.each([BUY, REST])('%s that the venue never takes is reported as not placed', async (line) => {
    await rig.faults([{ on: PLACE, fault: '500_before', count: 5 }]);
    const { exitCode, json, stderr } = await rig.runJson(`${line} --yes`);
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({
      outcome: 'no',
      order: { status: 'burned', quantity: '0.002', filled_quantity: '0' },
    });
    expect(json.order.price).toBe(line === REST ? '56000' : null);
    expect(stderr).toContain('nothing was placed: the venue did not take the order');
    expect(orders().every(({ status }) => status === 'canceled')).toBe(true);
  });

  it('the requests of a command stay within the limits of the venue', async () => {
    const limited = await AccountCliRig.open({ risk: '{ preset: standard }' });
    try {
      expect((await limited.run(`${BUY} --yes`)).exitCode).toBe(0);
      const log = await fetch(`${limited.served.server.baseUrl}/sandbox/requests`);
      const { requests } = (await log.json()) as { readonly requests: { status: number }[] };
      expect(requests.length).toBeGreaterThan(10);
      expect(requests.filter(({ status }) => status === 429)).toEqual([]);
    } finally {
      await limited.close();
    }
  });

  it('an order of a symbol that no strategy owns uses the venue’s leverage', async () => {
    const line = 'order place buy ETHUSDT --quantity 0.05 --yes';
    const unset = await rig.run(line);
    expect(unset.exitCode).toBe(4);
    expect(unset.stderr).toContain('sluice account leverage set ETHUSDT 1');
    await rig.run('account leverage set ETHUSDT 3 --yes');
    expect((await rig.runJson(line)).json.order.status).toBe('filled');
    expect(rig.exchange.leverage('ETHUSDT', 'USDT')).toBe(fixedFromText('3'));
  });

  it('--reduce-only closes', async () => {
    await rig.run(`${BUY} --yes`);
    const line = 'order place sell BTCUSDT --quantity 0.002 --reduce-only --yes';
    expect((await rig.runJson(line)).json.order.status).toBe('filled');
    expect(rig.exchange.positions('USDT')).toEqual([]);
  });

  it('an order with a lost answer is found and sent once', async () => {
    await rig.faults([{ on: PLACE, fault: 'resp_lost', count: 1 }]);
    const { exitCode, json } = await rig.runJson(`${BUY} --yes`);
    expect([exitCode, json.order.status]).toEqual([0, 'filled']);
    expect(orders()).toHaveLength(1);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('an order not proved in time is reported, and the next command finds it', async () => {
    pollRarely();
    await rig.faults([
      { on: PLACE, fault: 'resp_lost', count: 1 },
      { on: 'GET /futures/orders/detail', fault: 'html_5xx', count: 1_000 },
    ]);
    const { exitCode, json, stderr } = await rig.runJson(`${REST} --wait 1s --yes`);
    expect([exitCode, json.outcome, json.order.status]).toEqual([1, 'unknown', 'unknown']);
    expect(stderr).toContain('next start with this state_dir queries');
    await rig.faults([]);
    const line = `order cancel --client-id ${json.order.client_order_id} --yes`;
    expect((await rig.runJson(line)).json.order.status).toBe('canceled');
    expect(orders()).toHaveLength(1);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('Ctrl-C before the order is sent says that nothing was sent, and places nothing', async () => {
    const onSignal: Io['onSignal'] = (listener) => {
      queueMicrotask(() => {
        listener('SIGINT');
      });
      return () => undefined;
    };
    const { exitCode, stdout, stderr } = await rig.run(`${BUY} --yes`, { onSignal });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('SIGINT: stopping (once more leaves at once)');
    expect(stderr).toContain('nothing was sent: interrupted');
    expect(orders()).toEqual([]);
    expect((await rig.runJson(`${BUY} --yes`)).json.order.status).toBe('filled');
  });

  it('Ctrl-C after the order is sent reports it as unknown, and gives signals back', async () => {
    pollRarely();
    await rig.faults([
      { on: PLACE, fault: 'resp_lost', count: 1 },
      { on: 'GET /futures/orders/detail', fault: 'html_5xx', count: 1_000 },
    ]);
    let listeners = 0;
    const onSignal: Io['onSignal'] = (listener) => {
      listeners += 1;
      const sent = setInterval(() => {
        if (orders().length === 0) return;
        clearInterval(sent);
        listener('SIGINT');
      }, 20);
      return () => (listeners -= 1);
    };
    const { exitCode, json, stderr } = await rig.runJson(`${REST} --wait 1h --yes`, { onSignal });
    expect([exitCode, json.outcome]).toEqual([1, 'unknown']);
    expect(stderr).toContain('next start with this state_dir queries');
    expect(listeners).toBeLessThanOrEqual(0);
    await rig.faults([]);
    const line = `order cancel --client-id ${json.order.client_order_id} --yes`;
    expect((await rig.runJson(line)).json.order.status).toBe('canceled');
    expect(orders()).toHaveLength(1);
  });

  it('--once is one order, however often it is repeated', async () => {
    const line = `${BUY} --once monday --yes`;
    const first = await rig.runJson(line);
    const second = await rig.runJson(line);
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(second.json).toEqual(first.json);
    expect(orders()).toHaveLength(1);
    const other = await rig.run('order place buy BTCUSDT --quantity 0.003 --once monday --yes');
    expect(other.exitCode).toBe(4);
    expect(other.stderr).toContain('--once monday already placed another order');
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('an order refused by the gate exits with 4, and nothing is sent', async () => {
    const { exitCode, json } = await rig.runJson('order place buy BTCUSDT --quantity 1 --yes');
    expect([exitCode, json.outcome]).toEqual([4, 'refused']);
    expect(json.reason).toContain('R01');
    expect(orders()).toEqual([]);
    expect(await replayed()).toMatchObject({ identical: true, sessions: [{ verdicts: 1 }] });
  });

  it('an order rejected by the venue exits with 1', async () => {
    await rig.faults([{ on: PLACE, fault: 'reject(insufficient balance)', count: 5 }]);
    const { exitCode, json } = await rig.runJson(`${BUY} --yes`);
    expect([exitCode, json.outcome]).toEqual([1, 'no']);
    expect(json.order).toMatchObject({ status: 'rejected', reason: 'insufficient balance' });
  });

  it('an unlisted symbol is refused with the nearest name', async () => {
    const cliResult = await rig.run('order place buy BTCUSD --quantity 0.002 --yes');
    expect(cliResult.exitCode).toBe(2);
    expect(cliResult.stderr).toContain('did you mean BTCUSDT?');
  });
});

describe('confirmation of an order', () => {
  it('without a terminal --yes is required, else nothing is sent', async () => {
    const cliResult = await rig.run(BUY);
    expect(cliResult.exitCode).toBe(2);
    expect(cliResult.stderr).toContain('add --yes');
    expect(orders()).toEqual([]);
  });

  it.each([
    { typed: 'yes', exitCode: 0, sent: 1 },
    { typed: 'y', exitCode: 1, sent: 0 },
    { typed: '', exitCode: 1, sent: 0 },
  ])('at a terminal only a typed yes confirms, not "$typed"', async ({ typed, exitCode, sent }) => {
    const cliResult = await rig.run(BUY, { keyboard: typedLines(typed) });
    expect(cliResult.exitCode).toBe(exitCode);
    expect(cliResult.stderr).toContain('worth');
    expect(orders()).toHaveLength(sent);
  });
});

describe('a refused manual order', () => {
  it('the exit code is 3 while another process holds the state', async () => {
    const lock = await acquireStateLock(nodeFiles, rig.stateDir, nodeProcessFacts);
    const cliResult = await rig.run(`${BUY} --yes`);
    await lock.release();
    expect(cliResult.exitCode).toBe(3);
    expect(cliResult.stderr).toContain(`process ${process.pid} works with this state_dir`);
    expect(orders()).toEqual([]);
  });

  it.each(['live', 'paper'])('the exit code is 4 in mode: %s', async (mode) => {
    const config = readFileSync(rig.config, 'utf8')
      .replace('mode: sandbox', `mode: ${mode}`)
      .replace('{ preset: standard, duplicate_window_ms: 1 }', '{ symbols_allow: [BTCUSDT] }');
    writeFileSync(rig.config, config);
    const cliResult = await rig.run(`${BUY} --yes`);
    expect(cliResult.exitCode).toBe(4);
    expect(cliResult.stderr).toContain(`mode: ${mode} allows no manual changes`);
    const funds = await rig.run('account funds');
    // A real account is reached at public addresses alone.
    expect([funds.exitCode, funds.stderr.includes('127.0.0.1 is private')]).toEqual(
      mode === 'live' ? [1, true] : [0, false],
    );
  });

  it('the exit code is 2 without a configuration', async () => {
    const cliResult = await runSluice([...BUY.split(' '), '--yes']);
    expect(cliResult.exitCode).toBe(2);
    expect(cliResult.stderr).toContain('needs --config FILE');
  });

  it('the exit code is 2 with an embedded sandbox', async () => {
    const cliResult = await runSluice([...BUY.split(' '), '--config', 'config/demo.yaml', '--yes']);
    expect(cliResult.exitCode).toBe(2);
    expect(cliResult.stderr).toContain('start one with `sluice sandbox`');
  });
});

describe('a resting order', () => {
  const rest = async () => (await rig.runJson(`${REST} --yes`)).json.order;

  it('the order is shown by either id', async () => {
    const order = await rest();
    expect(order.status).toBe('open');
    const byId = await rig.runJson(`order show ${order.order_id}`);
    const byClientId = await rig.runJson(`order show --client-id ${order.client_order_id}`);
    expect(byId.json).toMatchObject({ order: { status: 'created', price: '56000' }, fills: [] });
    expect(byClientId.json).toEqual(byId.json);
    expect((await rig.run('order show nonsense')).exitCode).toBe(1);
  });

  it('the order is canceled through the journal, by the id of the venue', async () => {
    const order = await rest();
    const { exitCode, json } = await rig.runJson(`order cancel ${order.order_id} --yes`);
    expect([exitCode, json.order.status]).toEqual([0, 'canceled']);
    const again = await rig.runJson(`order cancel ${order.order_id} --yes`);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toContain('nothing to cancel');
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('the order is canceled past the journal while the kill switch is set, and nothing is placed', async () => {
    const order = await rest();
    writeFileSync(`${rig.stateDir}/KILL`, '');
    expect((await rig.run(`${BUY} --yes`)).exitCode).toBe(4);
    const canceled = await rig.runJson(`order cancel ${order.order_id} --yes`);
    expect(canceled).toMatchObject({ exitCode: 0, json: { order: { status: 'canceled' } } });
    expect(orders()).toHaveLength(1);
  });

  it('an amend is a cancel, its proof, and a new order', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --yes`;
    const { exitCode, json } = await rig.runJson(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({ status: 'open', price: '55000', quantity: '0.003' });
    const [old, replacement] = orders();
    expect([old?.status, replacement?.status]).toEqual(['canceled', 'created']);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('an amend in place on demand keeps one order and its id, with the new terms', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --in-place --yes`;
    const { exitCode, json } = await rig.runJson(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({
      order_id: order.order_id,
      status: 'open',
      price: '55000',
      quantity: '0.003',
    });
    expect(orders().map(({ status }) => status)).toEqual(['created']);
    const status = JSON.parse((await runSluice(['status', rig.stateDir, '--json'])).stdout);
    expect(status.orders).toMatchObject([{ price: '55000', quantity: '0.003' }]);
    const canceled = await rig.runJson(`order cancel ${order.order_id} --yes`);
    expect(canceled.json.order).toMatchObject({ status: 'canceled', quantity: '0.003' });
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('an amend in place with a lost request is fenced, and the rest is placed', async () => {
    const order = await rest();
    await rig.faults([{ on: 'PATCH /futures/orders/*', fault: 'req_lost', count: 1 }]);
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.003 --in-place --wait 60s --yes`;
    const { exitCode, json } = await rig.runJson(line);
    expect(exitCode).toBe(0);
    expect(json.order).toMatchObject({ status: 'open', price: '55000', quantity: '0.003' });
    expect(orders().map(({ status }) => status)).toEqual(['canceled', 'created']);
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('the order stays unchanged where the gate would refuse the amended one', async () => {
    const order = await rest();
    const line = `order amend ${order.order_id} --limit 55000 --quantity 3 --yes`;
    const { exitCode, json } = await rig.runJson(line);
    expect([exitCode, json.outcome]).toEqual([4, 'refused']);
    expect(orders().map(({ status }) => status)).toEqual(['created']);
  });

  it('a partly filled order is amended only on demand, for the rest', async () => {
    const order = await rest();
    rig.exchange.fillPart({ orderId: order.order_id }, fixedFromText('0.001'));
    const line = `order amend ${order.order_id} --limit 55000 --quantity 0.004 --yes`;
    const refused = await rig.run(line);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('0.001 of the order are filled already');
    const { json } = await rig.runJson(`${line} --partial`);
    expect(json.order).toMatchObject({ status: 'open', quantity: '0.003' });
    expect(await replayed()).toMatchObject({ identical: true });
  });

  it('an external order is canceled only by the typed word foreign', async () => {
    await rest();
    const placed = rig.exchange.place({
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
    await waitForReadLag();
    const line = `order cancel ${placed.value.orderId}`;
    expect((await rig.run(`${line} --yes`)).exitCode).toBe(2);
    expect((await rig.run(line, { keyboard: typedLines('yes') })).exitCode).toBe(1);
    const status = () =>
      orders().find(({ clientOrderId }) => clientOrderId === 'by-hand-1')?.status;
    expect(status()).toBe('created');
    expect((await rig.run(line, { keyboard: typedLines('foreign') })).exitCode).toBe(0);
    expect(status()).toBe('canceled');
    expect(
      (await rig.run(`order amend ${placed.value.orderId} --limit 1 --quantity 1 --yes`)).exitCode,
    ).toBe(4);
  });
});

describe('a manual order in the configured wallet', () => {
  it('the order has its margin in INR where the configuration trades INR', async () => {
    const inr = await AccountCliRig.open({
      limits: false,
      risk: '{ preset: standard, currencies_allow: [INR] }',
      venue: ", trade_currency: INR, inr_rate: { value: '90' }",
    });
    const { exitCode, json } = await inr.runJson(`${BUY} --yes`);
    const funds = (await inr.runJson('account funds')).json;
    await inr.close();
    expect([exitCode, json.order.currency]).toEqual([0, 'INR']);
    expect(funds.currency).toBe('INR');
    expect(Number(funds.futures.locked)).toBeGreaterThan(0);
  });
});

describe('a venue with the field quirks', () => {
  it('orders are placed, shown and canceled', async () => {
    const { assumptions, switches, faults } = resolveBehavior({ quirks: 'field' });
    const field = await AccountCliRig.open({
      limits: false,
      risk: '{ preset: standard, duplicate_window_ms: 1 }',
      assumptions,
      switches,
      faults,
    });
    try {
      const placed = await field.runJson(`${REST} --yes`);
      expect([placed.exitCode, placed.json.order.status]).toEqual([0, 'open']);
      const client = placed.json.order.client_order_id;
      const shown = await field.runJson(`order show --client-id ${client}`);
      expect(shown.json.order.order_id).toBe(placed.json.order.order_id);
      const cancel = `order cancel --client-id ${client} --yes`;
      expect((await field.runJson(cancel)).json.order.status).toBe('canceled');
      expect(field.exchange.openOrders('USDT')).toEqual([]);
    } finally {
      await field.close();
    }
  });
});
