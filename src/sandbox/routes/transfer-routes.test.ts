import { beforeEach, describe, expect, test } from 'vitest';
import { openTestSandbox, type TestSandbox } from '../../../test/support/rigs/test-sandbox.js';
import { shapeOf } from '../../../test/support/builders/wire-shape.js';

const USDT = '/fapi/v1/wallet/futures/transfer';
const INR = '/fapi/v1/futures/transfers/inr';
const TRANSACTIONS = '/fapi/v1/futures/transactions';

const toFutures = (amount: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  from_wallet_type: 'SPOT',
  to_wallet_type: 'FUTURES',
  amount,
  ...more,
});
const toSpot = (amount: unknown) => ({
  ...toFutures(amount),
  from_wallet_type: 'FUTURES',
  to_wallet_type: 'SPOT',
});

let testSandbox: TestSandbox;
beforeEach(() => {
  testSandbox = openTestSandbox();
});

const funds = async (currency: 'USDT' | 'INR') => {
  const spot = await testSandbox.data('GET', `/fapi/v1/wallet/funds?currency=${currency}`);
  const futures = await testSandbox.data(
    'GET',
    `/fapi/v1/futures/funds?trade_currency=${currency}`,
  );
  return [
    (spot as { withdrawable: number }).withdrawable,
    (futures as { balance: string }).balance,
  ];
};

describe('transfers', () => {
  test('a USDT transfer is accepted with 202 and moves the amount', async () => {
    const { status, json } = await testSandbox.call('POST', USDT, toFutures('12.5'));
    expect(status).toBe(202);
    expect(json).toEqual({
      success: true,
      data: { msg: 'internal_wallet_fund_transfer_request accepted' },
    });
    expect(await funds('USDT')).toEqual([99_987.5, '10012.5']);
    await testSandbox.call('POST', USDT, toSpot(2.5));
    expect(await funds('USDT')).toEqual([99_990, '10010']);
    expect(await funds('INR')).toEqual([10_000_000, '1000000']);
  });

  test('an INR transfer is accepted with 202 and its id, which transactions list again', async () => {
    const { status, json } = await testSandbox.call('POST', INR, toFutures('500.25'));
    expect(status).toBe(202);
    const { data } = json as { data: { id: string } };
    expect(shapeOf(data)).toEqual({ id: 'uuid' });
    expect(await funds('INR')).toEqual([9_999_499.75, '1000500.25']);
    const rows = await testSandbox.data('GET', `${TRANSACTIONS}?trade_currency=INR`);
    expect(rows).toEqual([
      {
        id: data.id,
        wallet_transaction_id: '',
        transaction_type: 'DEPOSIT',
        amount: '500.25',
        status: 'Completed',
        created_at: '2025-05-05T00:00:00Z',
        updated_at: '2025-05-05T00:00:00Z',
        trade_currency: 'INR',
      },
    ]);
    expect(await testSandbox.data('GET', TRANSACTIONS)).toEqual([]);
  });

  test.each([
    ['more than there is', USDT, toFutures('100000.01'), 'insufficient balance', null],
    ['an astronomical amount', USDT, toFutures(1e300), 'insufficient balance', null],
    [
      'INR on the USDT path',
      USDT,
      toFutures('1', { trade_currency: 'INR' }),
      'insufficient balance',
      null,
    ],
    [
      'two equal wallets',
      USDT,
      toFutures('1', { to_wallet_type: 'SPOT' }),
      'From and To wallet types must be different',
      null,
    ],
    ['more INR than there is', INR, toSpot('1000000.01'), 'insufficient balance', null],
    [
      'a foreign currency',
      USDT,
      toFutures('1', { trade_currency: 'EUR' }),
      'Invalid trade currency',
      400,
    ],
    [
      'USDT on the INR path',
      INR,
      toFutures('1', { trade_currency: 'USDT' }),
      'Invalid trade currency',
      400,
    ],
    ['no amount', USDT, toFutures(undefined), 'Params error', 400],
    ['nothing', USDT, toFutures('0'), 'Params error', 400],
    ['less than nothing', INR, toFutures('-1'), 'Params error', 400],
    ['finer than money is', USDT, toFutures('0.000000001'), 'Params error', 400],
    ['an invalid amount', USDT, toFutures('much'), 'Params error', 400],
    ['an unknown wallet', USDT, toFutures('1', { from_wallet_type: 'spot' }), 'Params error', 400],
    ['no wallets', INR, { amount: '1' }, 'Params error', 400],
    ['malformed JSON', USDT, '{', 'Params error', 400],
  ])('a transfer of %s is refused and moves nothing', async (_name, path, body, text, code) => {
    const { status, json } = await testSandbox.call('POST', path, body);
    expect(status).toBe(400);
    expect(json).toEqual({ success: false, errors: [{ code, text }] });
    expect(await funds('USDT')).toEqual([100_000, '10000']);
    expect(await funds('INR')).toEqual([10_000_000, '1000000']);
    expect(await testSandbox.data('GET', TRANSACTIONS)).toEqual([]);
  });

  test('an INR transfer tolerates its own currency', async () => {
    const body = toFutures('1', { trade_currency: 'INR' });
    expect((await testSandbox.call('POST', INR, body)).status).toBe(202);
  });
});

describe('transactions', () => {
  beforeEach(async () => {
    for (const amount of ['30', '10', '20']) {
      await testSandbox.call('POST', USDT, toFutures(amount));
      testSandbox.sandbox.advance(60_000);
    }
    await testSandbox.call('POST', USDT, toSpot('5'));
  });

  const amounts = async (query: string) =>
    ((await testSandbox.data('GET', `${TRANSACTIONS}${query}`)) as { amount: string }[]).map(
      ({ amount }) => amount,
    );

  test.each([
    ['', ['5', '20', '10', '30']],
    ['?limit=2', ['5', '20']],
    ['?limit=2&offset=1', ['20', '10']],
    ['?type=DEPOSIT', ['20', '10', '30']],
    ['?type=WITHDRAW', ['5']],
    ['?status=completed', ['5', '20', '10', '30']],
    ['?status=COMPLETED&type=WITHDRAW', ['5']],
    ['?status=processing', []],
    ['?sort_order=asc', ['30', '10', '20', '5']],
    ['?sort_by=updated_at&sort_order=desc', ['5', '20', '10', '30']],
    ['?sort_by=updated_at&sort_order=asc&limit=1', ['30']],
    ['?sort_by=amount&sort_order=asc', ['5', '10', '20', '30']],
    ['?sort_by=amount', ['30', '20', '10', '5']],
    ['?sort_by=transaction_type&sort_order=asc&type=', ['30', '10', '20', '5']],
    ['?trade_currency=INR', []],
  ])('the query %s is answered', async (query, expected) => {
    expect(await amounts(query)).toEqual(expected);
  });

  test.each([
    ['?trade_currency=EUR', 'Invalid trade currency'],
    ['?type=deposit', 'Params error'],
    ['?sort_by=constructor', 'Params error'],
    ['?sort_order=up', 'Params error'],
    ['?limit=x', 'Params error'],
  ])('the query %s is refused', async (query, text) => {
    expect(await testSandbox.refusal('GET', `${TRANSACTIONS}${query}`)).toEqual([400, text]);
  });
});

describe('the spot wallet', () => {
  test('the spot wallet answers POST like GET', async () => {
    const { status, json } = await testSandbox.call('POST', '/fapi/v1/wallet/funds?currency=INR');
    expect(status).toBe(200);
    expect(json).toEqual(
      (await testSandbox.call('GET', '/fapi/v1/wallet/funds?currency=INR')).json,
    );
  });

  test('the futures path of the wallet tolerates a source', async () => {
    const path = '/fapi/v1/futures/funds';
    expect(await testSandbox.data('GET', `${path}?source=api`)).toEqual(
      await testSandbox.data('GET', path),
    );
  });
});
