import { CaseRegistry } from '../case-registry.js';
import {
  ContractTrader,
  freshId,
  SPOT,
  UNKNOWN_UUID,
  V1,
  V2_ORDER,
  symbolWithoutLeverage,
} from '../contract-trader.js';
import {
  decimalOf,
  ensure,
  equal,
  isFields,
  near,
  record,
  refused,
  sameNumber,
  success,
  textOf,
} from '../expect.js';
import { openStreamOrFail } from '../stream-replies.js';
import { controlsOf } from '../venue-under-test.js';
import { lastHours, PRICE } from './market-errors.js';

export const bodies = new CaseRegistry();
const add = bodies.add.bind(bodies);
const readOnly = { readOnly: true } as const;

for (const [title, wire] of [
  ['strings', (value: string) => value],
  ['JSON numbers', (value: string) => Number(value)],
] as const) {
  add('B01', `a place accepts ${title}`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const change = { quantity: wire(trader.unit.toFixed()), order_price: wire(trader.farPrice()) };
    const placed = await trader.placeResting('LONG', change);
    sameNumber(placed['quantity'], trader.unit, 'quantity');
    sameNumber(placed['price'], trader.farPrice(), 'price');
  });
  add('B01', `an amend accepts ${title}`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const id = textOf(await trader.placeResting(), 'order_id');
    const price = trader.at(-0.12).toFixed();
    const body = { order_price: wire(price), quantity: wire(trader.unit.toFixed()) };
    success(await venue.call('PATCH', `${V1}/orders/${id}`, { body }));
    sameNumber((await trader.order(id))['price'], price, 'price');
  });
}
add('B01', 'echoed values are normalised', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const written = `${trader.unit.toFixed()}${trader.unit.isInteger() ? '.00' : '00'}`;
  const placed = await trader.placeResting('LONG', { quantity: written });
  equal(placed['quantity'], trader.unit.toFixed(), 'quantity');
});

const JSON_TYPE = { 'content-type': 'application/json' };
add('B02', 'a cancel with a JSON content type and no body is accepted', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  success(await venue.call('DELETE', `${V1}/orders/${id}`, { headers: JSON_TYPE }));
});
add('B02', 'a close with a JSON content type and no body is accepted', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  success(await trader.onPosition('POST', id, 'close', { headers: JSON_TYPE }));
  await trader.closed(id);
});
add('B02', 'a cancel with an empty object is accepted', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  success(await venue.call('DELETE', `${V1}/orders/${id}`, { body: {} }));
});

for (const assets of ['btc/usdt', 'BTC/USDT', 'btc%2Fusdt', 'BTC%2Fusdt,eth/usdt']) {
  add(
    'B03',
    `assets=${assets} is understood, keys are lower case`,
    async (venue) => {
      const { start_time, end_time } = await lastHours(venue);
      const query = `assets=${assets}&aggregation=1m&start_time=${start_time}&end_time=${end_time}`;
      const answer = await venue.call('GET', `${PRICE}/kline`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      ensure('btc/usdt' in ticks, 'the key is btc/usdt', Object.keys(ticks));
    },
    readOnly,
  );
}

for (const query of [
  'is_symbol',
  'is_symbol=',
  'is_symbol=true',
  'is_symbol=false',
  'is_symbol=0',
]) {
  add(
    'B04',
    `?${query} makes the path a symbol`,
    async (venue) => {
      const path = `${V1}/${venue.symbols.first}`;
      const asset = record(success(await venue.call('GET', path, { query })));
      equal(asset['symbol'], venue.symbols.first, 'symbol');
    },
    readOnly,
  );
}

add(
  'B05',
  'an answer is a success with data, or a failure with errors',
  async (venue) => {
    const yes = await venue.call('GET', `${V1}/funds`);
    const no = await venue.call('GET', `${V1}/orders/${UNKNOWN_UUID}`);
    success(yes);
    refused(no, { status: 404, text: 'order not found' });
    ensure(isFields(yes.json) && !('errors' in yes.json), 'success has no errors');
    ensure(isFields(no.json) && !('data' in no.json), 'a failure has no data');
  },
  readOnly,
);

const MALFORMED: readonly (readonly [string, string])[] = [
  ['broken off', '{"trigger_type":"LIMIT",'],
  ['a list', '[]'],
  ['a text', '"LIMIT"'],
  ['null', 'null'],
  ['not JSON', 'trigger_type=LIMIT'],
  ['a NUL', '\u0000'],
];
for (const [title, body] of MALFORMED) {
  add('B06', `a place whose body is ${title} is 400 and creates nothing`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const before = await trader.wallet();
    const answer = await trader.place(body);
    equal(answer.status, 400, 'status');
    ensure(isFields(answer.json) && answer.json['success'] === false, 'the envelope', answer.text);
    equal((await trader.list('orders')).length, 0, 'open orders');
    equal(await trader.wallet(), before, 'the wallet');
  });
}
for (const quantity of ['NaN', 'Infinity', '1e400', '9'.repeat(400), '-5', '0x10', '']) {
  add('B06', `a quantity of ${JSON.stringify(quantity.slice(0, 12))} is 400`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const answer = await trader.place(trader.limitBody('LONG', { quantity }));
    equal(answer.status, 400, 'status');
    ensure(isFields(answer.json) && answer.json['success'] === false, 'the envelope', answer.text);
    equal((await trader.list('orders')).length, 0, 'open orders');
  });
}
add('B06', 'a body of eight megabytes is refused, and the venue keeps answering', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const body = trader.limitBody('LONG', { note: 'x'.repeat(8 * 1_048_576) });
  const status = await trader.place(body).then(
    (answer) => answer.status,
    () => 'broken off',
  );
  ensure(status === 'broken off' || Number(status) >= 400, 'it is refused', status);
  success(await venue.call('GET', `${V1}/funds`));
});

add('B07', 'unknown fields of a body are ignored', async (venue) => {
  const trader = await ContractTrader.open(venue);
  await trader.placeResting('LONG', { colour: 'green', user_id: 7, nested: { deep: [1] } });
});
add(
  'B07',
  'unknown query keys are ignored',
  async (venue) => {
    success(await venue.call('GET', `${V1}/funds`, { query: { source: 'API', colour: 'green' } }));
    const query = { assets: 'btc/usdt', aggregation: '1m', colour: 'green' };
    const range = await lastHours(venue);
    success(await venue.call('GET', `${PRICE}/kline`, { query: { ...query, ...range } }));
  },
  readOnly,
);

interface Fault {
  readonly name: string;
  readonly status: number;
  readonly text: string;
  readonly change: (trader: ContractTrader) => object;
}

/** In the documented order of checks. Each fault alone gives its text. */
const CHECKS: readonly Fault[] = [
  {
    name: 'currency',
    status: 400,
    text: 'invalid trade_currency',
    change: () => ({ trade_currency: 'EUR' }),
  },
  {
    name: 'trigger type',
    status: 400,
    text: 'trigger_type must be MARKET or LIMIT',
    change: () => ({ trigger_type: 'X' }),
  },
  {
    name: 'order type',
    status: 400,
    text: 'order_type must be LONG or SHORT',
    change: () => ({ order_type: 'X' }),
  },
  {
    name: 'identifier format',
    status: 400,
    text: 'invalid order identifier',
    change: () => ({ client_order_id: 'a b' }),
  },
  {
    name: 'price step',
    status: 400,
    text: 'price not a multiple of the price step',
    change: (trader) => ({ order_price: trader.at(-0.1).plus(trader.priceStep.div(2)).toFixed() }),
  },
  {
    name: 'stop',
    status: 400,
    text: 'invalid stop loss price',
    change: (trader) => ({ is_stoploss: true, stoploss_price: trader.at(0.2).toFixed() }),
  },
  {
    name: 'target',
    status: 400,
    text: 'invalid takeprofit price',
    change: (trader) => ({ is_takeprofit: true, takeprofit_price: trader.at(-0.3).toFixed() }),
  },
  {
    name: 'reduce only',
    status: 400,
    text: 'reduce only order in new position',
    change: () => ({ reduce_only: true }),
  },
];
CHECKS.slice(0, -1).forEach(({ name, status, text, change }, index) => {
  const later = CHECKS.slice(index + 1).filter(
    // Protective orders of a reduce_only order are ignored.
    (check) => check.name !== 'reduce only' || !['stop', 'target'].includes(name),
  );
  for (const other of later) {
    add('B08', `${name} is checked before ${other.name}`, async (venue) => {
      const trader = await ContractTrader.open(venue);
      const body = trader.limitBody('LONG', { ...other.change(trader), ...change(trader) });
      refused(await trader.place(body), { status, text });
    });
  }
});
add('B08', 'a used id is checked before the asset', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  await trader.placeResting('LONG', { client_order_id: id });
  const body = trader.limitBody('LONG', { client_order_id: id });
  const answer = await venue.call('POST', V2_ORDER, { query: { symbol: 'NOSUCHUSDT' }, body });
  refused(answer, { status: 409, text: 'client order id already exists' });
});
add('B08', 'the asset is checked before its amounts', async (venue) => {
  const body = { trigger_type: 'LIMIT', order_type: 'LONG', quantity: '0', order_price: '0' };
  const answer = await venue.call('POST', V2_ORDER, { query: { symbol: 'NOSUCHUSDT' }, body });
  refused(answer, { status: 404, text: 'future asset not found' });
});
add(
  'B08',
  'the lock is checked before leverage, and leverage before the amounts',
  async (venue) => {
    const controls = controlsOf(venue);
    const symbol = await symbolWithoutLeverage(venue);
    const body = { trigger_type: 'LIMIT', order_type: 'LONG', quantity: '0', order_price: '0' };
    const place = () => venue.call('POST', V2_ORDER, { query: { symbol }, body });
    refused(await place(), { status: 400, text: 'leverage not found' });
    await controls.lock(symbol, true);
    const locked = { status: 423, text: 'action not allowed: another user action in progress' };
    refused(await place(), locked);
  },
);

/** Taker rate of the samples, GST included (supplement: fees). */
const TAKER = '0.00059';
add('B09', 'a market fill pays value x 0.00059, and INR rows have the GST in it', async (venue) => {
  for (const currency of ['USDT', 'INR'] as const) {
    const trader = await ContractTrader.open(venue, { currency });
    await trader.fill();
    const [row] = await trader.list('fee/history', { limit: '1' });
    const fee = decimalOf(record(row), 'fee_amount');
    const value = decimalOf(record(row), 'transaction_amount');
    // INR amounts are truncated to two places; the percentage is of the exact fee.
    const printed = currency === 'INR' ? '0.01' : '0.00000001';
    const whole = value.times(TAKER);
    near(fee, whole, printed, 'fee_amount');
    near(decimalOf(record(row), 'fee_perc'), whole.div(value).times(100), '0.000001', 'fee_perc');
    if (currency === 'USDT') continue;
    near(decimalOf(record(row), 'gst_amount'), whole.times(18).div(118), printed, 'gst_amount');
  }
});
add(
  'B09',
  'initial margin is value / leverage and the fee of closing at bankruptcy',
  async (venue) => {
    const trader = await ContractTrader.open(venue);
    const row = await trader.openPosition();
    const entry = decimalOf(row, 'entry_price');
    const quantity = decimalOf(row, 'quantity');
    const closeFee = quantity.times(entry.times('0.8')).times(TAKER);
    const margin = entry.times(quantity).div(5).plus(closeFee);
    near(decimalOf(row, 'initial_margin'), margin, '0.00000001', 'initial_margin');
  },
);
add('B09', 'the liquidation price follows the added margin', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const row = await trader.openPosition();
  const entry = decimalOf(row, 'entry_price');
  const quantity = decimalOf(row, 'quantity');
  // The maintenance rate is undocumented: it follows from the price without added margin.
  const query = { ext_margin: '1' };
  const id = textOf(row, 'id');
  const more = success(await trader.onPosition('GET', id, 'liq-price', { query }));
  const plain = decimalOf(row, 'liquidation_price');
  const rate = entry.times('0.8').div(plain);
  const expected = entry.times(quantity).times('0.8').minus(1).div(quantity.times(rate));
  near(
    decimalOf({ more }, 'more'),
    expected,
    trader.priceStep.times(2),
    'liq-price with ext_margin=1',
  );
});

export const access = new CaseRegistry();

const REFUSED = { status: 401, text: 'Invalid Authentication', code: 3100 };
for (const [title, key] of [
  ['without a key', null],
  ['with a wrong key', 'not-the-key'],
  ['with an empty key', ''],
] as const) {
  for (const path of [`${V1}/funds`, SPOT, `${V1}/no/such/route`, '/fapi/v1/elsewhere']) {
    access.add(
      'A01',
      `${title} ${path} is 401`,
      async (venue) => {
        const headers = { 'x-authentication': key };
        refused(await venue.call('GET', path, { headers }), REFUSED);
      },
      readOnly,
    );
  }
}
access.add('A01', 'a place without a key creates nothing', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = freshId();
  const body = trader.limitBody('LONG', { client_order_id: id });
  const query = { symbol: trader.symbol };
  const headers = { 'x-authentication': null };
  refused(await venue.call('POST', V2_ORDER, { query, body, headers }), REFUSED);
  equal((await trader.list('orders')).length, 0, 'open orders');
});

access.add(
  'A02',
  'klines and the stream need no key, and ignore one',
  async (venue) => {
    const query = { assets: 'btc/usdt', aggregation: '1m', ...(await lastHours(venue)) };
    for (const headers of [{}, { 'x-authentication': 'not-the-key' }]) {
      success(await venue.call('GET', `${PRICE}/kline`, { query, headers }));
    }
    ensure((await openStreamOrFail(venue)).isOpen, 'the stream is open');
  },
  readOnly,
);

for (const path of [`${V1}/no/such/route`, '/fapi/v3/futures/order', `${V1}/orders/a/b`]) {
  access.add(
    'A03',
    `${path} is 404 in the envelope`,
    async (venue) => {
      const text = 'requested resource was not found';
      refused(await venue.call('GET', path), { status: 404, text });
    },
    readOnly,
  );
}

access.add('A04', 'POST /wallet/funds answers like GET', async (venue) => {
  const get = success(await venue.call('GET', SPOT));
  equal(success(await venue.call('POST', SPOT)), get, 'data');
});
