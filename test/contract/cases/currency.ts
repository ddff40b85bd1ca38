import type { Decimal } from 'decimal.js';
import { CaseBook } from '../case.js';
import { Desk, freshId, SPOT, until, V1 } from '../desk.js';
import {
  decimalOf,
  ensure,
  equal,
  near,
  record,
  records,
  refused,
  sameNumber,
  success,
  textOf,
} from '../expect.js';
import { controlsOf, type Venue } from '../venue.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';
import { withLegs } from './states.js';

export const currency = new CaseBook();
const add = currency.add.bind(currency);
const readOnly = { readOnly: true } as const;

for (const value of ['USDT', 'INR']) {
  add(
    'C01',
    `${value} is taken`,
    async (venue) => {
      success(await venue.call('GET', `${V1}/funds`, { query: { trade_currency: value } }));
      success(await venue.call('GET', SPOT, { query: { currency: value } }));
    },
    readOnly,
  );
}
for (const value of ['inr', 'EUR', 'USD', 'USDC', '1']) {
  add(
    'C01',
    `${value} is not`,
    async (venue) => {
      const query = { trade_currency: value };
      const answer = await venue.call('GET', `${V1}/positions`, { query });
      refused(answer, { status: 400, text: 'Invalid trade currency' });
    },
    readOnly,
  );
}

add(
  'C02',
  'the wrong parameter on the spot wallet gives zeros',
  async (venue) => {
    const query = { trade_currency: 'INR' };
    const data = record(success(await venue.call('GET', SPOT, { query })));
    for (const [name, value] of Object.entries(data)) sameNumber(value, 0, name);
  },
  readOnly,
);

add('C03', 'prices of an INR position are USDT, its quantity base', async (venue) => {
  const usdt = await Desk.open(venue);
  const inr = await Desk.open(venue, { currency: 'INR' });
  const one = await usdt.openPosition();
  const other = await inr.openPosition();
  equal(other['quantity'], one['quantity'], 'quantity');
  near(
    decimalOf(other, 'entry_price'),
    decimalOf(one, 'entry_price'),
    inr.price.times('0.01'),
    'entry_price',
  );
  near(
    decimalOf(other, 'liquidation_price'),
    decimalOf(one, 'liquidation_price'),
    inr.price.times('0.01'),
    'liquidation_price',
  );
});
add('C03', 'stops of an INR position are USDT prices', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const id = textOf(await desk.openPosition(), 'id');
  await withLegs(desk, id);
  const row = await desk.positionRow(id);
  sameNumber(record(row['stoploss'], 'stoploss')['price'], desk.at(-0.05), 'stoploss.price');
});

add(
  'C04',
  'INR fees, PnL and order values show two places at most, balances four',
  async (venue) => {
    const desk = await Desk.open(venue, { currency: 'INR' });
    const position = await desk.openPosition();
    const id = textOf(position, 'id');
    const closing = record(success(await desk.onPosition('POST', id, 'close')));
    await desk.closed(id);
    const places = (value: Decimal, most: number, what: string): void =>
      ensure(value.decimalPlaces() <= most, `${what} has ${most} places at most`, value.toFixed());
    const [row] = await desk.history(id);
    places(decimalOf(record(row), 'pnl'), 2, 'pnl');
    const [fee] = await desk.list('fee/history', { limit: '1' });
    places(decimalOf(record(fee), 'fee_amount'), 2, 'fee_amount');
    const order = await desk.order(textOf(closing, 'order_id'));
    places(decimalOf(order, 'actual_amount'), 2, 'actual_amount');
    const { balance, locked } = await desk.wallet();
    places(balance, 4, 'balance');
    places(locked, 4, 'locked_amount');
  },
);
add('C04', 'margin and balances of an INR position are INR', async (venue) => {
  const usdt = await Desk.open(venue);
  const desk = await Desk.open(venue, { currency: 'INR' });
  const before = await usdt.wallet();
  const row = await desk.openPosition();
  const rate = decimalOf(row, 'entry_hedge_rate');
  const notional = decimalOf(row, 'entry_price').times(decimalOf(row, 'quantity')).times(rate);
  near(
    decimalOf(row, 'initial_margin'),
    notional.div(5),
    notional.times('0.001'),
    'initial_margin',
  );
  equal(await usdt.wallet(), before, 'the USDT wallet');
});
add('C04', 'fees and PnL of an INR position are INR', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const row = await desk.openPosition();
  const id = textOf(row, 'id');
  await desk.onPosition('POST', id, 'close');
  await desk.closed(id);
  const [close] = await desk.history(id);
  const [fee] = await desk.list('fee/history', { limit: '1' });
  const value = decimalOf(record(close), 'quantity')
    .times(decimalOf(record(close), 'closed_price'))
    .times(decimalOf(record(close), 'exit_hedge_rate'));
  near(decimalOf(record(fee), 'transaction_amount'), value, '0.00000001', 'transaction_amount');
  equal(fee?.['trade_currency'], 'INR', 'trade_currency of the fee');
});
add('C04', 'PnL in INR follows the hedge rate', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue, { currency: 'INR' });
  const id = textOf(await desk.openPosition(), 'id');
  await controls.holdPrice(desk.symbol, desk.at(0.02).toFixed());
  await desk.onPosition('POST', id, 'close');
  await desk.closed(id);
  const [row] = await desk.history(id);
  const close = record(row);
  const gain = decimalOf(close, 'closed_price')
    .minus(decimalOf(close, 'entry_price'))
    .times(decimalOf(close, 'quantity'))
    .times(decimalOf(close, 'exit_hedge_rate'));
  near(decimalOf(close, 'pnl'), gain, '0.01', 'pnl = (close - entry) x quantity x rate');
});

add('C05', 'hedge_rate is 1 on USDT orders and the rate on INR orders', async (venue) => {
  const usdt = await Desk.open(venue);
  const inr = await Desk.open(venue, { currency: 'INR' });
  sameNumber((await usdt.order(textOf(await usdt.rest(), 'order_id')))['hedge_rate'], 1, 'USDT');
  const order = await inr.order(textOf(await inr.rest(), 'order_id'));
  ensure(decimalOf(order, 'hedge_rate').gt(50), 'INR per USDT', order['hedge_rate']);
});
add('C05', 'entry and exit rates stand on an INR history row', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue, { currency: 'INR' });
  await controls.hedgeRate('88');
  const row = await desk.openPosition();
  sameNumber(row['entry_hedge_rate'], 88, 'entry_hedge_rate of the position');
  const id = textOf(row, 'id');
  await controls.hedgeRate('92.5');
  await desk.onPosition('POST', id, 'close');
  await desk.closed(id);
  const [close] = await desk.history(id);
  sameNumber(close?.['entry_hedge_rate'], 88, 'entry_hedge_rate');
  sameNumber(close?.['exit_hedge_rate'], '92.5', 'exit_hedge_rate');
});
add('C05', 'an order keeps the rate of when it was made', async (venue) => {
  const controls = controlsOf(venue);
  const desk = await Desk.open(venue, { currency: 'INR' });
  await controls.hedgeRate('87.25');
  const id = textOf(await desk.rest(), 'order_id');
  sameNumber((await desk.order(id))['hedge_rate'], '87.25', 'hedge_rate');
});

add('C06', 'neither transfer path moves the other currency', async (venue) => {
  const wallets = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES', amount: '1' };
  const body = { ...wallets, trade_currency: 'INR' };
  equal(
    (await venue.call('POST', '/fapi/v1/wallet/futures/transfer', { body })).status,
    400,
    'INR on the USDT path',
  );
  const before = success(await venue.call('GET', `${V1}/funds`));
  success(await venue.call('POST', `${V1}/transfers/inr`, { body: wallets }), 202);
  equal(success(await venue.call('GET', `${V1}/funds`)), before, 'the USDT wallet');
  const back = { from_wallet_type: 'FUTURES', to_wallet_type: 'SPOT', amount: '1' };
  success(await venue.call('POST', `${V1}/transfers/inr`, { body: back }), 202);
});

const LISTS = ['orders', 'orders/history', 'positions', 'positions/history', 'fee/history'];

/** An order and a position in each currency, and a close in each. */
async function both(venue: Venue): Promise<readonly Desk[]> {
  const desks = [];
  for (const money of ['USDT', 'INR'] as const) {
    const desk = await Desk.open(venue, { currency: money });
    await desk.openPosition();
    await desk.fill('SHORT', { reduce_only: true });
    await desk.rest();
    desks.push(desk);
  }
  return desks;
}

for (const path of LISTS) {
  add('C07', `${path} holds one currency, tagged, USDT when omitted`, async (venue) => {
    for (const desk of await both(venue)) {
      const rows = await desk.list(path, { limit: '100' });
      ensure(rows.length > 0, `rows in ${desk.currency}`);
      for (const row of rows) equal(row['trade_currency'], desk.currency, 'trade_currency');
    }
    const plain = records(success(await venue.call('GET', `${V1}/${path}`)));
    ensure(plain.length > 0, 'rows when it is omitted');
    for (const row of plain) equal(row['trade_currency'], 'USDT', 'trade_currency when omitted');
  });
}
add('C07', 'transactions hold one currency, USDT when omitted', async (venue) => {
  const body = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES', amount: '1' };
  const inr = success(await venue.call('POST', `${V1}/transfers/inr`, { body }), 202);
  const plain = records(
    success(await venue.call('GET', `${V1}/transactions`, { query: { limit: '100' } })),
  );
  const id = textOf(record(inr), 'id');
  ensure(
    plain.every((row) => row['id'] !== id),
    'the INR transfer is not among the USDT ones',
  );
  const back = { from_wallet_type: 'FUTURES', to_wallet_type: 'SPOT', amount: '1' };
  success(await venue.call('POST', `${V1}/transfers/inr`, { body: back }), 202);
});

add('C08', 'leverage of one currency leaves the other alone', async (venue) => {
  const usdt = await Desk.open(venue);
  const inr = await Desk.open(venue, { currency: 'INR' });
  await usdt.setLeverage('3');
  await inr.setLeverage('7');
  const read = async (trade_currency: string) => {
    const query = { is_symbol: 'true', trade_currency };
    const answer = await venue.call('GET', `${V1}/${usdt.symbol}/leverage`, { query });
    return record(success(answer))['leverage'];
  };
  sameNumber(await read('USDT'), 3, 'leverage in USDT');
  sameNumber(await read('INR'), 7, 'leverage in INR');
});
add('C08', 'v1 in INR sets the INR leverage alone', async (venue) => {
  const desk = await Desk.open(venue);
  await Desk.open(venue, { currency: 'INR' });
  const body = bodyV1(desk, { leverage: '4', trade_currency: 'INR' });
  success(await placeV1(desk, body), 202);
  const answer = await venue.call('GET', `${V1}/${desk.symbol}/leverage`, { query: 'is_symbol' });
  sameNumber(record(success(answer))['leverage'], 5, 'leverage in USDT');
});

add('C09', 'amend and cancel find an INR order by its id', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const id = textOf(await desk.rest(), 'order_id');
  const body = { order_price: desk.at(-0.12).toFixed(), quantity: desk.unit.toFixed() };
  success(await venue.call('PATCH', `${V1}/orders/${id}`, { body }));
  equal((await desk.order(id))['trade_currency'], 'INR', 'trade_currency');
  success(await venue.call('DELETE', `${V1}/orders/${id}`));
});
add('C09', 'margin of an INR position is added in INR', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const row = await desk.openPosition();
  const before = await desk.wallet();
  const body = { margin: '25' };
  const answer = await desk.onPosition('POST', textOf(row, 'id'), 'add-margin', { body });
  const data = record(success(answer));
  equal(data['trade_currency'], 'INR', 'trade_currency');
  equal((await desk.wallet()).balance, before.balance.minus(25), 'INR balance');
});
add('C09', 'stops, partial close, reverse and close of an INR position are INR', async (venue) => {
  const desk = await Desk.open(venue, { currency: 'INR' });
  const id = textOf(await desk.openPosition(), 'id');
  const legs = await withLegs(desk, id);
  equal((await desk.order(legs.stop))['trade_currency'], 'INR', 'the stop');
  const clientId = freshId();
  const body = { order_type: 'MARKET', quantity: desk.unit.toFixed(), client_order_id: clientId };
  success(await desk.onPosition('POST', id, 'close/partial', { body }));
  await until(
    venue,
    'the partial close is booked',
    () => desk.history(id),
    (rows) => rows.some((row) => row['status'] === 'PARTIAL'),
  );
  const reversed = record(success(await desk.onPosition('POST', id, 'reverse'), 202));
  equal((await desk.order(textOf(reversed, 'order_id')))['trade_currency'], 'INR', 'the reverse');
});

add('C10', 'an order without trade_currency is USDT', async (venue) => {
  const desk = await Desk.open(venue);
  const id = textOf(await desk.rest(), 'order_id');
  equal((await desk.order(id))['trade_currency'], 'USDT', 'trade_currency');
});
