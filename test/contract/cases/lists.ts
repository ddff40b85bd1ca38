import { CaseBook } from '../case.js';
import { Desk, V1 } from '../desk.js';
import { decimalOf, ensure, equal, records, success, textOf, type Fields } from '../expect.js';
import type { Venue } from '../venue.js';

export const lists = new CaseBook();
const add = lists.add.bind(lists);
const readOnly = { readOnly: true } as const;

const idsOf = (rows: readonly Fields[]): readonly string[] => rows.map((row) => textOf(row, 'id'));

/** So many resting orders, a venue second apart. @returns their ids, newest first */
async function resting(desk: Desk, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.unshift(textOf(await desk.rest(), 'order_id'));
    await desk.venue.pass(1_000);
  }
  return ids;
}

async function cancelAll(desk: Desk, ids: readonly string[]): Promise<void> {
  for (const id of ids) success(await desk.venue.call('DELETE', `${V1}/orders/${id}`));
}

/** So many round trips, a venue second apart: a fee and a history row each. */
async function roundTrips(desk: Desk, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await desk.fill('LONG');
    await desk.venue.pass(1_000);
    await desk.fill('SHORT', { reduce_only: true });
    await desk.venue.pass(1_000);
  }
}

add('P01', 'orders and their history show twenty rows', async (venue) => {
  const desk = await Desk.open(venue);
  const ids = await resting(desk, 23);
  equal(idsOf(await desk.list('orders')), ids.slice(0, 20), 'open orders');
  await cancelAll(desk, ids);
  equal((await desk.list('orders/history')).length, 20, 'rows of history');
});
add('P01', 'position and fee history show twenty rows', async (venue) => {
  const desk = await Desk.open(venue);
  await roundTrips(desk, 21);
  equal((await desk.list('positions/history')).length, 20, 'rows of position history');
  equal((await desk.list('fee/history')).length, 20, 'rows of fee history');
});

for (const path of ['orders', 'orders/history', 'positions/history', 'fee/history']) {
  add('P02', `limit bounds ${path}`, async (venue) => {
    const desk = await Desk.open(venue);
    await roundTrips(desk, 3);
    const ids = await resting(desk, 3);
    const all = await desk.list(path, { limit: '100' });
    ensure(all.length >= 3, 'three rows at least', all.length);
    equal(await desk.list(path, { limit: '2' }), all.slice(0, 2), 'the first two');
    await cancelAll(desk, ids);
  });
}
add('P02', 'limit may be above twenty', async (venue) => {
  const desk = await Desk.open(venue);
  const ids = await resting(desk, 22);
  equal((await desk.list('orders', { limit: '500' })).length, 22, 'rows');
  await cancelAll(desk, ids);
});
add('P02', 'limit bounds the transactions', async (venue) => {
  for (const from of ['SPOT', 'FUTURES', 'SPOT', 'FUTURES']) {
    const to = from === 'SPOT' ? 'FUTURES' : 'SPOT';
    const body = { from_wallet_type: from, to_wallet_type: to, amount: '1' };
    success(await venue.call('POST', `${V1}/transfers/inr`, { body }), 202);
    await venue.pass(1_000);
  }
  const query = { trade_currency: 'INR', limit: '3' };
  equal(
    records(success(await venue.call('GET', `${V1}/transactions`, { query }))).length,
    3,
    'rows',
  );
});

add('P03', 'offset skips records of fee history', async (venue) => {
  const desk = await Desk.open(venue);
  await roundTrips(desk, 3);
  const all = await desk.list('fee/history', { limit: '6' });
  equal(
    await desk.list('fee/history', { limit: '2', offset: '3' }),
    all.slice(3, 5),
    'rows 4 and 5',
  );
  equal(await desk.list('fee/history', { limit: '6', offset: '0' }), all, 'offset 0');
});

for (const path of ['orders', 'orders/history', 'positions/history'] as const) {
  add('P04', `an offset of ${path} from 1e11 on is an end time in ms`, async (venue) => {
    const desk = await Desk.open(venue);
    const one = await makeRow(desk, path);
    await venue.pass(5_000);
    const between = await venue.now();
    await venue.pass(5_000);
    const two = await makeRow(desk, path);
    const rows = await desk.list(path, { limit: '100', offset: String(between) });
    const ids = rows.map((row) => rowKey(row, path));
    ensure(ids.includes(one), 'what was created before it is listed', ids);
    ensure(!ids.includes(two), 'what was created after it is not', ids);
  });
}

async function makeRow(desk: Desk, path: 'orders' | 'orders/history' | 'positions/history') {
  if (path === 'positions/history') {
    const placed = await desk.fill('LONG');
    await desk.fill('SHORT', { reduce_only: true });
    return textOf(placed, 'position_id');
  }
  const id = textOf(await desk.rest(), 'order_id');
  if (path === 'orders/history') await cancelAll(desk, [id]);
  return id;
}

const rowKey = (row: Fields, path: string): string =>
  textOf(row, path === 'positions/history' ? 'position_id' : 'id');

add('P05', 'open orders come newest first', async (venue) => {
  const desk = await Desk.open(venue);
  const ids = await resting(desk, 4);
  equal(idsOf(await desk.list('orders')), ids, 'ids');
  await cancelAll(desk, ids);
});
for (const path of ['orders/history', 'positions/history']) {
  add('P05', `${path} comes newest first by created_at`, async (venue) => {
    const desk = await Desk.open(venue);
    await roundTrips(desk, 3);
    const times = (await desk.list(path, { limit: '100' })).map((row) => textOf(row, 'created_at'));
    equal(times, [...times].sort().reverse(), 'created_at');
  });
}

async function assets(venue: Venue, query: Readonly<Record<string, string>>) {
  return records(success(await venue.call('GET', V1, { query })), 'assets');
}

for (const sort of ['price', 'volume', 'change_perc', 'popularity']) {
  for (const order of ['asc', 'desc']) {
    add(
      'P06',
      `assets sorted by ${sort}, ${order}`,
      async (venue) => {
        const rows = await assets(venue, { sort, order, limit: '100' });
        const values = rows.map((row) => decimalOf(row, sort));
        const sorted = [...values].sort((a, b) => (order === 'asc' ? a.cmp(b) : b.cmp(a)));
        equal(values, sorted, sort);
      },
      readOnly,
    );
  }
}
add(
  'P06',
  'offset and limit page through the assets',
  async (venue) => {
    const sorted = { sort: 'price', order: 'asc' };
    const all = idsOf(await assets(venue, { ...sorted, limit: '100' }));
    equal(
      idsOf(await assets(venue, { ...sorted, offset: '2', limit: '3' })),
      all.slice(2, 5),
      'ids',
    );
  },
  readOnly,
);
add(
  'P06',
  'without a sort the highest popularity number comes first',
  async (venue) => {
    const ranks = (await assets(venue, { limit: '100' })).map((row) =>
      decimalOf(row, 'popularity'),
    );
    equal(
      ranks,
      [...ranks].sort((a, b) => b.cmp(a)),
      'popularity',
    );
  },
  readOnly,
);

const INR_TRANSFER = `${V1}/transfers/inr`;
async function transactions(venue: Venue, more: Readonly<Record<string, string>>) {
  const query = { trade_currency: 'INR', limit: '100', ...more };
  return records(success(await venue.call('GET', `${V1}/transactions`, { query })));
}
/** A deposit and a withdrawal, Completed. */
async function thereAndBack(venue: Venue): Promise<void> {
  for (const from of ['SPOT', 'FUTURES']) {
    const to = from === 'SPOT' ? 'FUTURES' : 'SPOT';
    const body = { from_wallet_type: from, to_wallet_type: to, amount: '1' };
    success(await venue.call('POST', INR_TRANSFER, { body }), 202);
    await venue.pass(2_000);
    await venue.wait(200);
  }
}
for (const type of ['DEPOSIT', 'WITHDRAW']) {
  add('P07', `type=${type} returns matching rows alone`, async (venue) => {
    await thereAndBack(venue);
    const rows = await transactions(venue, { type });
    ensure(rows.length > 0, 'rows');
    for (const row of rows) equal(row['transaction_type'], type, 'transaction_type');
  });
}
add('P07', 'status is given in lower case', async (venue) => {
  await thereAndBack(venue);
  const rows = await transactions(venue, { status: 'completed' });
  ensure(rows.length >= 2, 'rows', rows.length);
  for (const row of rows) equal(row['status'], 'Completed', 'status');
});
for (const sort_order of ['asc', 'desc']) {
  add('P07', `sort_order=${sort_order} orders by updated_at`, async (venue) => {
    await thereAndBack(venue);
    const rows = await transactions(venue, { sort_by: 'updated_at', sort_order });
    const times = rows.map((row) => textOf(row, 'updated_at'));
    const sorted = [...times].sort();
    equal(times, sort_order === 'asc' ? sorted : sorted.reverse(), 'updated_at');
  });
}
