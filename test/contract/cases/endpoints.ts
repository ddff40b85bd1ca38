import { Decimal } from 'decimal.js';
import { CaseRegistry } from '../case-registry.js';
import {
  ContractTrader,
  freshId,
  SPOT,
  UNKNOWN_UUID,
  until,
  V1,
  V2_ORDER,
} from '../contract-trader.js';
import {
  decimal,
  decimalOf,
  ensure,
  equal,
  fail,
  isFields,
  list,
  near,
  record,
  records,
  refused,
  sameNumber,
  success,
  textOf,
} from '../expect.js';
import { hasFields } from '../field-types.js';
import { openStreamOrFail } from '../stream-replies.js';
import type { RawResponse, VenueUnderTest } from '../venue-under-test.js';
import { lastHours, PRICE } from './market-errors.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';
import { withRiskOrders } from './states.js';

export const endpoints = new CaseRegistry();
const add = endpoints.add.bind(endpoints);
const readOnly = { readOnly: true } as const;

const USDT_TRANSFER = '/fapi/v1/wallet/futures/transfer';
const INR_TRANSFER = `${V1}/transfers/inr`;

add(
  'R01',
  'the spot wallet answers in USDT by default',
  async (venue) => {
    const plain = success(await venue.call('GET', SPOT));
    const named = success(await venue.call('GET', SPOT, { query: { currency: 'USDT' } }));
    equal(plain, named, 'data');
  },
  readOnly,
);

const wallets = (from: 'SPOT' | 'FUTURES', amount: string) => ({
  from_wallet_type: from,
  to_wallet_type: from === 'SPOT' ? 'FUTURES' : 'SPOT',
  amount,
});

async function balances(venue: VenueUnderTest, currency: string) {
  const spot = record(success(await venue.call('GET', SPOT, { query: { currency } })));
  const query = { trade_currency: currency };
  const futures = record(success(await venue.call('GET', `${V1}/funds`, { query })));
  return { spot: decimalOf(spot, 'withdrawable'), futures: decimalOf(futures, 'balance') };
}

/** Transfers an amount and back: there is no fee, and the account is unchanged. */
async function transferAndBack(
  venue: VenueUnderTest,
  path: string,
  currency: string,
): Promise<void> {
  const before = await balances(venue, currency);
  success(await venue.call('POST', path, { body: wallets('SPOT', '2.5') }), 202);
  await until(
    venue,
    'the transfer arrives',
    () => balances(venue, currency),
    ({ spot, futures }) =>
      spot.eq(before.spot.minus('2.5')) && futures.eq(before.futures.plus('2.5')),
  );
  success(await venue.call('POST', path, { body: wallets('FUTURES', '2.5') }), 202);
  await until(
    venue,
    'the money is back',
    () => balances(venue, currency),
    ({ spot, futures }) => spot.eq(before.spot) && futures.eq(before.futures),
  );
}

add('R02', 'a USDT transfer moves the amount, without a fee', (venue) =>
  transferAndBack(venue, USDT_TRANSFER, 'USDT'),
);
add('R02', 'a USDT transfer answers 202 with a msg', async (venue) => {
  const answer = await venue.call('POST', USDT_TRANSFER, { body: wallets('SPOT', '1') });
  ensure(textOf(record(success(answer, 202)), 'msg').length > 0, 'msg is a text');
  success(await venue.call('POST', USDT_TRANSFER, { body: wallets('FUTURES', '1') }), 202);
});
for (const amount of ['0', '-1', 'much', '']) {
  add('R02', `an amount of ${JSON.stringify(amount)} is refused`, async (venue) => {
    const answer = await venue.call('POST', USDT_TRANSFER, { body: wallets('SPOT', amount) });
    equal(answer.status, 400, 'status');
  });
}

add('R03', 'an INR transfer moves the amount, without a fee', (venue) =>
  transferAndBack(venue, INR_TRANSFER, 'INR'),
);
add(
  'R03',
  'the id of an INR transfer is that of its transactions, DEPOSIT one way, WITHDRAW the other',
  async (venue) => {
    for (const [from, type] of [
      ['SPOT', 'DEPOSIT'],
      ['FUTURES', 'WITHDRAW'],
    ] as const) {
      const answer = await venue.call('POST', INR_TRANSFER, { body: wallets(from, '1') });
      const id = textOf(record(success(answer, 202)), 'id');
      const query = { trade_currency: 'INR', limit: '100' };
      const rows = records(success(await venue.call('GET', `${V1}/transactions`, { query })));
      const row = rows.find((candidate) => candidate['id'] === id) ?? fail('it is listed', rows);
      equal(row['transaction_type'], type, 'transaction_type');
      sameNumber(row['amount'], 1, 'amount');
    }
  },
);

add(
  'R04',
  'the futures wallet answers in USDT by default',
  async (venue) => {
    const plain = success(await venue.call('GET', `${V1}/funds`));
    const query = { trade_currency: 'USDT' };
    equal(plain, success(await venue.call('GET', `${V1}/funds`, { query })), 'data');
  },
  readOnly,
);

add('R05', 'a transfer becomes Completed', async (venue) => {
  success(await venue.call('POST', USDT_TRANSFER, { body: wallets('SPOT', '1') }), 202);
  const rows = async () =>
    records(success(await venue.call('GET', `${V1}/transactions`, { query: { limit: '1' } })));
  const completed = await until(
    venue,
    'the transfer is Completed',
    rows,
    ([row]) => row?.['status'] === 'Completed',
  );
  equal(completed[0]?.['transaction_type'], 'DEPOSIT', 'transaction_type');
  success(await venue.call('POST', USDT_TRANSFER, { body: wallets('FUTURES', '1') }), 202);
});

add(
  'R06',
  'assets are a flat array, BTCUSDT among them',
  async (venue) => {
    const query = { limit: '100' };
    const assets = records(success(await venue.call('GET', V1, { query })), 'assets');
    const symbols = assets.map((asset) => textOf(asset, 'symbol'));
    ensure(symbols.includes('BTCUSDT'), 'BTCUSDT is listed', symbols);
    equal(new Set(symbols).size, symbols.length, 'each once');
  },
  readOnly,
);

add(
  'R07',
  'an asset is found by symbol and by id, and is the same',
  async (venue) => {
    const path = `${V1}/${venue.symbols.first}`;
    const bySymbol = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    const byId = record(success(await venue.call('GET', `${V1}/${textOf(bySymbol, 'id')}`)));
    equal(byId['symbol'], bySymbol['symbol'], 'symbol');
    equal(byId['id'], bySymbol['id'], 'id');
  },
  readOnly,
);
add(
  'R07',
  'trade_currency does not change the answer',
  async (venue) => {
    const path = `${V1}/${venue.symbols.first}`;
    const static_ = (asset: Record<string, unknown>) =>
      ['id', 'min_contract', 'price_step', 'min_notional_value', 'max_leverage'].map(
        (name) => asset[name],
      );
    const plain = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    const query = 'is_symbol&trade_currency=INR';
    const inr = record(success(await venue.call('GET', path, { query })));
    equal(static_(inr), static_(plain), 'the instrument');
  },
  readOnly,
);

add('R08', 'leverage is read by symbol and by id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const bySymbol = await venue.call('GET', `${V1}/${trader.symbol}/leverage`, {
    query: 'is_symbol',
  });
  const byId = await venue.call('GET', `${V1}/${textOf(trader.asset, 'id')}/leverage`);
  equal(success(byId), success(bySymbol), 'data');
});

for (const [title, leverage] of [
  ['a string', '3'],
  ['a number', 4],
] as const) {
  add('R09', `leverage is set from ${title} and read back`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const path = `${V1}/${trader.symbol}/leverage`;
    const body = { leverage, margin_type: 'ISOLATED' };
    sameNumber(
      record(success(await venue.call('POST', path, { query: 'is_symbol', body })))['leverage'],
      leverage,
      'leverage in the answer',
    );
    const read = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    sameNumber(read['leverage'], leverage, 'leverage read back');
  });
}
add('R09', 'another margin type is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = { leverage: '3', margin_type: 'CROSS' };
  const path = `${V1}/${trader.symbol}/leverage`;
  equal((await venue.call('POST', path, { query: 'is_symbol', body })).status, 400, 'status');
});

add('R10', 'v1 stores its leverage for the asset and currency', async (venue) => {
  const trader = await ContractTrader.open(venue);
  success(await placeV1(trader, bodyV1(trader, { leverage: '2' })), 202);
  const path = `${V1}/${trader.symbol}/leverage`;
  const read = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
  sameNumber(read['leverage'], 2, 'leverage');
});
add('R10', 'v1 accepts a market order with a price in range', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = bodyV1(trader, { trigger_type: 'MARKET', order_price: trader.price.toFixed() });
  const placed = record(success(await placeV1(trader, body), 202));
  await trader.orderIn(textOf(placed, 'order_id'), 'FILLED');
});
add('R10', 'v1 accepts a market order with any price, and trades at the market', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = bodyV1(trader, { trigger_type: 'MARKET', order_price: 12445627 });
  const placed = record(success(await placeV1(trader, body), 202));
  const order = await trader.orderIn(textOf(placed, 'order_id'), 'FILLED');
  near(decimalOf(order, 'filled_price'), trader.price, trader.price.times('0.01'), 'filled_price');
});
add('R10', 'v1 selects the asset by its id too', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const path = `${V1}/${textOf(trader.asset, 'id')}/order`;
  const placed = record(success(await venue.call('POST', path, { body: bodyV1(trader) }), 202));
  equal((await trader.order(textOf(placed, 'order_id')))['symbol'], trader.symbol, 'symbol');
});
add('R10', 'amount is the margin used, in the currency of the order', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = bodyV1(trader);
  const placed = record(success(await placeV1(trader, body), 202));
  const notional = new Decimal(String(body['quantity'])).times(String(body['order_price']));
  near(decimalOf(placed, 'amount'), notional.div(5), notional.times('0.001'), 'amount');
});

add('R11', 'v2 selects the asset by symbol or by id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  for (const query of [{ symbol: trader.symbol }, { id: textOf(trader.asset, 'id') }]) {
    const answer = await venue.call('POST', V2_ORDER, {
      query: query as Record<string, string>,
      body: trader.limitBody(),
    });
    const id = textOf(record(success(answer, 202)), 'order_id');
    equal((await trader.order(id))['symbol'], trader.symbol, 'symbol');
  }
});
add('R11', 'price is the sent one of a LIMIT, the live one of a MARKET', async (venue) => {
  const trader = await ContractTrader.open(venue);
  sameNumber((await trader.placeResting())['price'], trader.farPrice(), 'price of the limit order');
  const market = await trader.fill('LONG', { order_price: '1' });
  near(
    decimalOf(market, 'price'),
    trader.price,
    trader.price.times('0.01'),
    'price of the market order',
  );
});
add('R11', 'a stop beyond the liquidation price is not checked', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const riskOrders = { is_stoploss: true, stoploss_price: trader.at(-0.5).toFixed() };
  success(await trader.place(trader.limitBody('LONG', riskOrders)), 202);
});
add('R11', 'a reduce_only order blocks no margin', async (venue) => {
  const trader = await ContractTrader.open(venue);
  await trader.openPosition();
  const before = await trader.wallet();
  await trader.placeResting('SHORT', { reduce_only: true });
  equal(await trader.wallet(), before, 'the wallet');
});
add('R11', 'quantity and leverage are echoed', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const placed = await trader.placeResting();
  sameNumber(placed['quantity'], trader.unit, 'quantity');
  sameNumber(placed['leverage'], 5, 'leverage');
});
add('R11', 'an empty client_order_id counts as unset', async (venue) => {
  const trader = await ContractTrader.open(venue);
  for (let count = 0; count < 2; count += 1) {
    const placed = await trader.placeResting('LONG', { client_order_id: '' });
    const order = await trader.order(textOf(placed, 'order_id'));
    equal(order['client_order_id'], null, 'client_order_id');
  }
});
add('R11', 'a client_order_id is echoed and kept in its case', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = `${freshId()}-aB_9`;
  const placed = await trader.placeResting('LONG', { client_order_id: id });
  equal(placed['client_order_id'], id, 'client_order_id in the answer');
  equal((await trader.order(textOf(placed, 'order_id')))['client_order_id'], id, 'on the order');
});

add('R12', 'a resting order is listed until it is cancelled', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  equal(
    (await trader.list('orders')).map((row) => row['id']),
    [id],
    'ids',
  );
  success(await venue.call('DELETE', `${V1}/orders/${id}`));
  equal((await trader.list('orders')).length, 0, 'open orders');
});

add('R13', 'filled and cancelled orders are in the history', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const filled = textOf(await trader.fill(), 'order_id');
  const gone = textOf(await trader.placeResting(), 'order_id');
  success(await venue.call('DELETE', `${V1}/orders/${gone}`));
  const rows = await trader.list('orders/history');
  const statusOf = (id: string) => rows.find((row) => row['id'] === id)?.['status'];
  equal([statusOf(filled), statusOf(gone)], ['FILLED', 'CANCELLED'], 'statuses');
});

add('R14', 'order by id returns the order', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const order = record(success(await venue.call('GET', `${V1}/orders/${id}`)));
  equal([order['id'], order['status']], [id, 'CREATED'], 'id and status');
});

add('R15', 'detail finds an order by either id, and by both', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const clientId = freshId();
  const id = textOf(await trader.placeResting('LONG', { client_order_id: clientId }), 'order_id');
  const queries: readonly Record<string, string>[] = [
    { order_id: id },
    { client_order_id: clientId },
    { order_id: id, client_order_id: clientId },
  ];
  for (const query of queries) {
    const order = record(success(await venue.call('GET', `${V1}/orders/detail`, { query })));
    equal(order['id'], id, 'id');
  }
});
add('R15', 'client order ids are case-sensitive', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const clientId = `${freshId()}-a`;
  await trader.placeResting('LONG', { client_order_id: clientId });
  const query = { client_order_id: clientId.toUpperCase() };
  const answer = await venue.call('GET', `${V1}/orders/detail`, { query });
  refused(answer, { status: 404, text: 'order not found' });
});

add('R16', 'the report agrees with the order', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.fill(), 'order_id');
  const order = await trader.order(id);
  const report = record(success(await venue.call('GET', `${V1}/orders/${id}/execution-report`)));
  const [fill] = records(report['executions'], 'executions');
  sameNumber(fill?.['filled_qty'], decimalOf(order, 'filled_quantity'), 'filled_qty');
  sameNumber(fill?.['filled_price'], decimalOf(order, 'filled_price'), 'filled_price');
  const value = decimalOf(order, 'filled_quantity').times(decimalOf(order, 'filled_price'));
  sameNumber(fill?.['filled_value'], value, 'filled_value of the fill');
  sameNumber(report['filled_value'], value, 'filled_value');
});
add('R16', 'an order without fills has a report without executions', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const report = record(success(await venue.call('GET', `${V1}/orders/${id}/execution-report`)));
  equal(list(report['executions'], 'executions').length, 0, 'executions');
});
add(
  'R16',
  'the report of an unknown order is 404',
  async (venue) => {
    const path = `${V1}/orders/${UNKNOWN_UUID}/execution-report`;
    refused(await venue.call('GET', path), { status: 404, text: 'order not found' });
  },
  readOnly,
);

add('R17', 'an amend changes price and quantity and answers with a message', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const price = trader.at(-0.12).toFixed();
  const body = { order_price: price, quantity: trader.unit.times(2).toFixed() };
  const data = record(success(await venue.call('PATCH', `${V1}/orders/${id}`, { body })));
  ensure(textOf(data, 'message').length > 0, 'message is a text');
  const order = await trader.order(id);
  sameNumber(order['price'], price, 'price');
  sameNumber(order['quantity'], trader.unit.times(2), 'quantity');
});
add('R17', 'an amend of a filled order is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.fill(), 'order_id');
  const body = { order_price: trader.farPrice(), quantity: trader.unit.toFixed() };
  equal((await venue.call('PATCH', `${V1}/orders/${id}`, { body })).status, 400, 'status');
});
add('R17', 'an amend of an unknown order is 404', async (venue) => {
  const body = { order_price: '1', quantity: '1' };
  const answer = await venue.call('PATCH', `${V1}/orders/${UNKNOWN_UUID}`, { body });
  refused(answer, { status: 404, text: 'order not found' });
});

add('R18', 'a cancel answers with message, order_id and status', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const data = record(success(await venue.call('DELETE', `${V1}/orders/${id}`)));
  hasFields(data, { message: 'string', order_id: 'string', status: 'string' }, 'cancel');
});
add('R18', 'a second cancel is 400', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  success(await venue.call('DELETE', `${V1}/orders/${id}`));
  equal((await venue.call('DELETE', `${V1}/orders/${id}`)).status, 400, 'status');
});
add('R18', 'a cancel of an unknown order is 404, of a malformed id 500', async (venue) => {
  refused(await venue.call('DELETE', `${V1}/orders/${UNKNOWN_UUID}`), {
    status: 404,
    text: 'order not found',
  });
  equal((await venue.call('DELETE', `${V1}/orders/not-an-id`)).status, 500, 'status');
});
add('R18', 'a protective order is cancelled like any order', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const riskOrders = await withRiskOrders(trader, id);
  const data = record(success(await venue.call('DELETE', `${V1}/orders/${riskOrders.stop}`)));
  hasFields(data, { message: 'string', order_id: 'string', status: 'string' }, 'cancel');
  equal((await trader.order(riskOrders.stop))['status'], 'CANCELLED', 'status');
  ensure(!('stoploss' in (await trader.positionRow(id))), 'the position has no stoploss');
});

add('R19', 'a cancel by client_order_id has the same answer', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const clientId = freshId();
  const id = textOf(await trader.placeResting('LONG', { client_order_id: clientId }), 'order_id');
  const query = { client_order_id: clientId };
  const data = record(success(await venue.call('DELETE', `${V1}/orders`, { query })));
  hasFields(data, { message: 'string', order_id: 'string', status: 'string' }, 'cancel');
  await trader.orderIn(id, 'CANCELLED');
});
add('R19', 'order_id is not a query of this form', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const answer = await venue.call('DELETE', `${V1}/orders`, { query: { order_id: id } });
  ensure(answer.status >= 400, 'it is refused', answer.status);
  equal((await trader.order(id))['status'], 'CREATED', 'status of the order');
});
add('R19', 'an unknown client_order_id is 404', async (venue) => {
  const query = { client_order_id: 'never-used-by-anyone' };
  const answer = await venue.call('DELETE', `${V1}/orders`, { query });
  refused(answer, { status: 404, text: 'order not found' });
});

add('R20', 'open positions are an array, null when there are none', async (venue) => {
  const trader = await ContractTrader.open(venue);
  equal(success(await venue.call('GET', `${V1}/positions`)), null, 'data without positions');
  await trader.openPosition();
  const rows = records(success(await venue.call('GET', `${V1}/positions`)));
  equal(
    rows.map((row) => row['symbol']),
    [trader.symbol],
    'symbols',
  );
});

add('R21', 'each close has a row of its own, with one position_id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  await trader.fill('SHORT', { reduce_only: true });
  await trader.fill('SHORT', { reduce_only: true });
  await trader.closed(id);
  const rows = await trader.history(id);
  const statuses = rows.map((row) => textOf(row, 'status'));
  equal(statuses.sort(), ['CLOSED', 'PARTIAL'], 'statuses');
  equal(new Set(rows.map((row) => row['id'])).size, 2, 'ids of the rows');
});

add(
  'R22',
  'setting protective orders answers with position_id, status and message only',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = textOf(await trader.openPosition(), 'id');
    const body = {
      is_stoploss: true,
      stoploss_price: trader.at(-0.05).toFixed(),
      order_source: 'API',
    };
    const data = record(success(await trader.onPosition('POST', id, 'riskorder', { body })));
    hasFields(data, { position_id: 'uuid', status: 'string', message: 'string' }, 'answer');
    equal(data['position_id'], id, 'position_id');
  },
);
add('R22', 'protective orders have the client ids that were sent', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const stop = freshId();
  const target = freshId();
  const riskOrders = await withRiskOrders(trader, id, {
    stoploss_client_order_id: stop,
    takeprofit_client_order_id: target,
  });
  equal((await trader.order(riskOrders.stop))['client_order_id'], stop, 'of the stop');
  equal((await trader.order(riskOrders.target))['client_order_id'], target, 'of the target');
});
add('R22', 'a used id is 409, a malformed one 400', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const used = freshId();
  const id = textOf(await trader.openPosition('LONG', { client_order_id: used }), 'id');
  const riskOrder = { is_stoploss: true, stoploss_price: trader.at(-0.05).toFixed() };
  const again = { ...riskOrder, stoploss_client_order_id: used };
  refused(await trader.onPosition('POST', id, 'riskorder', { body: again }), {
    status: 409,
    text: 'client order id already exists',
  });
  const malformed = { ...riskOrder, stoploss_client_order_id: 'a b' };
  refused(await trader.onPosition('POST', id, 'riskorder', { body: malformed }), {
    status: 400,
    text: 'invalid order identifier',
  });
});

add('R23', 'an edit moves a protective order found by its order id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const riskOrders = await withRiskOrders(trader, id);
  const price = trader.at(-0.07).toFixed();
  const body = { is_stoploss: true, stoploss_price: price, stoploss_order_id: riskOrders.stop };
  const data = record(success(await trader.onPosition('PATCH', id, 'riskorder', { body })));
  ensure(textOf(data, 'message').length > 0, 'message is a text');
  const row = await trader.positionRow(id);
  sameNumber(record(row['stoploss'], 'stoploss')['price'], price, 'stoploss.price');
  sameNumber(record(row['takeprofit'], 'takeprofit')['price'], trader.at(0.05), 'takeprofit.price');
});
add('R23', 'an edit moves both protective orders at once, with numbers', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const riskOrders = await withRiskOrders(trader, id);
  const body = {
    is_stoploss: true,
    stoploss_price: trader.at(-0.07).toNumber(),
    stoploss_order_id: riskOrders.stop,
    is_takeprofit: true,
    takeprofit_price: trader.at(0.07).toNumber(),
    takeprofit_order_id: riskOrders.target,
  };
  success(await trader.onPosition('PATCH', id, 'riskorder', { body }));
  const row = await trader.positionRow(id);
  sameNumber(record(row['stoploss'], 'stoploss')['price'], trader.at(-0.07), 'stoploss.price');
  sameNumber(record(row['takeprofit'], 'takeprofit')['price'], trader.at(0.07), 'takeprofit.price');
});
add('R23', 'an edit finds a protective order by its client id', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const clientId = freshId();
  await withRiskOrders(trader, id, { stoploss_client_order_id: clientId });
  const price = trader.at(-0.07).toFixed();
  const riskOrder = {
    is_stoploss: true,
    stoploss_price: price,
    stoploss_client_order_id: clientId,
  };
  success(await trader.onPosition('PATCH', id, 'riskorder', { body: riskOrder }));
  const row = await trader.positionRow(id);
  sameNumber(record(row['stoploss'], 'stoploss')['price'], price, 'stoploss.price');
});
add(
  'R23',
  'trigger_type turns a protective order into a limit order, and an edit without it keeps it one',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = textOf(await trader.openPosition(), 'id');
    const riskOrders = await withRiskOrders(trader, id);
    const edit = (price: string, more: object): Promise<RawResponse> => {
      const riskOrder = {
        is_stoploss: true,
        stoploss_price: price,
        stoploss_order_id: riskOrders.stop,
      };
      return trader.onPosition('PATCH', id, 'riskorder', { body: { ...riskOrder, ...more } });
    };
    equal((await trader.order(riskOrders.stop))['trigger_type'], 'MARKET', 'trigger_type at first');
    success(await edit(trader.at(-0.06).toFixed(), { trigger_type: 'LIMIT' }));
    equal((await trader.order(riskOrders.stop))['trigger_type'], 'LIMIT', 'trigger_type');
    success(await edit(trader.at(-0.07).toFixed(), {}));
    equal(
      (await trader.order(riskOrders.stop))['trigger_type'],
      'LIMIT',
      'trigger_type after another edit',
    );
    equal((await edit(trader.at(-0.08).toFixed(), { trigger_type: 'STOP' })).status, 400, 'status');
  },
);

for (const [title, margin] of [
  ['a string', '1'],
  ['a number', 1],
] as const) {
  add('R24', `margin given as ${title} is added, and taken back`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const before = await trader.openPosition();
    const id = textOf(before, 'id');
    const added = record(
      success(await trader.onPosition('POST', id, 'add-margin', { body: { margin } })),
    );
    const shape = {
      message: 'string',
      initial_margin: 'decimal',
      liquidation_price: 'decimal',
      trade_currency: 'string',
    };
    hasFields(added, shape, 'answer');
    sameNumber(
      added['initial_margin'],
      decimalOf(before, 'initial_margin').plus(1),
      'initial_margin',
    );
    const lower = decimalOf(added, 'liquidation_price').lt(decimalOf(before, 'liquidation_price'));
    ensure(lower, 'the liquidation price of a LONG moves away');
    const body = { margin: typeof margin === 'string' ? '-1' : -1 };
    const back = record(success(await trader.onPosition('POST', id, 'add-margin', { body })));
    sameNumber(back['initial_margin'], decimalOf(before, 'initial_margin'), 'initial_margin again');
    equal(back['liquidation_price'], before['liquidation_price'], 'liquidation_price again');
  });
}

add('R24', 'a margin that is a float is rounded to its decimal value', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const before = await trader.wallet();
  const body = { margin: 0.1 + 0.2 };
  success(await trader.onPosition('POST', id, 'add-margin', { body }));
  const after = await trader.wallet();
  sameNumber(after.locked.minus(before.locked).toFixed(), '0.3', 'what was locked');
});

add('R25', 'a partial close may be below the minimum order value', async (venue) => {
  const symbol = await fineSymbol(venue);
  const trader = await ContractTrader.open(venue, { symbol });
  const id = textOf(await trader.openPosition(), 'id');
  const body = { order_type: 'MARKET', quantity: trader.quantityStep.toFixed() };
  success(await trader.onPosition('POST', id, 'close/partial', { body }));
});
add('R25', 'a partial close answers true, or the ids and quantity', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const body = { order_type: 'MARKET', quantity: trader.unit.toFixed() };
  const data = success(await trader.onPosition('POST', id, 'close/partial', { body }));
  if (isFields(data)) {
    hasFields(
      data,
      { order_id: 'uuid', position_id: 'uuid', quantity: 'decimal|number' },
      'answer',
    );
  } else {
    equal(data, true, 'data');
  }
});
add('R25', 'a partial close of the whole quantity is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition();
  const body = { order_type: 'MARKET', quantity: row['quantity'] };
  const answer = await trader.onPosition('POST', textOf(row, 'id'), 'close/partial', { body });
  equal(answer.status, 400, 'status');
});
add('R25', 'a LIMIT close needs limit_price', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const body = { order_type: 'LIMIT', quantity: trader.unit.toFixed() };
  equal((await trader.onPosition('POST', id, 'close/partial', { body })).status, 400, 'status');
});
add(
  'R25',
  'the client id of a partial close follows the rules of all client ids',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const used = freshId();
    const id = textOf(await trader.openPosition('LONG', { client_order_id: used }), 'id');
    const body = { order_type: 'MARKET', quantity: trader.unit.toFixed(), client_order_id: used };
    const answer = await trader.onPosition('POST', id, 'close/partial', { body });
    refused(answer, { status: 409, text: 'client order id already exists' });
  },
);

for (const [title, body] of [
  ['without a body', undefined],
  ['with trade_currency', { trade_currency: 'USDT' }],
] as const) {
  add('R26', `close ${title} answers with its order`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = textOf(await trader.openPosition(), 'id');
    const request = body === undefined ? {} : { body };
    const data = record(success(await trader.onPosition('POST', id, 'close', request)));
    const shape = { position_id: 'uuid', order_id: 'uuid', status: 'string', message: 'string' };
    hasFields(data, shape, 'answer');
    equal(data['position_id'], id, 'position_id');
    await trader.closed(id);
  });
}
for (const action of ['close', 'reverse']) {
  const row = action === 'close' ? 'R26' : 'R27';
  add(row, `${action} of an unknown position is 404`, async (venue) => {
    const path = `${V1}/positions/${UNKNOWN_UUID}/${action}`;
    refused(await venue.call('POST', path), { status: 404, text: 'Position not found' });
  });
}

add('R27', 'reverse answers 202 with its order', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const data = record(success(await trader.onPosition('POST', id, 'reverse'), 202));
  const shape = {
    leverage: 'decimal',
    amount: 'decimal',
    quantity: 'decimal',
    price: 'decimal',
    order_id: 'uuid',
    status: 'string',
    message: 'string',
  };
  hasFields(data, shape, 'answer');
  equal(data['status'], 'CREATED', 'status');
});

add('R28', 'without ext_margin the answer is the price of the position', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition();
  const id = textOf(row, 'id');
  for (const query of ['', 'ext_margin=0']) {
    const data = success(await trader.onPosition('GET', id, 'liq-price', { query }));
    equal(data, row['liquidation_price'], 'data');
  }
});
add('R28', 'ext_margin gives a hypothetical price, above and below 0', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition();
  const now = decimalOf(row, 'liquidation_price');
  const liquidationPriceWith = async (margin: string) =>
    decimal(
      success(
        await trader.onPosition('GET', textOf(row, 'id'), 'liq-price', {
          query: { ext_margin: margin },
        }),
      ),
    );
  ensure((await liquidationPriceWith('1')).lt(now), 'more margin moves it away');
  ensure((await liquidationPriceWith('-0.5')).gt(now), 'less margin brings it nearer');
  equal(
    (await trader.positionRow(textOf(row, 'id')))['initial_margin'],
    row['initial_margin'],
    'margin',
  );
});
add(
  'R28',
  'an unknown position is 404',
  async (venue) => {
    const path = `${V1}/positions/${UNKNOWN_UUID}/liq-price`;
    refused(await venue.call('GET', path), { status: 404, text: 'Position not found' });
  },
  readOnly,
);

add('R29', 'each fill has its fee row, newest first', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const expected: string[] = [];
  for (const direction of ['LONG', 'SHORT'] as const) {
    await trader.fill(direction);
    await venue.pass(1_000);
    expected.unshift(direction);
  }
  const rows = await trader.list('fee/history', { limit: '2' });
  equal(
    rows.map((row) => row['order_type']),
    expected,
    'order_types',
  );
});

const INTERVALS: Readonly<Record<string, number>> = {
  '1m': 60,
  '3t': 180,
  '5t': 300,
  '10t': 600,
  '15t': 900,
  '30t': 1_800,
  '1h': 3_600,
  '4h': 14_400,
  '6h': 21_600,
  '12h': 43_200,
  '1d': 86_400,
  '1w': 604_800,
  '1mth': 2_592_000,
};

async function candles(venue: VenueUnderTest, kind: string, aggregation: string, seconds: number) {
  const end = Math.floor((await venue.now()) / 1_000);
  const query = {
    assets: 'btc/usdt',
    aggregation,
    start_time: String(end - seconds * 6),
    end_time: String(end),
  };
  const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
  const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
  return list(ticks['btc/usdt'], 'candles').map((candle) =>
    list(candle, 'candle').map((value) => decimal(value).toNumber()),
  );
}

for (const [row, kind] of [
  ['R30', 'kline'],
  ['R31', 'mark-kline'],
] as const) {
  for (const [aggregation, seconds] of Object.entries(INTERVALS)) {
    add(
      row,
      `${kind} in ${aggregation}: UTC aligned, within high and low`,
      async (venue) => {
        const rows = await candles(venue, kind, aggregation, seconds);
        ensure(rows.length >= 4, 'candles of six intervals', rows.length);
        for (const [time = 0, open = 0, high = 0, low = 0, close = 0] of rows) {
          ensure(isAligned(time, aggregation, seconds), 'aligned to UTC', new Date(time * 1_000));
          ensure(low <= Math.min(open, close) && Math.max(open, close) <= high, 'within', rows);
        }
      },
      readOnly,
    );
  }
  add(
    row,
    `${kind} for many symbols has the shape of one, and leaves out unknown symbols`,
    async (venue) => {
      const assets = 'BTC/USDT,eth/usdt,nosuch/usdt';
      const query = { assets, aggregation: '1m', ...(await lastHours(venue)) };
      const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      equal(Object.keys(ticks).sort(), ['btc/usdt', 'eth/usdt'], 'keys');
    },
    readOnly,
  );
  add(
    row,
    `${kind} includes both ends of the range`,
    async (venue) => {
      const minute = Math.floor((await venue.now()) / 60_000) * 60;
      const query = {
        assets: 'btc/usdt',
        aggregation: '1m',
        start_time: String(minute - 600),
        end_time: String(minute - 300),
      };
      const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      equal(list(ticks['btc/usdt'], 'candles').length, 6, 'candles from start to end, both in');
    },
    readOnly,
  );
}
add(
  'R31',
  'mark-kline without aggregation is 1m',
  async (venue) => {
    const query = { assets: 'btc/usdt', ...(await lastHours(venue)) };
    const plain = success(await venue.call('GET', `${PRICE}/mark-kline`, { query }));
    const named = { ...query, aggregation: '1m' };
    equal(plain, success(await venue.call('GET', `${PRICE}/mark-kline`, { query: named })), 'data');
  },
  readOnly,
);

function isAligned(time: number, aggregation: string, seconds: number): boolean {
  const date = new Date(time * 1_000);
  if (aggregation === '1mth') return date.getUTCDate() === 1 && time % 86_400 === 0;
  if (aggregation === '1w') return date.getUTCDay() === 1 && time % 86_400 === 0;
  return time % seconds === 0;
}

add(
  'R32',
  'the stream opens without a key',
  async (venue) => {
    ensure((await openStreamOrFail(venue)).isOpen, 'the connection is open');
  },
  readOnly,
);

add(
  'R33',
  'ping answers pong',
  async (venue) => {
    const answer = await venue.call('GET', `${V1}/ping`);
    equal(answer.status, 200, 'status');
    ensure(answer.text.includes('pong'), 'pong', answer.text);
  },
  readOnly,
);

/** An asset whose smallest quantity is worth less than the minimum order value. */
async function fineSymbol(venue: VenueUnderTest): Promise<string> {
  const assets = records(success(await venue.call('GET', V1, { query: { limit: '100' } })));
  const fine = assets.find((asset) => {
    const worth = decimalOf(asset, 'price').times(decimalOf(asset, 'min_contract'));
    return worth.lt(decimalOf(asset, 'min_notional_value'));
  });
  return textOf(fine ?? fail('an asset has a minimum quantity below the minimum value'), 'symbol');
}
