import { describe, expect, it } from 'vitest';
import type { FeeReport } from '../../core/account.js';
import { fixedFromText, type Amount } from '../../core/fixed/fixed.js';
import type { Outcome } from '../../core/request.js';
import type { FeeDetail, ListRange } from '../../venue/futures-api/futures-api.js';
import { feesRow, readFees } from './charged-fees.js';

const amount = (text: string) => fixedFromText<'USDT'>(text) as Amount;
const row = (at: number, text = '0.1', kind: FeeReport['kind'] = 'transaction'): FeeDetail => ({
  id: `f${at}`,
  symbol: 'BTCUSDT',
  currency: 'USDT',
  kind,
  amount: amount(text),
  value: amount('1'),
  percent: '0.05',
  createdAt: at * 1_000,
});

/** Newest first; `cap` rows a call. */
function venueOf(rows: FeeDetail[], cap = 50, between: () => void = () => undefined) {
  const requests: (ListRange | undefined)[] = [];
  const feeHistory = (
    _currency: string,
    range?: ListRange,
  ): Promise<Outcome<readonly FeeDetail[]>> => {
    if (requests.length > 0) between();
    requests.push(range);
    const from = range?.offset ?? 0;
    const value = rows.slice(from, from + Math.min(cap, range?.limit ?? cap));
    return Promise.resolve({ kind: 'yes', value });
  };
  return { api: { feeHistory }, requests };
}

describe('the fees of a run', () => {
  it('fees are summed exactly by kind, from the start of the run on', async () => {
    const rows = [
      row(9, '0.1'),
      row(8, '0.2'),
      row(7, '-0.00000001', 'funding'),
      row(6, '0.05', 'rebate'),
      row(4, '5'),
    ];
    const fees = await readFees(venueOf(rows).api, 'USDT', 5_000);
    expect(fees && feesRow(fees)).toEqual({
      trading: '0.3',
      funding: '-0.00000001',
      rebates: '0.05',
      total: '0.24999999',
    });
  });

  it('fees are read over as many pages as needed', async () => {
    const rows = Array.from({ length: 130 }, (_, at) => row(1_000 - at));
    const { api, requests } = venueOf(rows);
    const fees = await readFees(api, 'USDT', 0);
    expect(fees && feesRow(fees).trading).toBe('13');
    expect(requests.map((range) => range?.offset)).toEqual([undefined, 50, 100, 130, undefined]);
  });

  it('there is no sum where a row arrived between two pages', async () => {
    const rows = Array.from({ length: 130 }, (_, at) => row(1_000 - at));
    let next = 2_000;
    const { api } = venueOf(rows, 50, () => void rows.unshift(row((next += 1))));
    expect(await readFees(api, 'USDT', 0)).toBeUndefined();
  });

  it.each<[string, Outcome<readonly FeeDetail[]>]>([
    ['the history cannot be read', { kind: 'unknown', cause: 'HTTP 500', sent: true }],
    [
      'a row does not read',
      { kind: 'yes', value: [], unreadable: [{ symbol: 'BTCUSDT', fault: 'fee_amount' }] },
    ],
    ['a row has no time', { kind: 'yes', value: [(({ createdAt: _, ...rest }) => rest)(row(9))] }],
  ])('there is no sum where %s', async (_, outcome) => {
    const api = { feeHistory: () => Promise.resolve(outcome) };
    expect(await readFees(api, 'USDT', 0)).toBeUndefined();
  });
});
