import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { subtract, fixedFromText } from '../../src/core/fixed/fixed.js';
import type { Clock } from '../../src/core/ports.js';
import { nodeClock } from '../../src/io/node/node-clock.js';
import { AccountCliRig, typedLines } from '../support/rigs/account-cli-rig.js';
import { runSluice } from '../support/rigs/cli-runner.js';
import { isField, waitForReadLag } from '../support/builders/quirks.js';

let rig: AccountCliRig;
beforeEach(async () => {
  rig = await AccountCliRig.open({ limits: false });
});
afterEach(async () => {
  await rig.close();
});

const BTC = { symbol: 'BTCUSDT', currency: 'USDT' } as const;

/** Places resting orders past every journal. */
async function rest(count: number): Promise<void> {
  rig.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
  for (let index = 0; index < count; index += 1) {
    const placed = rig.exchange.place({
      terms: {
        ...BTC,
        side: 'buy',
        type: 'limit',
        quantity: fixedFromText('0.001'),
        price: fixedFromText('50000'),
        reduceOnly: false,
      },
      clientOrderId: `rest-${index}`,
    });
    if (!placed.ok) throw new Error(placed.code);
  }
  await waitForReadLag();
}

/** An open position of 0.002 BTC. */
async function fill(): Promise<void> {
  rig.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
  const placed = rig.exchange.place({
    terms: {
      ...BTC,
      side: 'buy',
      type: 'market',
      quantity: fixedFromText('0.002'),
      reduceOnly: false,
    },
  });
  if (!placed.ok) throw new Error(placed.code);
  rig.exchange.matchPending();
  await waitForReadLag();
}

describe('sluice account', () => {
  it('account funds shows both wallets of a currency', async () => {
    expect((await rig.runJson('account funds')).json).toMatchObject({
      currency: 'USDT',
      futures: { total: '10000', free: '10000', locked: '0' },
      spot: { total: '100000' },
    });
    expect((await rig.runJson('account funds --currency INR')).json).toMatchObject({
      currency: 'INR',
      futures: { total: '1000000' },
      spot: { total: '10000000' },
    });
  });

  it('account lists show existing rows', async () => {
    await fill();
    const rows = async (what: string) => {
      const { json } = await rig.runJson(`account ${what}`);
      return json[what.includes('--closes') ? 'closes' : (what.split(' ')[0] as string)];
    };
    const list = async (what: string) => (await rows(what))[0];
    expect(await list('positions')).toMatchObject({ symbol: 'BTCUSDT', quantity: '0.002' });
    expect(await list('history')).toMatchObject({ status: 'filled', filled_quantity: '0.002' });
    // A venue with field quirks returns a part of each fee as a newer row of its own.
    const kinds = isField ? ['rebate', 'transaction'] : ['transaction'];
    expect(await rows('fees')).toMatchObject(kinds.map((kind) => ({ kind, symbol: 'BTCUSDT' })));
    expect(await list('instruments')).toMatchObject({ quantity_step: expect.any(String) });
    expect(await list('orders')).toBeUndefined();
    expect(await list('transactions')).toBeUndefined();
    expect(await list('history --closes')).toBeUndefined();
    await rest(1);
    expect(await list('orders')).toMatchObject({ client_order_id: 'rest-0', price: '50000' });
  });

  it('a list shows 20 rows, the given number, or all', async () => {
    await rest(45);
    const rows = async (options: string) =>
      (await rig.runJson(`account orders ${options}`)).json.orders.length;
    expect([await rows('--limit 20'), await rows('--limit 33'), await rows('--all')]).toEqual([
      20, 33, 45,
    ]);
    expect((await rig.runJson('account orders')).json.orders).toHaveLength(20);
  });

  it('tables are printed, coloured on a terminal and never under NO_COLOR', async () => {
    await fill();
    const plain = await rig.run('account positions');
    expect(plain.stdout).toContain('│ BTCUSDT │');
    const green = '\u001b[32mlong';
    expect((await rig.run('account positions', { isTerminal: true })).stdout).toContain(green);
    const env = { NO_COLOR: '1' };
    const quiet = await rig.run('account positions', { isTerminal: true, env });
    expect(quiet.stdout).toBe(plain.stdout);
    expect((await rig.run('account orders')).stdout).toBe('no open orders\n');
  });

  it('reads need only addresses and a secret', async () => {
    const { baseUrl, wsUrl } = rig.served.server;
    const where = ['--base-url', baseUrl, '--ws-url', wsUrl, '--secret-file', rig.secret];
    const cliResult = await runSluice([
      'account',
      'funds',
      ...where,
      '--currency',
      'INR',
      '--json',
    ]);
    expect(JSON.parse(cliResult.stdout)).toMatchObject({ currency: 'INR' });
  });

  it.each([
    { args: ['account', 'funds'], exitCode: 2, message: 'name the venue' },
    { args: ['account', 'fnds'], exitCode: 2, message: 'funds' },
    {
      args: ['account', 'funds', '--base-url', 'http://127.0.0.1:1', '--secret-file', 'nowhere'],
      exitCode: 2,
      message: 'there is no such secret file',
    },
    { args: ['account', 'orders', '--limit', '0'], exitCode: 2, message: 'a whole number from 1' },
    { args: ['account', 'transfer', 'up', '5'], exitCode: 2, message: 'to-futures, to-spot' },
    { args: ['order', 'cancel', '--yes'], exitCode: 2, message: 'by its id, or by --client-id' },
    { args: ['order', 'place', 'buy', 'BTCUSDT'], exitCode: 2, message: '--quantity' },
  ])('$args ends with $exitCode', async ({ args, exitCode, message }) => {
    const cliResult = await runSluice(args);
    expect(cliResult.exitCode).toBe(exitCode);
    expect(cliResult.stderr).toContain(message);
  });

  it('an address without a server is reported', async () => {
    const args = ['--base-url', 'http://127.0.0.1:9', '--secret-file', rig.secret];
    const cliResult = await runSluice(['account', 'funds', ...args]);
    expect(cliResult.exitCode).toBe(1);
    expect(cliResult.stderr).toContain('the futures wallet cannot be read');
  });

  it('the command waits after too many requests', async () => {
    await rig.faults([{ on: 'GET /futures/funds', fault: '429(2)', count: 2 }]);
    expect((await rig.run('account funds')).exitCode).toBe(0);
  });
});

describe('sluice account leverage', () => {
  it('a leverage is read, set and read back', async () => {
    expect((await rig.runJson('account leverage BTCUSDT')).json.leverage).toBeNull();
    const set = await rig.runJson('account leverage set BTCUSDT 2.5 --yes');
    expect(set).toMatchObject({ exitCode: 0, json: { symbol: 'BTCUSDT', leverage: '2.5' } });
    expect(set.stderr).toContain('never set → 2.5');
    expect(set.stderr).toContain('btc sets it back to 2 when `sluice run` starts');
    expect((await rig.runJson('account leverage BTCUSDT')).json.leverage).toBe('2.5');
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  });

  it.each([
    { value: '1000', exitCode: 2, message: 'BTCUSDT takes 1 to 100' },
    { value: '6', exitCode: 4, message: 'above risk.max_leverage 3' },
  ])('a leverage of $value is refused', async ({ value, exitCode, message }) => {
    const cliResult = await rig.run(`account leverage set BTCUSDT ${value} --yes`);
    expect(cliResult.exitCode).toBe(exitCode);
    expect(cliResult.stderr).toContain(message);
    expect(rig.exchange.leverage('BTCUSDT', 'USDT')).toBeUndefined();
  });

  it('the leverage of a symbol with a position or an order stays, unless forced', async () => {
    await fill();
    const line = 'account leverage set BTCUSDT 3 --yes';
    const cliResult = await rig.run(line);
    expect(cliResult.exitCode).toBe(4);
    expect(cliResult.stderr).toContain('BTCUSDT has a position open');
    expect((await rig.run(`${line} --force`)).exitCode).toBe(0);
  });

  it('an order beyond the first page counts too', async () => {
    await rest(30);
    expect((await rig.run('account leverage set BTCUSDT 3 --yes')).exitCode).toBe(4);
  });

  it('a lost answer makes one more set request, and a successful one none', async () => {
    await rig.faults([{ on: 'POST /futures/BTCUSDT/leverage', fault: 'resp_lost', count: 1 }]);
    expect((await rig.runJson('account leverage set BTCUSDT 3 --yes')).json.leverage).toBe('3');
  });
});

const POST = 'POST /wallet/futures/transfer';
const futures = () => rig.exchange.futuresWallet('USDT');

describe('sluice account transfer', () => {
  it.each([
    { line: 'to-futures 100', direction: 'deposit', currency: 'USDT' },
    { line: 'to-spot 100', direction: 'withdraw', currency: 'USDT' },
    { line: 'to-futures 100 --currency INR', direction: 'deposit', currency: 'INR' },
  ])('the transfer $line is proved by its row', async ({ line, direction, currency }) => {
    const { exitCode, json } = await rig.runJson(`account transfer ${line} --yes`);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ direction, amount: '100', currency });
    const { transactions } = (await rig.runJson(`account transactions --currency ${currency}`))
      .json;
    expect(transactions).toHaveLength(1);
    const replay = await runSluice(['replay', rig.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  });

  it('a transfer with a lost answer is found and not sent again', async () => {
    const before = futures();
    await rig.faults([{ on: POST, fault: 'resp_lost', count: 1 }]);
    expect((await rig.run('account transfer to-futures 100 --yes')).exitCode).toBe(0);
    expect(subtract(futures().balance, before.balance)).toBe(fixedFromText('100'));
  });

  it('an unproved transfer blocks the next one until a person has resolved it', async () => {
    await rig.faults([{ on: POST, fault: 'req_lost', count: 1 }]);
    const requests = vi.spyOn(rig.served.sandbox, 'handle');
    const isSent = () => requests.mock.calls.some(([{ method }]) => method === 'POST');
    const clock = hurriedOnce(isSent);
    const lost = await rig.run('account transfer to-futures 100 --yes', { clock });
    expect(lost.exitCode).toBe(1);
    expect(lost.stderr).toContain('its outcome is not proved');
    const next = await rig.run('account transfer to-futures 100 --yes');
    expect(next.exitCode).toBe(4);
    expect(next.stderr).toContain('an earlier transfer has no proved outcome (100 USDT');
    expect((await rig.run('account transfer to-futures 100 --yes --force')).exitCode).toBe(0);
    expect((await rig.runJson('account transactions')).json.transactions).toHaveLength(1);
  });

  it('a refused transfer moves nothing', async () => {
    const cliResult = await rig.run('account transfer to-futures 1000000 --yes');
    expect(cliResult.exitCode).toBe(1);
    expect(cliResult.stderr).toContain('the venue refuses the transfer: insufficient balance');
    expect((await rig.run('account transfer to-futures 1 --yes')).exitCode).toBe(0);
  });

  it('a transfer needs the typed confirmation or the flag', async () => {
    expect((await rig.run('account transfer to-futures 1')).exitCode).toBe(2);
    const keyboard = typedLines('yes');
    expect((await rig.run('account transfer to-futures 1', { keyboard })).exitCode).toBe(0);
  });

  it('a transfer without a journal is refused', async () => {
    writeFileSync(
      rig.config,
      readFileSync(rig.config, 'utf8')
        .replace('sandbox', 'live')
        .replace('{ preset: standard }', '{ symbols_allow: [BTCUSDT] }'),
    );
    expect((await rig.run('account transfer to-futures 1 --yes')).exitCode).toBe(4);
  });
});

/** A clock of this machine that, once the condition holds, also advances by a second per call. */
function hurriedOnce(condition: () => boolean): Clock {
  let aheadMs = 0;
  return {
    monotonicMs: () => nodeClock.monotonicMs() + (condition() ? (aheadMs += 1_000) : 0),
    utcMs: () => Date.UTC(2025, 4, 5),
  };
}
