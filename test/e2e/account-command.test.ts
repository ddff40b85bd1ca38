import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { subtract, fixedFromText } from '../../src/core/fixed.js';
import { AccountDesk, typing } from '../harness/account-desk.js';
import { sluice } from '../harness/command-line.js';
import { isField, readsCatchUp } from '../harness/quirks.js';

let desk: AccountDesk;
beforeEach(async () => {
  desk = await AccountDesk.open({ limits: false });
});
afterEach(async () => {
  await desk.close();
});

const BTC = { symbol: 'BTCUSDT', currency: 'USDT' } as const;

/** Orders that rest, so many of them, given past every journal. */
async function rest(count: number): Promise<void> {
  desk.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
  for (let index = 0; index < count; index += 1) {
    const placed = desk.exchange.place({
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
  await readsCatchUp();
}

/** An open position of 0.002 BTC. */
async function fill(): Promise<void> {
  desk.exchange.setLeverage('BTCUSDT', 'USDT', fixedFromText('2'));
  const placed = desk.exchange.place({
    terms: {
      ...BTC,
      side: 'buy',
      type: 'market',
      quantity: fixedFromText('0.002'),
      reduceOnly: false,
    },
  });
  if (!placed.ok) throw new Error(placed.code);
  desk.exchange.settle();
  await readsCatchUp();
}

describe('sluice account', () => {
  it('funds shows both wallets of a currency', async () => {
    expect((await desk.ask('account funds')).json).toMatchObject({
      currency: 'USDT',
      futures: { total: '10000', free: '10000', locked: '0' },
      spot: { total: '100000' },
    });
    expect((await desk.ask('account funds --currency INR')).json).toMatchObject({
      currency: 'INR',
      futures: { total: '1000000' },
      spot: { total: '10000000' },
    });
  });

  it('lists what there is', async () => {
    await fill();
    const rows = async (what: string) => {
      const { json } = await desk.ask(`account ${what}`);
      return json[what.includes('--closes') ? 'closes' : (what.split(' ')[0] as string)];
    };
    const list = async (what: string) => (await rows(what))[0];
    expect(await list('positions')).toMatchObject({ symbol: 'BTCUSDT', quantity: '0.002' });
    expect(await list('history')).toMatchObject({ status: 'filled', filled_quantity: '0.002' });
    // A venue of the field gives a part of each fee back, as a newer row of its own.
    const kinds = isField ? ['rebate', 'transaction'] : ['transaction'];
    expect(await rows('fees')).toMatchObject(kinds.map((kind) => ({ kind, symbol: 'BTCUSDT' })));
    expect(await list('instruments')).toMatchObject({ quantity_step: expect.any(String) });
    expect(await list('orders')).toBeUndefined();
    expect(await list('transactions')).toBeUndefined();
    expect(await list('history --closes')).toBeUndefined();
    await rest(1);
    expect(await list('orders')).toMatchObject({ client_order_id: 'rest-0', price: '50000' });
  });

  it('shows 20 rows, as many as are asked for, or all', async () => {
    await rest(45);
    const rows = async (options: string) =>
      (await desk.ask(`account orders ${options}`)).json.orders.length;
    expect([await rows('--limit 20'), await rows('--limit 33'), await rows('--all')]).toEqual([
      20, 33, 45,
    ]);
    expect((await desk.ask('account orders')).json.orders).toHaveLength(20);
  });

  it('prints tables, coloured on a terminal and never under NO_COLOR', async () => {
    await fill();
    const plain = await desk.say('account positions');
    expect(plain.stdout).toContain('│ BTCUSDT │');
    const green = '\u001b[32mlong';
    expect((await desk.say('account positions', { isTerminal: true })).stdout).toContain(green);
    const env = { NO_COLOR: '1' };
    const quiet = await desk.say('account positions', { isTerminal: true, env });
    expect(quiet.stdout).toBe(plain.stdout);
    expect((await desk.say('account orders')).stdout).toBe('no open orders\n');
  });

  it('reads with addresses and a secret alone', async () => {
    const { baseUrl, wsUrl } = desk.served.server;
    const where = ['--base-url', baseUrl, '--ws-url', wsUrl, '--secret-file', desk.secret];
    const spoken = await sluice(['account', 'funds', ...where, '--currency', 'INR', '--json']);
    expect(JSON.parse(spoken.stdout)).toMatchObject({ currency: 'INR' });
  });

  it.each([
    { args: ['account', 'funds'], exitCode: 2, says: 'say where the venue is' },
    { args: ['account', 'fnds'], exitCode: 2, says: 'funds' },
    {
      args: ['account', 'funds', '--base-url', 'http://127.0.0.1:1', '--secret-file', 'nowhere'],
      exitCode: 2,
      says: 'there is no such secret file',
    },
    { args: ['account', 'orders', '--limit', '0'], exitCode: 2, says: 'a whole number from 1' },
    { args: ['account', 'transfer', 'up', '5'], exitCode: 2, says: 'to-futures, to-spot' },
    { args: ['order', 'cancel', '--yes'], exitCode: 2, says: 'by its id, or by --client-id' },
    { args: ['order', 'place', 'buy', 'BTCUSDT'], exitCode: 2, says: '--quantity' },
  ])('$args ends with $exitCode', async ({ args, exitCode, says }) => {
    const spoken = await sluice(args);
    expect(spoken.exitCode).toBe(exitCode);
    expect(spoken.stderr).toContain(says);
  });

  it('tells that nothing answers', async () => {
    const args = ['--base-url', 'http://127.0.0.1:9', '--secret-file', desk.secret];
    const spoken = await sluice(['account', 'funds', ...args]);
    expect(spoken.exitCode).toBe(1);
    expect(spoken.stderr).toContain('the futures wallet cannot be read');
  });

  it('waits where the venue has had too many requests', async () => {
    await desk.faults([{ on: 'GET /futures/funds', fault: '429(2)', count: 2 }]);
    expect((await desk.say('account funds')).exitCode).toBe(0);
  });
});

describe('sluice account leverage', () => {
  it('is read, set and read back', async () => {
    expect((await desk.ask('account leverage BTCUSDT')).json.leverage).toBeNull();
    const set = await desk.ask('account leverage set BTCUSDT 3.5 --yes');
    expect(set).toMatchObject({ exitCode: 0, json: { symbol: 'BTCUSDT', leverage: '3.5' } });
    expect(set.stderr).toContain('never set → 3.5');
    expect(set.stderr).toContain('btc sets it back to 2 when `sluice run` starts');
    expect((await desk.ask('account leverage BTCUSDT')).json.leverage).toBe('3.5');
    const replay = await sluice(['replay', desk.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  });

  it.each([
    { value: '1000', exitCode: 2, says: 'BTCUSDT takes 1 to 100' },
    { value: '6', exitCode: 4, says: 'above risk.max_leverage 5' },
  ])('$value is refused', async ({ value, exitCode, says }) => {
    const spoken = await desk.say(`account leverage set BTCUSDT ${value} --yes`);
    expect(spoken.exitCode).toBe(exitCode);
    expect(spoken.stderr).toContain(says);
    expect(desk.exchange.leverage('BTCUSDT', 'USDT')).toBeUndefined();
  });

  it('of a symbol with a position or an order stays, unless forced', async () => {
    await fill();
    const line = 'account leverage set BTCUSDT 3 --yes';
    const spoken = await desk.say(line);
    expect(spoken.exitCode).toBe(4);
    expect(spoken.stderr).toContain('BTCUSDT has a position open');
    expect((await desk.say(`${line} --force`)).exitCode).toBe(0);
  });

  it('of an order beyond the first page is seen', async () => {
    await rest(30);
    expect((await desk.say('account leverage set BTCUSDT 3 --yes')).exitCode).toBe(4);
  });

  it('is set once more by a lost answer, not twice by a second request', async () => {
    await desk.faults([{ on: 'POST /futures/BTCUSDT/leverage', fault: 'resp_lost', count: 1 }]);
    expect((await desk.ask('account leverage set BTCUSDT 3 --yes')).json.leverage).toBe('3');
  });
});

const POST = 'POST /wallet/futures/transfer';
const futures = () => desk.exchange.futuresWallet('USDT');

describe('sluice account transfer', () => {
  it.each([
    { line: 'to-futures 100', direction: 'deposit', currency: 'USDT' },
    { line: 'to-spot 100', direction: 'withdraw', currency: 'USDT' },
    { line: 'to-futures 100 --currency INR', direction: 'deposit', currency: 'INR' },
  ])('$line is proved by its row', async ({ line, direction, currency }) => {
    const { exitCode, json } = await desk.ask(`account transfer ${line} --yes`);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ direction, amount: '100', currency });
    const { transactions } = (await desk.ask(`account transactions --currency ${currency}`)).json;
    expect(transactions).toHaveLength(1);
    const replay = await sluice(['replay', desk.stateDir, '--json']);
    expect(JSON.parse(replay.stdout)).toMatchObject({ identical: true });
  });

  it('whose answer is lost is found and not sent again', async () => {
    const before = futures();
    await desk.faults([{ on: POST, fault: 'resp_lost', count: 1 }]);
    expect((await desk.say('account transfer to-futures 100 --yes')).exitCode).toBe(0);
    expect(subtract(futures().balance, before.balance)).toBe(fixedFromText('100'));
  });

  it('that is not proved keeps the next one back until a person has looked', async () => {
    await desk.faults([{ on: POST, fault: 'req_lost', count: 1 }]);
    const lost = await desk.say('account transfer to-futures 100 --yes', { clock: hurried() });
    expect(lost.exitCode).toBe(1);
    expect(lost.stderr).toContain('its outcome is not proved');
    const next = await desk.say('account transfer to-futures 100 --yes');
    expect(next.exitCode).toBe(4);
    expect(next.stderr).toContain('an earlier transfer has no proved outcome (100 USDT');
    expect((await desk.say('account transfer to-futures 100 --yes --force')).exitCode).toBe(0);
    expect((await desk.ask('account transactions')).json.transactions).toHaveLength(1);
  });

  it('that the venue refuses moves nothing', async () => {
    const spoken = await desk.say('account transfer to-futures 1000000 --yes');
    expect(spoken.exitCode).toBe(1);
    expect(spoken.stderr).toContain('the venue refuses the transfer: insufficient balance');
    expect((await desk.say('account transfer to-futures 1 --yes')).exitCode).toBe(0);
  });

  it('is typed or flagged', async () => {
    expect((await desk.say('account transfer to-futures 1')).exitCode).toBe(2);
    const keyboard = typing('yes');
    expect((await desk.say('account transfer to-futures 1', { keyboard })).exitCode).toBe(0);
  });

  it('is refused without a journal to stand in', async () => {
    writeFileSync(
      desk.config,
      readFileSync(desk.config, 'utf8')
        .replace('sandbox', 'live')
        .replace('{ preset: standard }', '{ symbols_allow: [BTCUSDT] }'),
    );
    expect((await desk.say('account transfer to-futures 1 --yes')).exitCode).toBe(4);
  });
});

/** A clock on which every look is a second later: what is waited for is given up soon. */
function hurried() {
  let at = 0;
  return { monotonicMs: () => (at += 1_000), utcMs: () => Date.UTC(2025, 4, 5) };
}
