import type { Decimal } from 'decimal.js';
import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, freshId, SPOT, until, V1 } from '../contract-trader.js';
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
import { controlsOf, type VenueUnderTest } from '../venue-under-test.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';
import { withRiskOrders } from './states.js';

export const currency = new CaseRegistry();
const add = currency.add.bind(currency);
const readOnly = { readOnly: true } as const;

for (const value of ['USDT', 'INR']) {
  add(
    'C01',
    `${value} is accepted`,
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
    `${value} is not accepted`,
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
  const usdt = await ContractTrader.open(venue);
  const inr = await ContractTrader.open(venue, { currency: 'INR' });
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
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const id = textOf(await trader.openPosition(), 'id');
  await withRiskOrders(trader, id);
  const row = await trader.positionRow(id);
  sameNumber(record(row['stoploss'], 'stoploss')['price'], trader.at(-0.05), 'stoploss.price');
});

add(
  'C04',
  'INR fees, PnL and order values show two places at most, balances four',
  async (venue) => {
    const trader = await ContractTrader.open(venue, { currency: 'INR' });
    const position = await trader.openPosition();
    const id = textOf(position, 'id');
    const closing = record(success(await trader.onPosition('POST', id, 'close')));
    await trader.closed(id);
    const places = (value: Decimal, most: number, what: string): void =>
      ensure(value.decimalPlaces() <= most, `${what} has ${most} places at most`, value.toFixed());
    const [row] = await trader.history(id);
    places(decimalOf(record(row), 'pnl'), 2, 'pnl');
    const [fee] = await trader.list('fee/history', { limit: '1' });
    places(decimalOf(record(fee), 'fee_amount'), 2, 'fee_amount');
    const order = await trader.order(textOf(closing, 'order_id'));
    places(decimalOf(order, 'actual_amount'), 2, 'actual_amount');
    const { balance, locked } = await trader.wallet();
    places(balance, 4, 'balance');
    places(locked, 4, 'locked_amount');
  },
);
add('C04', 'margin and balances of an INR position are INR', async (venue) => {
  const usdt = await ContractTrader.open(venue);
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const before = await usdt.wallet();
  const row = await trader.openPosition();
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
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const row = await trader.openPosition();
  const id = textOf(row, 'id');
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  const [close] = await trader.history(id);
  const [fee] = await trader.list('fee/history', { limit: '1' });
  const value = decimalOf(record(close), 'quantity')
    .times(decimalOf(record(close), 'closed_price'))
    .times(decimalOf(record(close), 'exit_hedge_rate'));
  near(decimalOf(record(fee), 'transaction_amount'), value, '0.00000001', 'transaction_amount');
  equal(fee?.['trade_currency'], 'INR', 'trade_currency of the fee');
});
add('C04', 'PnL in INR follows the hedge rate', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const id = textOf(await trader.openPosition(), 'id');
  await controls.holdPrice(trader.symbol, trader.at(0.02).toFixed());
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  const [row] = await trader.history(id);
  const close = record(row);
  const gain = decimalOf(close, 'closed_price')
    .minus(decimalOf(close, 'entry_price'))
    .times(decimalOf(close, 'quantity'))
    .times(decimalOf(close, 'exit_hedge_rate'));
  near(decimalOf(close, 'pnl'), gain, '0.01', 'pnl = (close - entry) x quantity x rate');
});

add('C05', 'hedge_rate is 1 on USDT orders and the rate on INR orders', async (venue) => {
  const usdt = await ContractTrader.open(venue);
  const inr = await ContractTrader.open(venue, { currency: 'INR' });
  sameNumber(
    (await usdt.order(textOf(await usdt.placeResting(), 'order_id')))['hedge_rate'],
    1,
    'USDT',
  );
  const order = await inr.order(textOf(await inr.placeResting(), 'order_id'));
  ensure(decimalOf(order, 'hedge_rate').gt(50), 'INR per USDT', order['hedge_rate']);
});
add('C05', 'an INR history row has entry and exit rates', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  await controls.hedgeRate('88');
  const row = await trader.openPosition();
  sameNumber(row['entry_hedge_rate'], 88, 'entry_hedge_rate of the position');
  const id = textOf(row, 'id');
  await controls.hedgeRate('92.5');
  await trader.onPosition('POST', id, 'close');
  await trader.closed(id);
  const [close] = await trader.history(id);
  sameNumber(close?.['entry_hedge_rate'], 88, 'entry_hedge_rate');
  sameNumber(close?.['exit_hedge_rate'], '92.5', 'exit_hedge_rate');
});
add('C05', 'an order keeps the rate of its creation', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  await controls.hedgeRate('87.25');
  const id = textOf(await trader.placeResting(), 'order_id');
  sameNumber((await trader.order(id))['hedge_rate'], '87.25', 'hedge_rate');
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
async function both(venue: VenueUnderTest): Promise<readonly ContractTrader[]> {
  const traders = [];
  for (const money of ['USDT', 'INR'] as const) {
    const trader = await ContractTrader.open(venue, { currency: money });
    await trader.openPosition();
    await trader.fill('SHORT', { reduce_only: true });
    await trader.placeResting();
    traders.push(trader);
  }
  return traders;
}

for (const path of LISTS) {
  add('C07', `${path} holds one currency, tagged, USDT when omitted`, async (venue) => {
    for (const trader of await both(venue)) {
      const rows = await trader.list(path, { limit: '100' });
      ensure(rows.length > 0, `rows in ${trader.currency}`);
      for (const row of rows) equal(row['trade_currency'], trader.currency, 'trade_currency');
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
  const usdt = await ContractTrader.open(venue);
  const inr = await ContractTrader.open(venue, { currency: 'INR' });
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
add('C08', 'v1 in INR sets only the INR leverage', async (venue) => {
  const trader = await ContractTrader.open(venue);
  await ContractTrader.open(venue, { currency: 'INR' });
  const body = bodyV1(trader, { leverage: '4', trade_currency: 'INR' });
  success(await placeV1(trader, body), 202);
  const answer = await venue.call('GET', `${V1}/${trader.symbol}/leverage`, { query: 'is_symbol' });
  sameNumber(record(success(answer))['leverage'], 5, 'leverage in USDT');
});

add('C09', 'amend and cancel find an INR order by its id', async (venue) => {
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const id = textOf(await trader.placeResting(), 'order_id');
  const body = { order_price: trader.at(-0.12).toFixed(), quantity: trader.unit.toFixed() };
  success(await venue.call('PATCH', `${V1}/orders/${id}`, { body }));
  equal((await trader.order(id))['trade_currency'], 'INR', 'trade_currency');
  success(await venue.call('DELETE', `${V1}/orders/${id}`));
});
add('C09', 'margin of an INR position is added in INR', async (venue) => {
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const row = await trader.openPosition();
  const before = await trader.wallet();
  const body = { margin: '25' };
  const answer = await trader.onPosition('POST', textOf(row, 'id'), 'add-margin', { body });
  const data = record(success(answer));
  equal(data['trade_currency'], 'INR', 'trade_currency');
  equal((await trader.wallet()).balance, before.balance.minus(25), 'INR balance');
});
add('C09', 'stops, partial close, reverse and close of an INR position are INR', async (venue) => {
  const trader = await ContractTrader.open(venue, { currency: 'INR' });
  const id = textOf(await trader.openPosition(), 'id');
  const riskOrders = await withRiskOrders(trader, id);
  equal((await trader.order(riskOrders.stop))['trade_currency'], 'INR', 'the stop');
  const clientId = freshId();
  const body = { order_type: 'MARKET', quantity: trader.unit.toFixed(), client_order_id: clientId };
  success(await trader.onPosition('POST', id, 'close/partial', { body }));
  await until(
    venue,
    'the partial close is booked',
    () => trader.history(id),
    (rows) => rows.some((row) => row['status'] === 'PARTIAL'),
  );
  const reversed = record(success(await trader.onPosition('POST', id, 'reverse'), 202));
  equal((await trader.order(textOf(reversed, 'order_id')))['trade_currency'], 'INR', 'the reverse');
});

add('C10', 'an order without trade_currency is USDT', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.placeResting(), 'order_id');
  equal((await trader.order(id))['trade_currency'], 'USDT', 'trade_currency');
});
