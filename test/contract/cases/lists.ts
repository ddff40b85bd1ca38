import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, V1 } from '../contract-trader.js';
import { decimalOf, ensure, equal, records, success, textOf, type Fields } from '../expect.js';
import type { VenueUnderTest } from '../venue-under-test.js';

export const lists = new CaseRegistry();
const add = lists.add.bind(lists);
const readOnly = { readOnly: true } as const;

const idsOf = (rows: readonly Fields[]): readonly string[] => rows.map((row) => textOf(row, 'id'));

/** Places `count` resting orders, a venue second apart. @returns their ids, newest first */
async function resting(trader: ContractTrader, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.unshift(textOf(await trader.placeResting(), 'order_id'));
    await trader.venue.pass(1_000);
  }
  return ids;
}

async function cancelAll(trader: ContractTrader, ids: readonly string[]): Promise<void> {
  for (const id of ids) success(await trader.venue.call('DELETE', `${V1}/orders/${id}`));
}

/** Makes `count` round trips, a venue second apart. Each has a fee and a history row. */
async function roundTrips(trader: ContractTrader, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await trader.fill('LONG');
    await trader.venue.pass(1_000);
    await trader.fill('SHORT', { reduce_only: true });
    await trader.venue.pass(1_000);
  }
}

add('P01', 'orders and their history show twenty rows', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const ids = await resting(trader, 23);
  equal(idsOf(await trader.list('orders')), ids.slice(0, 20), 'open orders');
  await cancelAll(trader, ids);
  equal((await trader.list('orders/history')).length, 20, 'rows of history');
});
add('P01', 'position and fee history show twenty rows', async (venue) => {
  const trader = await ContractTrader.open(venue);
  await roundTrips(trader, 21);
  equal((await trader.list('positions/history')).length, 20, 'rows of position history');
  equal((await trader.list('fee/history')).length, 20, 'rows of fee history');
});

for (const path of ['orders', 'orders/history', 'positions/history', 'fee/history']) {
  add('P02', `limit bounds ${path}`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    await roundTrips(trader, 3);
    const ids = await resting(trader, 3);
    const all = await trader.list(path, { limit: '100' });
    ensure(all.length >= 3, 'three rows at least', all.length);
    equal(await trader.list(path, { limit: '2' }), all.slice(0, 2), 'the first two');
    await cancelAll(trader, ids);
  });
}
add('P02', 'limit may be above twenty', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const ids = await resting(trader, 22);
  equal((await trader.list('orders', { limit: '500' })).length, 22, 'rows');
  await cancelAll(trader, ids);
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
  const trader = await ContractTrader.open(venue);
  await roundTrips(trader, 3);
  const all = await trader.list('fee/history', { limit: '6' });
  equal(
    await trader.list('fee/history', { limit: '2', offset: '3' }),
    all.slice(3, 5),
    'rows 4 and 5',
  );
  equal(await trader.list('fee/history', { limit: '6', offset: '0' }), all, 'offset 0');
});

for (const path of ['orders', 'orders/history', 'positions/history'] as const) {
  add('P04', `an offset of ${path} from 1e11 on is an end time in ms`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const one = await makeRow(trader, path);
    await venue.pass(5_000);
    const between = await venue.now();
    await venue.pass(5_000);
    const two = await makeRow(trader, path);
    const rows = await trader.list(path, { limit: '100', offset: String(between) });
    const ids = rows.map((row) => rowKey(row, path));
    ensure(ids.includes(one), 'what was created before it is listed', ids);
    ensure(!ids.includes(two), 'what was created after it is not', ids);
  });
}

async function makeRow(
  trader: ContractTrader,
  path: 'orders' | 'orders/history' | 'positions/history',
) {
  if (path === 'positions/history') {
    const placed = await trader.fill('LONG');
    await trader.fill('SHORT', { reduce_only: true });
    return textOf(placed, 'position_id');
  }
  const id = textOf(await trader.placeResting(), 'order_id');
  if (path === 'orders/history') await cancelAll(trader, [id]);
  return id;
}

const rowKey = (row: Fields, path: string): string =>
  textOf(row, path === 'positions/history' ? 'position_id' : 'id');

add('P05', 'open orders come newest first', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const ids = await resting(trader, 4);
  equal(idsOf(await trader.list('orders')), ids, 'ids');
  await cancelAll(trader, ids);
});
for (const path of ['orders/history', 'positions/history']) {
  add('P05', `${path} comes newest first by created_at`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    await roundTrips(trader, 3);
    const times = (await trader.list(path, { limit: '100' })).map((row) =>
      textOf(row, 'created_at'),
    );
    equal(times, [...times].sort().reverse(), 'created_at');
  });
}

async function assets(venue: VenueUnderTest, query: Readonly<Record<string, string>>) {
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
async function transactions(venue: VenueUnderTest, more: Readonly<Record<string, string>>) {
  const query = { trade_currency: 'INR', limit: '100', ...more };
  return records(success(await venue.call('GET', `${V1}/transactions`, { query })));
}
/** A deposit and a withdrawal, Completed. */
async function thereAndBack(venue: VenueUnderTest): Promise<void> {
  for (const from of ['SPOT', 'FUTURES']) {
    const to = from === 'SPOT' ? 'FUTURES' : 'SPOT';
    const body = { from_wallet_type: from, to_wallet_type: to, amount: '1' };
    success(await venue.call('POST', INR_TRANSFER, { body }), 202);
    await venue.pass(2_000);
    await venue.wait(200);
  }
}
for (const type of ['DEPOSIT', 'WITHDRAW']) {
  add('P07', `type=${type} returns matching rows only`, async (venue) => {
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
