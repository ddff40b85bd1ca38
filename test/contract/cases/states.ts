import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, freshId, until, V1 } from '../contract-trader.js';
import {
  decimalOf,
  ensure,
  equal,
  near,
  record,
  refused,
  sameNumber,
  success,
  textOf,
  type Fields,
} from '../expect.js';
import { controlsOf, type VenueUnderTest } from '../venue-under-test.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';

export const states = new CaseRegistry();
const add = states.add.bind(states);

const idOf = (fields: Fields): string => textOf(fields, 'id');

for (const version of ['v1', 'v2'] as const) {
  add(
    'S01',
    `an accepted ${version} place is 202, CREATED, with its position_id`,
    async (venue) => {
      const trader = await ContractTrader.open(venue);
      const answer =
        version === 'v1'
          ? await placeV1(trader, bodyV1(trader))
          : await trader.place(trader.limitBody());
      const placed = record(success(answer, 202));
      equal(placed['status'], 'CREATED', 'status');
      const positionId = textOf(placed, 'position_id');
      const order = await trader.order(textOf(placed, 'order_id'));
      equal(order['status'], 'CREATED', 'status of the order');
      equal(order['position_id'], positionId, 'position_id of the order');
      equal((await trader.positions()).length, 0, 'open positions before a fill');
    },
  );
}

add('S01', 'the position_id stays the same when the order fills', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const placed = await trader.fill();
  const [row] = await trader.positions();
  equal(row?.['id'], placed['position_id'], 'id of the open position');
});

for (const currency of ['USDT', 'INR'] as const) {
  add('S02', `a fill opens the position and locks its margin in ${currency}`, async (venue) => {
    const trader = await ContractTrader.open(venue, { currency });
    const before = await trader.wallet();
    const row = await trader.openPosition();
    equal(row['status'], 'OPEN', 'status of the position');
    const after = await trader.wallet();
    const locked = after.locked.minus(before.locked);
    ensure(locked.gt(0), 'locked_amount grows', locked.toFixed());
    ensure(after.balance.lt(before.balance.minus(locked)), 'the balance pays margin and fee');
    // Rows may truncate INR margins to two decimals (supplement: margins).
    near(decimalOf(row, 'initial_margin'), locked, '0.01', 'initial_margin is what was locked');
  });
}

for (const direction of ['LONG', 'SHORT'] as const) {
  add('S02', `a ${direction} at the listed maximum leverage stays open`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    success(await trader.setLeverage(decimalOf(trader.asset, 'max_leverage').toFixed()));
    const opened = await trader.openPosition(direction);
    const entry = decimalOf(opened, 'entry_price');
    const liquidation = decimalOf(opened, 'liquidation_price');
    const headroom = direction === 'LONG' ? entry.minus(liquidation) : liquidation.minus(entry);
    ensure(headroom.gt(0), 'the liquidation price is beyond the entry', headroom.toFixed());
    const row = await trader.positionRow(idOf(opened));
    equal(row['status'], 'OPEN', 'status when it is read again');
  });
}

add('S03', 'a cancel before any fill leaves CANCELLED and no position anywhere', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const before = await trader.wallet();
  const placed = await trader.placeResting();
  const orderId = textOf(placed, 'order_id');
  const positionId = textOf(placed, 'position_id');
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  await trader.orderIn(orderId, 'CANCELLED');
  equal((await trader.list('orders')).length, 0, 'open orders');
  equal((await trader.positions()).length, 0, 'open positions');
  equal((await trader.history(positionId)).length, 0, 'history rows of its position_id');
  equal((await trader.wallet()).balance, before.balance, 'the balance');
});

/** A resting order of two units, one of them filled. */
async function partlyFilled(trader: ContractTrader): Promise<{ orderId: string; placed: Fields }> {
  const controls = controlsOf(trader.venue);
  const placed = await trader.placeResting('LONG', { quantity: trader.unit.times(2).toFixed() });
  const orderId = textOf(placed, 'order_id');
  await controls.fill(orderId, trader.unit.toFixed());
  await trader.orderIn(orderId, 'PARTIAL_FILLED');
  return { orderId, placed };
}

add('S04', 'a partial fill opens the position with the filled quantity', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const { orderId, placed } = await partlyFilled(trader);
  sameNumber((await trader.order(orderId))['filled_quantity'], trader.unit, 'filled_quantity');
  const row = await trader.positionRow(textOf(placed, 'position_id'));
  sameNumber(row['quantity'], trader.unit, 'quantity of the position');
  equal((await trader.list('orders')).length, 1, 'open orders');
});

add('S04', 'a cancelled remainder ends the order and keeps the filled quantity', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const { orderId, placed } = await partlyFilled(trader);
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  await until(
    venue,
    'the remainder is gone',
    () => trader.list('orders'),
    (orders) => orders.length === 0,
  );
  const order = await trader.order(orderId);
  const status = textOf(order, 'status');
  ensure(['PARTIAL_FILLED', 'CANCELLED'].includes(status), 'PARTIAL_FILLED or CANCELLED', status);
  sameNumber(order['filled_quantity'], trader.unit, 'filled_quantity');
  const row = await trader.positionRow(textOf(placed, 'position_id'));
  sameNumber(row['quantity'], trader.unit, 'quantity of the position');
});

add('S04', 'fees are charged on the filled quantity only', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const { orderId } = await partlyFilled(trader);
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  const order = await trader.order(orderId);
  const [fee] = await trader.list('fee/history', { limit: '1' });
  const value = decimalOf(order, 'filled_quantity').times(decimalOf(order, 'filled_price'));
  sameNumber(fee?.['transaction_amount'], value, 'transaction_amount of the fee');
});

add('S05', 'another order on the same side adds to the same position', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const first = await trader.fill();
  const second = await trader.fill();
  ensure(first['order_id'] !== second['order_id'], 'another order_id');
  equal(second['position_id'], first['position_id'], 'position_id');
  const rows = await trader.positions();
  equal(rows.length, 1, 'rows of the symbol');
  sameNumber(rows[0]?.['quantity'], trader.unit.times(2), 'quantity');
});

add('S05', 'a resting order on the same asset already has the position_id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const first = await trader.fill();
  const second = await trader.placeResting();
  equal(second['position_id'], first['position_id'], 'position_id');
});

add('S05', 'an opposite order of the same size closes the position', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const first = await trader.fill();
  const second = await trader.fill('SHORT');
  equal(second['position_id'], first['position_id'], 'position_id');
  await trader.closed(textOf(first, 'position_id'));
  const [row] = await trader.history(textOf(first, 'position_id'));
  equal(row?.['status'], 'CLOSED', 'status of the history row');
  equal(row?.['order_id'], second['order_id'], 'order_id of the history row');
});

interface RiskOrders {
  readonly stop: string;
  readonly target: string;
}

/** Sets both protective orders on a LONG. @returns their order ids, read from open positions */
export async function withRiskOrders(
  trader: ContractTrader,
  positionId: string,
  more: object = {},
): Promise<RiskOrders> {
  const body = {
    is_stoploss: true,
    stoploss_price: trader.at(-0.05).toFixed(),
    is_takeprofit: true,
    takeprofit_price: trader.at(0.05).toFixed(),
    ...more,
  };
  success(await trader.onPosition('POST', positionId, 'riskorder', { body }));
  const row = await trader.positionRow(positionId);
  return {
    stop: textOf(record(row['stoploss'], 'stoploss'), 'order_id'),
    target: textOf(record(row['takeprofit'], 'takeprofit'), 'order_id'),
  };
}

add(
  'S06',
  'setting both protective orders creates two orders, whose ids the position has',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = idOf(await trader.openPosition());
    const riskOrders = await withRiskOrders(trader, id);
    equal((await trader.positionRow(id))['status'], 'OPEN', 'status of the position');
    const stop = await trader.order(riskOrders.stop);
    equal(stop['order_type'], 'STOPLOSS', 'order_type');
    equal(stop['status'], 'CREATED', 'status');
    equal(stop['position_id'], id, 'position_id');
    equal((await trader.order(riskOrders.target))['order_type'], 'TAKEPROFIT', 'order_type');
  },
);

add('S06', 'protective orders sent with the entry exist once it is filled', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition('LONG', {
    is_stoploss: true,
    stoploss_price: trader.at(-0.05).toFixed(),
    is_takeprofit: true,
    takeprofit_price: trader.at(0.05).toFixed(),
  });
  sameNumber(record(row['stoploss'], 'stoploss')['price'], trader.at(-0.05), 'stoploss.price');
  sameNumber(record(row['takeprofit'], 'takeprofit')['price'], trader.at(0.05), 'takeprofit.price');
});

add('S06', 'protective orders of a reduce_only order are ignored', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition();
  const riskOrders = { is_stoploss: true, stoploss_price: trader.at(0.05).toFixed() };
  await trader.fill('SHORT', { reduce_only: true, ...riskOrders });
  ensure(!('stoploss' in (await trader.positionRow(idOf(row)))), 'there is no stoploss');
});

const CLOSES: readonly (readonly [string, (trader: ContractTrader) => object])[] = [
  ['market', () => ({ order_type: 'MARKET' })],
  ['limit', (trader) => ({ order_type: 'LIMIT', limit_price: trader.at(-0.01).toFixed() })],
];
for (const [title, terms] of CLOSES) {
  add('S07', `a partial close by ${title} reduces and leaves a PARTIAL row`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = idOf(await trader.openPosition());
    const clientId = freshId();
    const body = { ...terms(trader), quantity: trader.unit.toFixed(), client_order_id: clientId };
    success(await trader.onPosition('POST', id, 'close/partial', { body }));
    const query = { client_order_id: clientId };
    const order = await until(
      venue,
      'the close is filled',
      async () => record(success(await venue.call('GET', `${V1}/orders/detail`, { query }))),
      (found) => found['status'] === 'FILLED',
    );
    const [row] = await trader.history(id);
    equal(row?.['status'], 'PARTIAL', 'status of the row');
    equal(row?.['order_id'], order['id'], 'order_id of the row');
    sameNumber(row?.['quantity'], trader.unit, 'quantity of the row');
    sameNumber((await trader.positionRow(id))['quantity'], trader.unit, 'what stays open');
  });
}

/** Reverses, and waits for the other side. @returns data of the reverse */
async function reverse(trader: ContractTrader, positionId: string, to: string): Promise<Fields> {
  const answer = await trader.onPosition('POST', positionId, 'reverse');
  const placed = record(success(answer, 202));
  await until(
    trader.venue,
    `the position is ${to}`,
    () => trader.positions(),
    (rows) => rows.some((row) => row['id'] === positionId && row['order_type'] === to),
  );
  return placed;
}

for (const [from, to] of [
  ['LONG', 'SHORT'],
  ['SHORT', 'LONG'],
] as const) {
  add('S08', `a reverse of a ${from} is open as ${to}, with a CLOSED row`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const before = await trader.openPosition(from);
    const id = idOf(before);
    const placed = await reverse(trader, id, to);
    const order = await trader.order(textOf(placed, 'order_id'));
    equal(order['order_type'], to, 'order_type');
    sameNumber(order['quantity'], decimalOf(before, 'quantity').times(2), 'twice the quantity');
    sameNumber(
      (await trader.positionRow(id))['quantity'],
      decimalOf(before, 'quantity'),
      'open now',
    );
    const [row] = await trader.history(id);
    equal(row?.['status'], 'CLOSED', 'status of the history row');
    equal(row?.['position_type'], from, 'position_type of the history row');
  });
}

add('S08', 'a reverse ends the protective orders as SYSTEM_CANCELLED', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = idOf(await trader.openPosition());
  const riskOrders = await withRiskOrders(trader, id);
  await reverse(trader, id, 'SHORT');
  equal((await trader.order(riskOrders.stop))['status'], 'SYSTEM_CANCELLED', 'the stop');
  equal((await trader.order(riskOrders.target))['status'], 'SYSTEM_CANCELLED', 'the target');
  ensure(!('stoploss' in (await trader.positionRow(id))), 'the position has no stoploss');
});

add('S09', 'close creates an order and ends in a CLOSED row', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const before = await trader.openPosition();
  const id = idOf(before);
  const closed = record(success(await trader.onPosition('POST', id, 'close')));
  equal(closed['status'], 'CREATED', 'status of the close order');
  await trader.closed(id);
  const [row] = await trader.history(id);
  equal(row?.['status'], 'CLOSED', 'status of the row');
  equal(row?.['order_id'], closed['order_id'], 'order_id of the row');
  sameNumber(row?.['quantity'], decimalOf(before, 'quantity'), 'quantity of the row');
});

add('S09', 'a close frees the whole margin', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const before = await trader.wallet();
  const id = idOf(await trader.openPosition());
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  equal((await trader.wallet()).locked, before.locked, 'locked_amount');
});

add('S10', 'a triggered stop closes the position with its own order', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const id = idOf(await trader.openPosition());
  const riskOrders = await withRiskOrders(trader, id);
  await controls.holdPrice(trader.symbol, trader.at(-0.06).toFixed());
  await trader.closed(id);
  const [row] = await trader.history(id);
  equal(row?.['status'], 'CLOSED', 'status of the row');
  equal(row?.['order_id'], riskOrders.stop, 'order_id of the row');
  equal((await trader.order(riskOrders.stop))['status'], 'FILLED', 'the stop');
  equal((await trader.order(riskOrders.target))['status'], 'SYSTEM_CANCELLED', 'the target');
});

add('S10', 'a triggered target closes the position with its own order', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const id = idOf(await trader.openPosition('SHORT'));
  const body = { is_takeprofit: true, takeprofit_price: trader.at(-0.05).toFixed() };
  success(await trader.onPosition('POST', id, 'riskorder', { body }));
  const target = record((await trader.positionRow(id))['takeprofit'], 'takeprofit');
  await controls.holdPrice(trader.symbol, trader.at(-0.06).toFixed());
  await trader.closed(id);
  const [row] = await trader.history(id);
  equal(row?.['order_id'], target['order_id'], 'order_id of the row');
});

for (const [direction, away] of [
  ['LONG', -0.25],
  ['SHORT', 0.25],
] as const) {
  add('S10', `a ${direction} beyond its liquidation price is LIQUIDATED`, async (venue) => {
    const controls = controlsOf(venue);
    const trader = await ContractTrader.open(venue);
    const before = await trader.openPosition(direction);
    const id = idOf(before);
    await controls.holdPrice(trader.symbol, trader.at(away).toFixed());
    await trader.closed(id);
    const [row] = await trader.history(id);
    equal(row?.['status'], 'LIQUIDATED', 'status of the row');
    // Closed at the bankruptcy price (supplement: fees): entry ∓ entry / leverage.
    const entry = decimalOf(before, 'entry_price');
    const part = entry.div(decimalOf(before, 'leverage'));
    const bankrupt = direction === 'LONG' ? entry.minus(part) : entry.plus(part);
    near(decimalOf(record(row), 'closed_price'), bankrupt, trader.priceStep, 'closed_price');
    ensure(decimalOf(record(row), 'pnl').lt(0), 'pnl is a loss', row?.['pnl']);
  });
}

/** A position that is not open, and the expected 400 of each operation. */
async function notOpen(
  venue: VenueUnderTest,
  run: (trader: ContractTrader, id: string) => Promise<void>,
) {
  const trader = await ContractTrader.open(venue);
  const placed = await trader.placeResting();
  const before = await trader.order(textOf(placed, 'order_id'));
  await run(trader, textOf(placed, 'position_id'));
  equal(await trader.order(textOf(placed, 'order_id')), before, 'the order is unchanged');
  equal((await trader.positions()).length, 0, 'open positions');
}

for (const sign of [1, -1]) {
  const verb = sign > 0 ? 'add' : 'reduce';
  add('S11', `${verb} margin on a position that is not OPEN is 400`, (venue) =>
    notOpen(venue, async (trader, id) => {
      const answer = await trader.onPosition('POST', id, 'add-margin', { body: { margin: sign } });
      equal(answer.status, 400, 'status');
    }),
  );
}
add('S11', 'a partial close of a position that is not OPEN is 400', (venue) =>
  notOpen(venue, async (trader, id) => {
    const body = { order_type: 'MARKET', quantity: trader.quantityStep.toFixed() };
    const answer = await trader.onPosition('POST', id, 'close/partial', { body });
    refused(answer, { status: 400, text: 'position is not open' });
  }),
);
add('S11', 'a stop on a position that is not OPEN is 400', (venue) =>
  notOpen(venue, async (trader, id) => {
    const body = { is_stoploss: true, stoploss_price: trader.at(-0.15).toFixed() };
    const answer = await trader.onPosition('POST', id, 'riskorder', { body });
    refused(answer, { status: 400, text: 'Position is not in OPEN state' });
  }),
);
for (const action of ['close', 'reverse'] as const) {
  add('S11', `${action} of a position that is not OPEN is 400`, (venue) =>
    notOpen(venue, async (trader, id) => {
      equal((await trader.onPosition('POST', id, action)).status, 400, 'status');
    }),
  );
}

add(
  'S12',
  'a SYSTEM_CANCELLED protective order is found by id and not in history',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = idOf(await trader.openPosition());
    const riskOrders = await withRiskOrders(trader, id);
    await trader.onPosition('POST', id, 'close');
    await trader.closed(id);
    const byId = record(success(await venue.call('GET', `${V1}/orders/${riskOrders.stop}`)));
    equal(byId['status'], 'SYSTEM_CANCELLED', 'status by id');
    const rows = await trader.list('orders/history', { limit: '100' });
    ensure(
      rows.every((row) => row['id'] !== riskOrders.stop && row['id'] !== riskOrders.target),
      'history holds no SYSTEM_CANCELLED protective order',
    );
  },
);
