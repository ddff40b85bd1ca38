import { CaseRegistry } from '../case-registry.js';
import {
  ContractTrader,
  SPOT,
  UNKNOWN_UUID,
  V1,
  V2_ORDER,
  symbolWithoutLeverage,
} from '../contract-trader.js';
import { decimalOf, ensure, record, refused, success, textOf } from '../expect.js';
import type { VenueUnderTest } from '../venue-under-test.js';

export const tradingErrors = new CaseRegistry();
const add = tradingErrors.add.bind(tradingErrors);

const USDT_TRANSFER = '/fapi/v1/wallet/futures/transfer';
const INR_TRANSFER = `${V1}/transfers/inr`;
const SPOT_TO_FUTURES = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES' };
const FUTURES_TO_SPOT = { from_wallet_type: 'FUTURES', to_wallet_type: 'SPOT' };

const INSUFFICIENT = { status: 400, text: 'insufficient balance', code: null };

/** An amount above the balance. */
async function tooMuch(
  venue: VenueUnderTest,
  from: 'SPOT' | 'FUTURES',
  currency: string,
): Promise<string> {
  if (from === 'SPOT') {
    const data = success(await venue.call('GET', SPOT, { query: { currency } }));
    return decimalOf(record(data), 'withdrawable').plus(1).toFixed();
  }
  const query = { trade_currency: currency };
  const data = success(await venue.call('GET', `${V1}/funds`, { query }));
  return decimalOf(record(data), 'balance').plus(1).toFixed();
}

add('E301', 'more USDT than the spot wallet holds is refused', async (venue) => {
  const amount = await tooMuch(venue, 'SPOT', 'USDT');
  const body = { ...SPOT_TO_FUTURES, amount };
  refused(await venue.call('POST', USDT_TRANSFER, { body }), INSUFFICIENT);
});
add('E301', 'more USDT than the futures wallet holds is refused', async (venue) => {
  const amount = await tooMuch(venue, 'FUTURES', 'USDT');
  const body = { ...FUTURES_TO_SPOT, amount };
  refused(await venue.call('POST', USDT_TRANSFER, { body }), INSUFFICIENT);
});
add('E301', 'more INR than the spot wallet holds is refused', async (venue) => {
  const amount = await tooMuch(venue, 'SPOT', 'INR');
  const body = { ...SPOT_TO_FUTURES, amount };
  refused(await venue.call('POST', INR_TRANSFER, { body }), INSUFFICIENT);
});
add('E301', 'INR sent to the USDT path is refused with the same text', async (venue) => {
  const body = { ...SPOT_TO_FUTURES, amount: '1', trade_currency: 'INR' };
  refused(await venue.call('POST', USDT_TRANSFER, { body }), INSUFFICIENT);
});

const SAME = { status: 400, text: 'From and To wallet types must be different', code: null };
for (const [title, path, wallet] of [
  ['from spot to spot in USDT', USDT_TRANSFER, 'SPOT'],
  ['from futures to futures in USDT', USDT_TRANSFER, 'FUTURES'],
  ['from spot to spot in INR', INR_TRANSFER, 'SPOT'],
] as const) {
  add('E302', `a transfer ${title} is refused`, async (venue) => {
    const body = { from_wallet_type: wallet, to_wallet_type: wallet, amount: '1' };
    refused(await venue.call('POST', path, { body }), SAME);
  });
}

add('E303', 'an amend of the price alone is refused and changes nothing', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  const before = await trader.order(id);
  const order_price = trader.at(-0.12).toFixed();
  const answer = await venue.call('PATCH', `${V1}/orders/${id}`, { body: { order_price } });
  refused(answer, { status: 400, text: 'order quantity out of permissible range' });
  const after = await trader.order(id);
  ensure(decimalOf(after, 'price').eq(decimalOf(before, 'price')), 'the price is as before');
});

const NO_ORDER = { status: 404, text: 'order not found' };
add(
  'E304',
  'order by an unknown id is 404',
  async (venue) => {
    refused(await venue.call('GET', `${V1}/orders/${UNKNOWN_UUID}`), NO_ORDER);
  },
  { readOnly: true },
);
for (const query of [
  { order_id: UNKNOWN_UUID },
  { client_order_id: 'never-used-by-anyone' },
] as Readonly<Record<string, string>>[]) {
  add(
    'E304',
    `detail by an unknown ${Object.keys(query).join()} is 404`,
    async (venue) => {
      refused(await venue.call('GET', `${V1}/orders/detail`, { query }), NO_ORDER);
    },
    { readOnly: true },
  );
}
add('E304', 'detail by the ids of two different orders is 404', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const first = textOf(
    await trader.placeResting('LONG', { client_order_id: `a-${Date.now()}` }),
    'order_id',
  );
  const clientId = `b-${Date.now()}`;
  await trader.placeResting('LONG', { client_order_id: clientId });
  const query = { order_id: first, client_order_id: clientId };
  refused(await venue.call('GET', `${V1}/orders/detail`, { query }), NO_ORDER);
});

add(
  'E305',
  'detail without an id is refused',
  async (venue) => {
    const expected = { status: 400, text: 'order id or client order id is required' };
    refused(await venue.call('GET', `${V1}/orders/detail`), expected);
  },
  { readOnly: true },
);
add(
  'E305',
  'an empty id counts as none',
  async (venue) => {
    const expected = { status: 400, text: 'order id or client order id is required' };
    const query = { order_id: '', client_order_id: '' };
    refused(await venue.call('GET', `${V1}/orders/detail`, { query }), expected);
  },
  { readOnly: true },
);

for (const [title, leverage] of [
  ['too high', '100000'],
  ['zero', '0'],
  ['negative', '-1'],
] as const) {
  add('E306', `a leverage that is ${title} is refused and changes nothing`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const expected = { status: 400, text: 'leverage out of permissible range' };
    refused(await trader.setLeverage(leverage), expected);
    const path = `${V1}/${trader.symbol}/leverage`;
    const now = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    ensure(decimalOf(now, 'leverage').eq(5), 'the leverage is as before', now);
  });
}
add('E306', 'an unknown currency is refused', async (venue) => {
  const body = { leverage: '2', trade_currency: 'EUR' };
  const path = `${V1}/${venue.symbols.first}/leverage`;
  const expected = { status: 400, text: 'Invalid trade currency' };
  refused(await venue.call('POST', path, { query: 'is_symbol', body }), expected);
});

for (const currency of ['USDT', 'INR'] as const) {
  add(
    'E307',
    `leverage that was never set in ${currency} is 404`,
    async (venue) => {
      const symbol = await symbolWithoutLeverage(venue, currency);
      const query = { is_symbol: 'true', trade_currency: currency };
      const answer = await venue.call('GET', `${V1}/${symbol}/leverage`, { query });
      refused(answer, { status: 404, text: 'leverage not found' });
    },
    { readOnly: true },
  );
}

for (const [title, id, query] of [
  ['id', UNKNOWN_UUID, ''],
  ['symbol', 'NOSUCHUSDT', 'is_symbol'],
  ['id: a symbol without is_symbol', 'BTCUSDT', ''],
] as const) {
  add(
    'E308',
    `an unknown ${title} is 404`,
    async (venue) => {
      const answer = await venue.call('GET', `${V1}/${id}`, { query });
      refused(answer, { status: 404, text: 'Asset not found' });
    },
    { readOnly: true },
  );
}

const NO_POSITION = { status: 404, text: 'Position not found' };
const RISK_ORDER = { is_stoploss: true, stoploss_price: '1' };
for (const [method, action, body] of [
  ['POST', 'riskorder', RISK_ORDER],
  ['PATCH', 'riskorder', { ...RISK_ORDER, stoploss_order_id: UNKNOWN_UUID }],
  ['POST', 'add-margin', { margin: 1 }],
] as const) {
  add('E309', `${method} ${action} of an unknown position is 404`, async (venue) => {
    const path = `${V1}/positions/${UNKNOWN_UUID}/${action}`;
    refused(await venue.call(method, path, { body }), NO_POSITION);
  });
}

const NOT_OPEN = { status: 400, text: 'Position is not in OPEN state' };
for (const method of ['POST', 'PATCH'] as const) {
  add('E310', `${method} riskorder before the first fill is refused`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const { position_id } = await trader.placeResting();
    const price = trader.at(-0.15).toFixed();
    const riskOrders = {
      is_stoploss: true,
      stoploss_price: price,
      stoploss_order_id: UNKNOWN_UUID,
    };
    const answer = await trader.onPosition(method, String(position_id), 'riskorder', {
      body: riskOrders,
    });
    refused(answer, NOT_OPEN);
  });
}
add('E310', 'a stop on a closed position is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  const body = { is_stoploss: true, stoploss_price: trader.at(-0.05).toFixed() };
  refused(await trader.onPosition('POST', id, 'riskorder', { body }), NOT_OPEN);
});

for (const direction of ['LONG', 'SHORT'] as const) {
  add('E311', `a stop beyond the liquidation price of a ${direction} is refused`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const position = await trader.openPosition(direction);
    const liquidation = decimalOf(position, 'liquidation_price');
    const beyond = direction === 'LONG' ? trader.priceStep.neg() : trader.priceStep;
    const price = liquidation
      .plus(beyond.times(3))
      .div(trader.priceStep)
      .floor()
      .times(trader.priceStep);
    const body = { is_stoploss: true, stoploss_price: price.toFixed() };
    const answer = await trader.onPosition('POST', textOf(position, 'id'), 'riskorder', { body });
    refused(answer, { status: 400, text: 'Risk order creation failed' });
  });
}

add('E312', 'an edit that names no order is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  const first = { is_stoploss: true, stoploss_price: trader.at(-0.05).toFixed() };
  success(await trader.onPosition('POST', id, 'riskorder', { body: first }));
  const body = { is_stoploss: true, stoploss_price: trader.at(-0.06).toFixed() };
  const answer = await trader.onPosition('PATCH', id, 'riskorder', { body });
  refused(answer, { status: 400, text: 'risk order id missing' });
});

for (const [title, sign] of [
  ['adding more than the balance', 1],
  ['taking more than the margin', -1],
] as const) {
  add('E313', `${title} is refused and changes nothing`, async (venue) => {
    const trader = await ContractTrader.open(venue);
    const position = await trader.openPosition();
    const id = textOf(position, 'id');
    const most = sign > 0 ? (await trader.wallet()).balance : decimalOf(position, 'initial_margin');
    const margin = most.plus(1).times(sign).toFixed();
    const answer = await trader.onPosition('POST', id, 'add-margin', { body: { margin } });
    refused(answer, { status: 400, text: 'Insufficient funds' });
    const after = await trader.positionRow(id);
    const same = decimalOf(after, 'initial_margin').eq(decimalOf(position, 'initial_margin'));
    ensure(same, 'the margin is as before', after);
  });
}

add('E314', 'a partial close before the first fill is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const { position_id } = await trader.placeResting();
  const body = { order_type: 'MARKET', quantity: trader.quantityStep.toFixed() };
  const answer = await trader.onPosition('POST', String(position_id), 'close/partial', { body });
  refused(answer, { status: 400, text: 'position is not open' });
});
add('E314', 'a partial close of a closed position is refused', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  const body = { order_type: 'MARKET', quantity: trader.unit.toFixed() };
  const answer = await trader.onPosition('POST', id, 'close/partial', { body });
  refused(answer, { status: 400, text: 'position is not open' });
});

const INVALID_CURRENCY = { status: 400, text: 'Invalid trade currency' };
const CURRENCY_READS = [
  'funds',
  'transactions',
  'orders',
  'orders/history',
  'positions',
  'positions/history',
  'fee/history',
  'BTCUSDT/leverage?is_symbol',
];
for (const written of CURRENCY_READS) {
  const [path = '', extra = ''] = written.split('?');
  add(
    'E315',
    `GET ${path} in an unknown currency is refused`,
    async (venue) => {
      const query = `${extra}${extra === '' ? '' : '&'}trade_currency=EUR`;
      refused(await venue.call('GET', `${V1}/${path}`, { query }), INVALID_CURRENCY);
    },
    { readOnly: true },
  );
}
add(
  'E315',
  'GET /wallet/funds in an unknown currency is refused',
  async (venue) => {
    const query = { currency: 'EUR' };
    refused(await venue.call('GET', SPOT, { query }), INVALID_CURRENCY);
  },
  { readOnly: true },
);

add(
  'E316',
  'over the limit a trading endpoint answers 429 in the envelope',
  async (venue) => {
    const burst = Array.from({ length: 30 }, () => venue.call('GET', `${V1}/funds`));
    const answers = await Promise.all(burst);
    const over = answers.find((answer) => answer.status === 429);
    ensure(over !== undefined, 'one of 30 requests at once is over the limit of 10 a second');
    refused(over, { status: 429, text: 'API rate limit exceeded', code: 5002 });
  },
  { readOnly: true, limits: true },
);
add(
  'E316',
  'an order over the limit does not exist',
  async (venue) => {
    const ids = Array.from({ length: 30 }, (_, index) => `over-${Date.now()}-${index}`);
    const place = (id: string) => {
      const body = { trigger_type: 'X', order_type: 'LONG', quantity: '1', client_order_id: id };
      const query = { symbol: venue.symbols.first };
      return venue.call('POST', V2_ORDER, { query, body });
    };
    const answers = await Promise.all(ids.map(place));
    const over = answers.findIndex((answer) => answer.status === 429);
    ensure(over >= 0, 'one of 30 places at once is over the limit of 10 a second');
    await venue.wait(1_100);
    const query = { client_order_id: ids[over] ?? '' };
    refused(await venue.call('GET', `${V1}/orders/detail`, { query }), NO_ORDER);
  },
  { limits: true },
);
