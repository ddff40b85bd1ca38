import { CaseRegistry } from '../case-registry.js';
import { ContractTrader, freshId, SPOT, until, V1 } from '../contract-trader.js';
import {
  ensure,
  equal,
  fail,
  list,
  record,
  records,
  success,
  textOf,
  type Fields,
} from '../expect.js';
import { hasFields, hasNone, type Shape } from '../field-types.js';
import { controlsOf, type VenueUnderTest } from '../venue-under-test.js';
import { lastHours, PRICE } from './market-errors.js';
import { bodyV1, placeV1 } from './order-v1-errors.js';
import { withRiskOrders } from './states.js';

export const fields = new CaseRegistry();
const add = fields.add.bind(fields);
const CURRENCIES = ['USDT', 'INR'] as const;

const ASSET: Shape = {
  id: 'uuid',
  name: 'string',
  symbol: 'string',
  min_contract: 'decimal',
  max_contract: 'decimal',
  quantity_step: 'decimal',
  min_price: 'decimal',
  max_price: 'decimal',
  price_step: 'decimal',
  max_market_contract: 'decimal',
  min_notional_value: 'decimal',
  funding_fee_perc: 'decimal',
  max_funding_rate: 'decimal|null',
  min_funding_rate: 'decimal|null',
  // Documented, but absent from live captures (supplement: asset detail).
  'trading_fee_perc?': 'decimal',
  leverage_step: 'decimal',
  min_leverage: 'decimal',
  max_leverage: 'decimal',
  funding_interval: 'integer',
  price: 'decimal',
  last_day_price: 'decimal',
  change_perc: 'decimal',
  volume: 'decimal',
  popularity: 'decimal',
};
const REMOVED_OF_ASSETS = ['contract_multiplier', 'price_scale'];

add(
  'F01',
  'asset detail has every field with its type',
  async (venue) => {
    const path = `${V1}/${venue.symbols.first}`;
    const asset = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    const day = { '1d_high': 'number', '1d_low': 'number', '1d_volume': 'number' };
    hasFields(asset, { ...ASSET, ...day }, 'asset');
    hasNone(asset, REMOVED_OF_ASSETS, 'asset');
  },
  { readOnly: true },
);
add(
  'F01',
  'asset list items have every field except the three of the day',
  async (venue) => {
    const assets = records(success(await venue.call('GET', V1)), 'assets');
    ensure(assets.length > 0, 'assets are listed');
    for (const asset of assets) {
      hasFields(asset, ASSET, 'asset');
      hasNone(asset, ['1d_high', '1d_low', '1d_volume', ...REMOVED_OF_ASSETS], 'asset');
    }
  },
  { readOnly: true },
);
add(
  'F01',
  'funding_interval is a future epoch second',
  async (venue) => {
    const path = `${V1}/${venue.symbols.first}`;
    const asset = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
    const seconds = Number((asset['funding_interval'] as { text: string }).text);
    const now = (await venue.now()) / 1_000;
    ensure(seconds > now && seconds < now + 86_400, 'within the next day', seconds - now);
  },
  { readOnly: true },
);

const SPOT_WALLET: Shape = {
  total: 'number',
  rewards: 'number',
  invested: 'number',
  withdrawable: 'number',
  coin_investable: 'number',
  coinset_investable: 'number',
  vault_investable: 'number',
};
for (const currency of CURRENCIES) {
  add(
    'F02',
    `the ${currency} spot wallet has seven JSON numbers`,
    async (venue) => {
      const answer = await venue.call('GET', SPOT, { query: { currency } });
      const data = record(success(answer));
      hasFields(data, SPOT_WALLET, 'spot wallet');
    },
    { readOnly: true },
  );
  add(
    'F03',
    `the ${currency} futures wallet has its three fields`,
    async (venue) => {
      const query = { trade_currency: currency };
      const data = record(success(await venue.call('GET', `${V1}/funds`, { query })));
      const shape = { balance: 'decimal', locked_amount: 'decimal', first_time_user: 'boolean' };
      hasFields(data, shape, 'futures wallet');
    },
    { readOnly: true },
  );
}

add('F04', 'a transfer record has every field with its type', async (venue) => {
  const wallets = { from_wallet_type: 'SPOT', to_wallet_type: 'FUTURES' };
  const body = { ...wallets, amount: '1' };
  success(await venue.call('POST', `${V1}/transfers/inr`, { body }), 202);
  const query = { trade_currency: 'INR', limit: '1' };
  const [row] = records(success(await venue.call('GET', `${V1}/transactions`, { query })));
  const shape = {
    id: 'string',
    wallet_transaction_id: 'string',
    transaction_type: 'string',
    amount: 'decimal',
    status: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  };
  hasFields(row ?? fail('a transfer is listed'), shape, 'transaction');
  const back = { from_wallet_type: 'FUTURES', to_wallet_type: 'SPOT', amount: '1' };
  success(await venue.call('POST', `${V1}/transfers/inr`, { body: back }), 202);
});

const LEVERAGE: Shape = {
  margin_type: 'string',
  leverage: 'decimal|number',
  collateral_currency_id: 'integer',
};
add('F05', 'reading and setting leverage answer with the same setting', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const set = record(success(await trader.setLeverage('5')));
  const path = `${V1}/${trader.symbol}/leverage`;
  const read = record(success(await venue.call('GET', path, { query: 'is_symbol' })));
  hasFields(set, LEVERAGE, 'leverage');
  hasFields(read, LEVERAGE, 'leverage');
  equal(read, set, 'what is read');
  equal(read['margin_type'], 'ISOLATED', 'margin_type');
});

const ORDER: Shape = {
  id: 'uuid',
  client_order_id: 'string|null',
  position_id: 'uuid',
  future_position_uuid: 'uuid',
  asset_uuid: 'uuid',
  symbol: 'string',
  order_type: 'string',
  trigger_type: 'string',
  status: 'string',
  trade_currency: 'string',
  quantity: 'number',
  filled_quantity: 'number',
  price: 'number',
  filled_price: 'number',
  actual_amount: 'number',
  leverage: 'number',
  hedge_rate: 'number',
  reason: 'object|null',
  created_at: 'timestamp',
  updated_at: 'timestamp',
};
const REMOVED_OF_ORDERS = ['desired_amount', 'liquidation_price'];

/** One resting and one filled order, in a currency. */
async function twoOrders(venue: VenueUnderTest, currency: 'USDT' | 'INR') {
  const trader = await ContractTrader.open(venue, { currency });
  const resting = textOf(
    await trader.placeResting('LONG', { client_order_id: freshId() }),
    'order_id',
  );
  const filled = textOf(await trader.fill(), 'order_id');
  return { trader, resting, filled };
}

for (const currency of CURRENCIES) {
  add('F06', `order detail has every field with its type in ${currency}`, async (venue) => {
    const { trader, resting, filled } = await twoOrders(venue, currency);
    for (const id of [resting, filled]) {
      const order = await trader.order(id);
      hasFields(order, ORDER, 'order');
      hasNone(order, REMOVED_OF_ORDERS, 'order');
      equal(order['position_id'], order['future_position_uuid'], 'the two position ids');
      equal(order['trade_currency'], currency, 'trade_currency');
    }
    equal((await trader.order(filled))['client_order_id'], null, 'client_order_id when unset');
  });
  add(
    'F06',
    `order by id has every field except the optional ones in ${currency}`,
    async (venue) => {
      const { resting } = await twoOrders(venue, currency);
      const optional = [
        'client_order_id',
        'asset_uuid',
        'symbol',
        'position_id',
        'future_position_uuid',
        'reason',
        'created_at',
        'updated_at',
      ];
      const shape = Object.entries(ORDER).map(([name, types]) =>
        optional.includes(name) ? [`${name}?`, types] : [name, types],
      );
      const order = record(success(await venue.call('GET', `${V1}/orders/${resting}`)));
      hasFields(order, Object.fromEntries(shape) as Shape, 'order');
    },
  );
}

const HISTORY_ITEM = [
  'created_at',
  'actual_amount',
  'quantity',
  'filled_quantity',
  'price',
  'filled_price',
  'leverage',
  'hedge_rate',
  'order_type',
  'trigger_type',
  'trade_currency',
  'status',
  'id',
  'symbol',
];
add('F07', 'a history item has its fourteen fields, numbers as JSON numbers', async (venue) => {
  const { trader, filled } = await twoOrders(venue, 'USDT');
  const rows = await trader.list('orders/history', { limit: '100' });
  const row = rows.find(({ id }) => id === filled) ?? fail('the filled order is in history');
  const shape = HISTORY_ITEM.map((name) => [name, ORDER[name] ?? 'string']);
  hasFields(row, Object.fromEntries(shape) as Shape, 'history item');
  hasNone(row, REMOVED_OF_ORDERS, 'history item');
});

const OPEN_ITEM = Object.keys(ORDER).filter(
  (name) => name !== 'client_order_id' && name !== 'position_id',
);
const openShape: Shape = {
  ...Object.fromEntries(OPEN_ITEM.map((name) => [name, ORDER[name] ?? 'string'])),
  'client_order_id?': 'string|null',
  'position_id?': 'uuid',
};
add('F08', 'an open order has the shared fields', async (venue) => {
  const { trader, resting } = await twoOrders(venue, 'USDT');
  const rows = await trader.list('orders');
  const row = rows.find(({ id }) => id === resting) ?? fail('the order is listed');
  hasFields(row, openShape, 'open order');
  hasNone(row, REMOVED_OF_ORDERS, 'open order');
});
add('F08', 'a resting protective order is a row of its own, with zeros', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const riskOrders = await withRiskOrders(trader, textOf(await trader.openPosition(), 'id'));
  const rows = await trader.list('orders');
  const stop = rows.find(({ id }) => id === riskOrders.stop) ?? fail('the stop is listed');
  hasFields(stop, openShape, 'stop');
  equal([stop['order_type'], stop['trigger_type']], ['STOPLOSS', 'MARKET'], 'its types');
  for (const name of ['quantity', 'filled_quantity', 'actual_amount', 'leverage', 'filled_price']) {
    equal((stop[name] as { text: string }).text, '0', name);
  }
  const target = rows.find(({ id }) => id === riskOrders.target) ?? fail('the target is listed');
  equal(target['order_type'], 'TAKEPROFIT', 'order_type');
});
add('F08', 'no open order is an empty list, not null', async (venue) => {
  equal(success(await venue.call('GET', `${V1}/orders`)), [], 'data');
});

const REPORT: Shape = {
  ...ORDER,
  order_value: 'decimal',
  filled_value: 'decimal',
  end_time: 'timestamp|timestamp-ms',
  executions: 'array',
};
const EXECUTION: Shape = {
  is_maker: 'boolean',
  filled_price: 'decimal',
  filled_qty: 'decimal',
  filled_value: 'decimal',
  trading_fee: 'decimal',
  filled_time: 'timestamp-ms',
  trxn_id: 'string',
};
for (const currency of CURRENCIES) {
  add('F09', `an execution report has each fill in ${currency}`, async (venue) => {
    const { filled } = await twoOrders(venue, currency);
    const path = `${V1}/orders/${filled}/execution-report`;
    const report = record(success(await venue.call('GET', path)));
    hasFields(report, REPORT, 'execution report');
    const executions = records(report['executions'], 'executions');
    equal(executions.length, 1, 'fills of a market order');
    for (const execution of executions) hasFields(execution, EXECUTION, 'execution');
    equal(executions[0]?.['is_maker'], false, 'is_maker of a market order');
  });
}
add('F09', 'a partly filled resting order was the maker, once per fill', async (venue) => {
  const controls = controlsOf(venue);
  const trader = await ContractTrader.open(venue);
  const id = textOf(
    await trader.placeResting('LONG', { quantity: trader.unit.times(3).toFixed() }),
    'order_id',
  );
  await controls.fill(id, trader.unit.toFixed());
  await controls.fill(id, trader.unit.toFixed());
  const report = record(success(await venue.call('GET', `${V1}/orders/${id}/execution-report`)));
  hasFields(report, { ...REPORT, end_time: 'timestamp|timestamp-ms|null' }, 'execution report');
  const executions = records(report['executions'], 'executions');
  equal(executions.length, 2, 'fills');
  for (const execution of executions) hasFields(execution, EXECUTION, 'execution');
  const ids = executions.map((execution) => textOf(execution, 'trxn_id'));
  equal(new Set(ids).size, 2, 'different trxn_ids');
  equal(executions[0]?.['is_maker'], true, 'is_maker');
});

for (const currency of CURRENCIES) {
  add(
    'F09',
    `every kind of order has every field, in detail and report, in ${currency}`,
    async (venue) => {
      const controls = controlsOf(venue);
      const trader = await ContractTrader.open(venue, { currency });
      const id = textOf(await trader.openPosition(), 'id');
      const riskOrders = await withRiskOrders(trader, id);
      const resting = textOf(await trader.placeResting(), 'order_id');
      await venue.call('DELETE', `${V1}/orders/${textOf(await trader.placeResting(), 'order_id')}`);
      const body = { order_type: 'MARKET', quantity: trader.unit.toFixed() };
      success(await trader.onPosition('POST', id, 'close/partial', { body }));
      const rows = (): ReturnType<ContractTrader['history']> => trader.history(id);
      await until(venue, 'a part is closed', rows, ({ length }) => length === 1);
      success(await trader.onPosition('POST', id, 'reverse'), 202);
      await until(venue, 'it is turned over', rows, ({ length }) => length === 2);
      await controls.holdPrice(trader.symbol, trader.at(0.6).toFixed());
      await trader.closed(id);
      const listed = await trader.list('orders/history', { limit: '100' });
      const ids = new Set([
        ...listed.map((row) => textOf(row, 'id')),
        riskOrders.stop,
        riskOrders.target,
        resting,
      ]);
      for (const orderId of ids) {
        hasFields(await trader.order(orderId), ORDER, 'order');
        const path = `${V1}/orders/${orderId}/execution-report`;
        const report = record(success(await venue.call('GET', path)));
        hasFields(
          report,
          { ...REPORT, end_time: 'timestamp|timestamp-ms|null' },
          'execution report',
        );
        for (const fill of records(report['executions'])) hasFields(fill, EXECUTION, 'execution');
      }
      for (const row of await trader.list('positions/history', { limit: '100' })) {
        hasFields(row, CLOSE_ROW, 'history row');
      }
    },
  );
}

const POSITION: Shape = {
  id: 'uuid',
  position_id: 'uuid',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  symbol: 'string',
  order_type: 'string',
  status: 'string',
  entry_price: 'decimal',
  quantity: 'decimal',
  leverage: 'decimal',
  liquidation_price: 'decimal',
  initial_margin: 'decimal',
  maintenance_margin: 'decimal',
  entry_hedge_rate: 'decimal',
  trade_currency: 'string',
};
const REMOVED_OF_POSITIONS = [
  'closed_price',
  'pnl',
  'unrealised_pnl',
  'unrealized_pnl',
  'mark_price',
];
for (const currency of CURRENCIES) {
  add('F10', `an open position has only strings in ${currency}`, async (venue) => {
    const trader = await ContractTrader.open(venue, { currency });
    const row = await trader.openPosition();
    hasFields(row, POSITION, 'position');
    hasNone(row, REMOVED_OF_POSITIONS, 'position');
    equal(row['id'], row['position_id'], 'the two ids');
  });
}
add('F10', 'stoploss and takeprofit are objects while a risk order exists', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const id = textOf(await trader.openPosition(), 'id');
  ensure(!hasRiskOrder(await trader.positionRow(id)), 'no risk order before one is set');
  await withRiskOrders(trader, id);
  const row = await trader.positionRow(id);
  const riskOrder = { price: 'decimal', order_id: 'uuid', order_type: 'string' };
  hasFields(record(row['stoploss'], 'stoploss'), riskOrder, 'stoploss');
  hasFields(record(row['takeprofit'], 'takeprofit'), riskOrder, 'takeprofit');
});
add('F10', 'no open position is null', async (venue) => {
  equal(success(await venue.call('GET', `${V1}/positions`)), null, 'data');
});

const hasRiskOrder = (row: Fields): boolean => 'stoploss' in row || 'takeprofit' in row;

const CLOSE_ROW: Shape = {
  id: 'uuid',
  position_id: 'uuid',
  order_id: 'uuid',
  position_type: 'string',
  status: 'string',
  leverage: 'decimal',
  entry_price: 'decimal',
  closed_price: 'decimal',
  quantity: 'decimal',
  pnl: 'decimal',
  symbol: 'string',
  trade_currency: 'string',
  entry_hedge_rate: 'decimal',
  exit_hedge_rate: 'decimal',
  created_at: 'timestamp',
  updated_at: 'timestamp',
};
for (const currency of CURRENCIES) {
  add('F11', `a close leaves a row with every field in ${currency}`, async (venue) => {
    const trader = await ContractTrader.open(venue, { currency });
    const open = await trader.openPosition();
    const id = textOf(open, 'id');
    await trader.onPosition('POST', id, 'close');
    await trader.closed(id);
    const [row] = await trader.history(id);
    hasFields(row ?? fail('the close is listed'), CLOSE_ROW, 'history row');
    hasNone(record(row), ['unrealised_pnl'], 'history row');
    equal(row?.['created_at'], open['created_at'], 'created_at is when the position opened');
  });
}

const FEE: Shape = {
  id: 'string',
  symbol: 'string',
  fee_amount: 'decimal',
  fee_perc: 'decimal',
  fee_type: 'string',
  transaction_amount: 'decimal',
  trade_currency: 'string',
  order_type: 'string',
  trigger_type: 'string',
};
for (const currency of CURRENCIES) {
  add('F12', `a TRANSACTION fee has every field in ${currency}`, async (venue) => {
    const trader = await ContractTrader.open(venue, { currency });
    await trader.fill();
    const [row] = await trader.list('fee/history', { limit: '1' });
    const gst: Shape = currency === 'INR' ? { gst_amount: 'decimal' } : {};
    hasFields(row ?? fail('the fee is listed'), { ...FEE, ...gst }, 'fee');
    equal(row?.['fee_type'], 'TRANSACTION', 'fee_type');
    equal([row?.['order_type'], row?.['trigger_type']], ['LONG', 'MARKET'], 'of the order');
    equal(row?.['trade_currency'], currency, 'trade_currency');
  });
}

add('F13', 'a FUNDING record has no id, order_type or trigger_type', async (venue) => {
  const trader = await ContractTrader.open(venue);
  await trader.openPosition();
  const next = Number((trader.asset['funding_interval'] as { text: string }).text) * 1_000;
  await venue.pass(Math.max(1, next - (await venue.now()) + 1_000));
  const rows = await trader.list('fee/history', { limit: '20' });
  const row =
    rows.find(({ fee_type }) => fee_type === 'FUNDING') ?? fail('funding is listed', rows);
  const { symbol, fee_amount, fee_perc, fee_type, transaction_amount, trade_currency } = FEE;
  const shape = { symbol, fee_amount, fee_perc, fee_type, transaction_amount, trade_currency };
  hasFields(row, shape as Shape, 'funding fee');
  hasNone(row, ['id', 'order_type', 'trigger_type', 'gst_amount'], 'funding fee');
});

for (const [kind, length] of [
  ['kline', 6],
  ['mark-kline', 5],
] as const) {
  add(
    'F14',
    `${kind} candles are arrays of ${length} JSON numbers, ascending`,
    async (venue) => {
      const query = { assets: 'BTC/USDT', aggregation: '1m', ...(await lastHours(venue)) };
      const answer = await venue.call('GET', `${PRICE}/${kind}`, { query });
      const ticks = record(record(success(answer))['asset_ticks'], 'asset_ticks');
      equal(Object.keys(ticks), ['btc/usdt'], 'keys are lower case');
      const candles = list(ticks['btc/usdt'], 'candles').map((candle) => list(candle, 'candle'));
      ensure(candles.length > 100, 'two hours of candles', candles.length);
      const names = ['open time', 'open', 'high', 'low', 'close', 'volume'].slice(0, length);
      for (const candle of candles) {
        equal(candle.length, length, 'elements');
        const named = Object.fromEntries(names.map((name, at) => [name, candle[at] ?? null]));
        hasFields(named, Object.fromEntries(names.map((name) => [name, 'number'])), 'candle');
      }
      const times = candles.map((candle) => Number((candle[0] as { text: string }).text));
      ensure(
        times.every((time, at) => at === 0 || time === (times[at - 1] ?? 0) + 60),
        'one candle a minute, in epoch seconds',
      );
    },
    { readOnly: true },
  );
}

const PLACED: Shape = {
  leverage: 'decimal',
  quantity: 'decimal',
  price: 'decimal',
  order_id: 'uuid',
  status: 'string',
  message: 'string',
  client_order_id: 'string|null',
  position_id: 'uuid',
};
add('F15', 'a v2 place answers with its eight fields', async (venue) => {
  const trader = await ContractTrader.open(venue);
  hasFields(await trader.placeResting('LONG', { client_order_id: freshId() }), PLACED, 'placement');
});
add('F15', 'a v1 place answers with amount beside them', async (venue) => {
  const trader = await ContractTrader.open(venue);
  const placed = record(success(await placeV1(trader, bodyV1(trader)), 202));
  hasFields(placed, { ...PLACED, amount: 'decimal' }, 'placement');
});

add('F16', 'no answer has fields that a release removed', async (venue) => {
  const { resting } = await twoOrders(venue, 'USDT');
  const answers = await Promise.all(
    [V1, `${V1}/orders`, `${V1}/orders/history`, `${V1}/positions`, `${V1}/orders/${resting}`].map(
      (path) => venue.call('GET', path),
    ),
  );
  const removed = ['contract_multiplier', 'price_scale', 'desired_amount', 'unrealised_pnl'];
  for (const { text } of answers) {
    for (const name of removed) ensure(!text.includes(`"${name}"`), `no field ${name}`);
  }
});
