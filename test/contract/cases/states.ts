import { CaseBook } from '../case.js';
import { Desk, freshId, until, V1 } from '../desk.js';
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
import { controlsOf, type Venue } from '../venue.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';

export const states = new CaseBook();
const add = states.add.bind(states);

const idOf = (fields: Fields): string => textOf(fields, 'id');

for (const version of ['v1', 'v2'] as const) {
  add(
    'S01',
    `an accepted ${version} place is 202, CREATED, with its position_id`,
    async (venue) => {
      const desk = await Desk.open(venue);
      const answer =
        version === 'v1' ? await placeV1(desk, bodyV1(desk)) : await desk.place(desk.limitBody());
      const placed = record(success(answer, 202));
      equal(placed['status'], 'CREATED', 'status');
      const positionId = textOf(placed, 'position_id');
      const order = await desk.order(textOf(placed, 'order_id'));
      equal(order['status'], 'CREATED', 'status of the order');
      equal(order['position_id'], positionId, 'position_id of the order');
      equal((await desk.positions()).length, 0, 'open positions before a fill');
    },
  );
}

add('S01', 'the position_id stays the same when the order fills', async (venue) => {
  const desk = await Desk.open(venue);
  const placed = await desk.fill();
  const [row] = await desk.positions();
  equal(row?.['id'], placed['position_id'], 'id of the open position');
});

for (const currency of ['USDT', 'INR'] as const) {
  add('S02', `a fill opens the position and locks its margin in ${currency}`, async (venue) => {
    const desk = await Desk.open(venue, { currency });
    const before = await desk.wallet();
    const row = await desk.openPosition();
    equal(row['status'], 'OPEN', 'status of the position');
    const after = await desk.wallet();
    const locked = after.locked.minus(before.locked);
    ensure(locked.gt(0), 'locked_amount grows', locked.toFixed());
    ensure(after.balance.lt(before.balance.minus(locked)), 'the balance pays margin and fee');
    // Rows may print INR margins cut to two decimals (supplement, part 11).
    near(decimalOf(row, 'initial_margin'), locked, '0.01', 'initial_margin is what was locked');
  });
}

for (const direction of ['LONG', 'SHORT'] as const) {
  add('S02', `a ${direction} at the listed maximum leverage stays open`, async (venue) => {
    const desk = await Desk.open(venue);
    success(await desk.setLeverage(decimalOf(desk.asset, 'max_leverage').toFixed()));
    const opened = await desk.openPosition(direction);
    const entry = decimalOf(opened, 'entry_price');
    const liquidation = decimalOf(opened, 'liquidation_price');
    const room = direction === 'LONG' ? entry.minus(liquidation) : liquidation.minus(entry);
    ensure(room.gt(0), 'the liquidation price is beyond the entry', room.toFixed());
    const row = await desk.positionRow(idOf(opened));
    equal(row['status'], 'OPEN', 'status when it is read again');
  });
}

add('S03', 'a cancel before any fill leaves CANCELLED and no position anywhere', async (venue) => {
  const desk = await Desk.open(venue);
  const before = await desk.wallet();
  const placed = await desk.rest();
  const orderId = textOf(placed, 'order_id');
  const positionId = textOf(placed, 'position_id');
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  await desk.orderIn(orderId, 'CANCELLED');
  equal((await desk.list('orders')).length, 0, 'open orders');
  equal((await desk.positions()).length, 0, 'open positions');
  equal((await desk.history(positionId)).length, 0, 'history rows of its position_id');
  equal((await desk.wallet()).balance, before.balance, 'the balance');
});

/** A resting order of two units of which one is filled. */
async function partlyFilled(desk: Desk): Promise<{ orderId: string; placed: Fields }> {
  const controls = controlsOf(desk.venue);
  const placed = await desk.rest('LONG', { quantity: desk.unit.times(2).toFixed() });
  const orderId = textOf(placed, 'order_id');
  await controls.fill(orderId, desk.unit.toFixed());
  await desk.orderIn(orderId, 'PARTIAL_FILLED');
  return { orderId, placed };
}

add('S04', 'a partial fill opens the position with what was filled', async (venue) => {
  const desk = await Desk.open(venue);
  const { orderId, placed } = await partlyFilled(desk);
  sameNumber((await desk.order(orderId))['filled_quantity'], desk.unit, 'filled_quantity');
  const row = await desk.positionRow(textOf(placed, 'position_id'));
  sameNumber(row['quantity'], desk.unit, 'quantity of the position');
  equal((await desk.list('orders')).length, 1, 'open orders');
});

add('S04', 'a cancelled remainder ends the order and keeps what was filled', async (venue) => {
  const desk = await Desk.open(venue);
  const { orderId, placed } = await partlyFilled(desk);
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  await until(
    venue,
    'the remainder is gone',
    () => desk.list('orders'),
    (orders) => orders.length === 0,
  );
  const order = await desk.order(orderId);
  const status = textOf(order, 'status');
  ensure(['PARTIAL_FILLED', 'CANCELLED'].includes(status), 'PARTIAL_FILLED or CANCELLED', status);
  sameNumber(order['filled_quantity'], desk.unit, 'filled_quantity');
  const row = await desk.positionRow(textOf(placed, 'position_id'));
  sameNumber(row['quantity'], desk.unit, 'quantity of the position');
});

add('S04', 'fees are charged on the filled quantity alone', async (venue) => {
  const desk = await Desk.open(venue);
  const { orderId } = await partlyFilled(desk);
  success(await venue.call('DELETE', `${V1}/orders/${orderId}`));
  const order = await desk.order(orderId);
  const [fee] = await desk.list('fee/history', { limit: '1' });
  const value = decimalOf(order, 'filled_quantity').times(decimalOf(order, 'filled_price'));
  sameNumber(fee?.['transaction_amount'], value, 'transaction_amount of the fee');
});

add('S05', 'another order on the same side adds to the same position', async (venue) => {
  const desk = await Desk.open(venue);
  const first = await desk.fill();
  const second = await desk.fill();
  ensure(first['order_id'] !== second['order_id'], 'another order_id');
  equal(second['position_id'], first['position_id'], 'position_id');
  const rows = await desk.positions();
  equal(rows.length, 1, 'rows of the symbol');
  sameNumber(rows[0]?.['quantity'], desk.unit.times(2), 'quantity');
});

add('S05', 'a resting order on the same asset has the position_id already', async (venue) => {
  const desk = await Desk.open(venue);
  const first = await desk.fill();
  const second = await desk.rest();
  equal(second['position_id'], first['position_id'], 'position_id');
});

add('S05', 'an opposite order of the same size closes the position', async (venue) => {
  const desk = await Desk.open(venue);
  const first = await desk.fill();
  const second = await desk.fill('SHORT');
  equal(second['position_id'], first['position_id'], 'position_id');
  await desk.closed(textOf(first, 'position_id'));
  const [row] = await desk.history(textOf(first, 'position_id'));
  equal(row?.['status'], 'CLOSED', 'status of the history row');
  equal(row?.['order_id'], second['order_id'], 'order_id of the history row');
});

interface Legs {
  readonly stop: string;
  readonly target: string;
}

/** Both legs on a LONG. @returns their order ids, read from open positions */
export async function withLegs(desk: Desk, positionId: string, more: object = {}): Promise<Legs> {
  const body = {
    is_stoploss: true,
    stoploss_price: desk.at(-0.05).toFixed(),
    is_takeprofit: true,
    takeprofit_price: desk.at(0.05).toFixed(),
    ...more,
  };
  success(await desk.onPosition('POST', positionId, 'riskorder', { body }));
  const row = await desk.positionRow(positionId);
  return {
    stop: textOf(record(row['stoploss'], 'stoploss'), 'order_id'),
    target: textOf(record(row['takeprofit'], 'takeprofit'), 'order_id'),
  };
}

add('S06', 'setting both legs creates two orders, whose ids the position tells', async (venue) => {
  const desk = await Desk.open(venue);
  const id = idOf(await desk.openPosition());
  const legs = await withLegs(desk, id);
  equal((await desk.positionRow(id))['status'], 'OPEN', 'status of the position');
  const stop = await desk.order(legs.stop);
  equal(stop['order_type'], 'STOPLOSS', 'order_type');
  equal(stop['status'], 'CREATED', 'status');
  equal(stop['position_id'], id, 'position_id');
  equal((await desk.order(legs.target))['order_type'], 'TAKEPROFIT', 'order_type');
});

add('S06', 'legs sent with the entry are there once it is filled', async (venue) => {
  const desk = await Desk.open(venue);
  const row = await desk.openPosition('LONG', {
    is_stoploss: true,
    stoploss_price: desk.at(-0.05).toFixed(),
    is_takeprofit: true,
    takeprofit_price: desk.at(0.05).toFixed(),
  });
  sameNumber(record(row['stoploss'], 'stoploss')['price'], desk.at(-0.05), 'stoploss.price');
  sameNumber(record(row['takeprofit'], 'takeprofit')['price'], desk.at(0.05), 'takeprofit.price');
});

add('S06', 'legs of a reduce_only order are ignored', async (venue) => {
  const desk = await Desk.open(venue);
  const row = await desk.openPosition();
  const legs = { is_stoploss: true, stoploss_price: desk.at(0.05).toFixed() };
  await desk.fill('SHORT', { reduce_only: true, ...legs });
  ensure(!('stoploss' in (await desk.positionRow(idOf(row)))), 'there is no stoploss');
});

const CLOSES: readonly (readonly [string, (desk: Desk) => object])[] = [
  ['market', () => ({ order_type: 'MARKET' })],
  ['limit', (desk) => ({ order_type: 'LIMIT', limit_price: desk.at(-0.01).toFixed() })],
];
for (const [title, terms] of CLOSES) {
  add('S07', `a partial close by ${title} reduces and leaves a PARTIAL row`, async (venue) => {
    const desk = await Desk.open(venue);
    const id = idOf(await desk.openPosition());
    const clientId = freshId();
    const body = { ...terms(desk), quantity: desk.unit.toFixed(), client_order_id: clientId };
    success(await desk.onPosition('POST', id, 'close/partial', { body }));
    const query = { client_order_id: clientId };
    const order = await until(
      venue,
      'the close is filled',
      async () => record(success(await venue.call('GET', `${V1}/orders/detail`, { query }))),
      (found) => found['status'] === 'FILLED',
    );
    const [row] = await desk.history(id);
    equal(row?.['status'], 'PARTIAL', 'status of the row');
    equal(row?.['order_id'], order['id'], 'order_id of the row');
    sameNumber(row?.['quantity'], desk.unit, 'quantity of the row');
    sameNumber((await desk.positionRow(id))['quantity'], desk.unit, 'what stays open');
  });
}

/** Reverses, and waits for the other side. @returns data of the reverse */
async function reverse(desk: Desk, positionId: string, to: string): Promise<Fields> {
  const answer = await desk.onPosition('POST', positionId, 'reverse');
  const placed = record(success(answer, 202));
  await until(
    desk.venue,
    `the position is ${to}`,
    () => desk.positions(),
    (rows) => rows.some((row) => row['id'] === positionId && row['order_type'] === to),
  );
  return placed;
}

for (const [from, to] of [
  ['LONG', 'SHORT'],
  ['SHORT', 'LONG'],
] as const) {
  add('S08', `a reverse of a ${from} stands open as ${to}, with a CLOSED row`, async (venue) => {
    const desk = await Desk.open(venue);
    const before = await desk.openPosition(from);
    const id = idOf(before);
    const placed = await reverse(desk, id, to);
    const order = await desk.order(textOf(placed, 'order_id'));
    equal(order['order_type'], to, 'order_type');
    sameNumber(order['quantity'], decimalOf(before, 'quantity').times(2), 'twice the quantity');
    sameNumber((await desk.positionRow(id))['quantity'], decimalOf(before, 'quantity'), 'open now');
    const [row] = await desk.history(id);
    equal(row?.['status'], 'CLOSED', 'status of the history row');
    equal(row?.['position_type'], from, 'position_type of the history row');
  });
}

add('S08', 'a reverse ends the legs as SYSTEM_CANCELLED', async (venue) => {
  const desk = await Desk.open(venue);
  const id = idOf(await desk.openPosition());
  const legs = await withLegs(desk, id);
  await reverse(desk, id, 'SHORT');
  equal((await desk.order(legs.stop))['status'], 'SYSTEM_CANCELLED', 'the stop');
  equal((await desk.order(legs.target))['status'], 'SYSTEM_CANCELLED', 'the target');
  ensure(!('stoploss' in (await desk.positionRow(id))), 'the position tells no stoploss');
});

add('S09', 'close creates an order and ends in a CLOSED row', async (venue) => {
  const desk = await Desk.open(venue);
  const before = await desk.openPosition();
  const id = idOf(before);
  const closed = record(success(await desk.onPosition('POST', id, 'close')));
  equal(closed['status'], 'CREATED', 'status of the close order');
  await desk.closed(id);
  const [row] = await desk.history(id);
  equal(row?.['status'], 'CLOSED', 'status of the row');
  equal(row?.['order_id'], closed['order_id'], 'order_id of the row');
  sameNumber(row?.['quantity'], decimalOf(before, 'quantity'), 'quantity of the row');
});

add('S09', 'a close frees the whole margin', async (venue) => {
  const desk = await Desk.open(venue);
  const before = await desk.wallet();
  const id = idOf(await desk.openPosition());
  await desk.onPosition('POST', id, 'close');
  await desk.closed(id);
  equal((await desk.wallet()).locked, before.locked, 'locked_amount');
});

add('S10', 'a stop that is reached closes the position with its own order', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const id = idOf(await desk.openPosition());
  const legs = await withLegs(desk, id);
  await controls.holdPrice(desk.symbol, desk.at(-0.06).toFixed());
  await desk.closed(id);
  const [row] = await desk.history(id);
  equal(row?.['status'], 'CLOSED', 'status of the row');
  equal(row?.['order_id'], legs.stop, 'order_id of the row');
  equal((await desk.order(legs.stop))['status'], 'FILLED', 'the stop');
  equal((await desk.order(legs.target))['status'], 'SYSTEM_CANCELLED', 'the target');
});

add('S10', 'a target that is reached does the same', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue);
  const id = idOf(await desk.openPosition('SHORT'));
  const body = { is_takeprofit: true, takeprofit_price: desk.at(-0.05).toFixed() };
  success(await desk.onPosition('POST', id, 'riskorder', { body }));
  const target = record((await desk.positionRow(id))['takeprofit'], 'takeprofit');
  await controls.holdPrice(desk.symbol, desk.at(-0.06).toFixed());
  await desk.closed(id);
  const [row] = await desk.history(id);
  equal(row?.['order_id'], target['order_id'], 'order_id of the row');
});

for (const [direction, away] of [
  ['LONG', -0.25],
  ['SHORT', 0.25],
] as const) {
  add('S10', `a ${direction} beyond its liquidation price is LIQUIDATED`, async (venue) => {
    const controls = controlsOf(venue);
    const desk = await Desk.open(venue);
    const before = await desk.openPosition(direction);
    const id = idOf(before);
    await controls.holdPrice(desk.symbol, desk.at(away).toFixed());
    await desk.closed(id);
    const [row] = await desk.history(id);
    equal(row?.['status'], 'LIQUIDATED', 'status of the row');
    // Closed at the bankruptcy price (supplement, part 12): entry ∓ entry / leverage.
    const entry = decimalOf(before, 'entry_price');
    const part = entry.div(decimalOf(before, 'leverage'));
    const bankrupt = direction === 'LONG' ? entry.minus(part) : entry.plus(part);
    near(decimalOf(record(row), 'closed_price'), bankrupt, desk.priceStep, 'closed_price');
    ensure(decimalOf(record(row), 'pnl').lt(0), 'pnl is a loss', row?.['pnl']);
  });
}

/** A position that is not open, and the 400 that each operation answers with. */
async function notOpen(venue: Venue, run: (desk: Desk, id: string) => Promise<void>) {
  const desk = await Desk.open(venue);
  const placed = await desk.rest();
  const before = await desk.order(textOf(placed, 'order_id'));
  await run(desk, textOf(placed, 'position_id'));
  equal(await desk.order(textOf(placed, 'order_id')), before, 'the order is unchanged');
  equal((await desk.positions()).length, 0, 'open positions');
}

for (const sign of [1, -1]) {
  const verb = sign > 0 ? 'add' : 'reduce';
  add('S11', `${verb} margin on a position that is not OPEN is 400`, (venue) =>
    notOpen(venue, async (desk, id) => {
      const answer = await desk.onPosition('POST', id, 'add-margin', { body: { margin: sign } });
      equal(answer.status, 400, 'status');
    }),
  );
}
add('S11', 'a partial close of a position that is not OPEN is 400', (venue) =>
  notOpen(venue, async (desk, id) => {
    const body = { order_type: 'MARKET', quantity: desk.quantityStep.toFixed() };
    const answer = await desk.onPosition('POST', id, 'close/partial', { body });
    refused(answer, { status: 400, text: 'position is not open' });
  }),
);
add('S11', 'a stop on a position that is not OPEN is 400', (venue) =>
  notOpen(venue, async (desk, id) => {
    const body = { is_stoploss: true, stoploss_price: desk.at(-0.15).toFixed() };
    const answer = await desk.onPosition('POST', id, 'riskorder', { body });
    refused(answer, { status: 400, text: 'Position is not in OPEN state' });
  }),
);
for (const action of ['close', 'reverse'] as const) {
  add('S11', `${action} of a position that is not OPEN is 400`, (venue) =>
    notOpen(venue, async (desk, id) => {
      equal((await desk.onPosition('POST', id, action)).status, 400, 'status');
    }),
  );
}

add('S12', 'a SYSTEM_CANCELLED leg is found by id and not in history', async (venue) => {
  const desk = await Desk.open(venue);
  const id = idOf(await desk.openPosition());
  const legs = await withLegs(desk, id);
  await desk.onPosition('POST', id, 'close');
  await desk.closed(id);
  const byId = record(success(await venue.call('GET', `${V1}/orders/${legs.stop}`)));
  equal(byId['status'], 'SYSTEM_CANCELLED', 'status by id');
  const rows = await desk.list('orders/history', { limit: '100' });
  ensure(
    rows.every((row) => row['id'] !== legs.stop && row['id'] !== legs.target),
    'history holds no SYSTEM_CANCELLED leg',
  );
});
