import { Decimal } from 'decimal.js';
import { decimalFromFixed, type Fixed } from '../../../src/core/fixed/fixed.js';
import type { Outcome } from '../../../src/core/request.js';
import type { FuturesApi } from '../../../src/venue/futures-api/futures-api.js';
import { decimal, ensure, equal, list, near, record, records, type Fields } from '../expect.js';
import type { Json } from '../json.js';

/** Checks that the value that the client read equals the raw `data`. */
export type Agreement = (value: never, data: Json) => void;

type Value<M extends keyof FuturesApi> =
  Awaited<ReturnType<FuturesApi[M]>> extends Outcome<infer T> ? T : never;

/** The ledger holds eight places; an average of the venue may have more. */
const LAST_PLACE = '0.00000001';

function same(value: Fixed | undefined, raw: Json | undefined, what: string): void {
  ensure(value !== undefined, `the client reads ${what}`, raw);
  near(decimalFromFixed(value), decimal(raw, what), LAST_PLACE, `${what} as the client reads it`);
}

/** The client leaves out a price of zero: nothing is filled yet, or a protective order rests. */
function sameOrNone(value: Fixed | undefined, raw: Json | undefined, what: string): void {
  if (value === undefined && decimal(raw, what).isZero()) return;
  same(value, raw, what);
}

const sameDecimal = (value: Decimal | undefined, raw: Json | undefined, what: string): void => {
  ensure(value?.eq(decimal(raw, what)) ?? false, `${what} as the client reads it`, value);
};

const sameTime = (ms: number | undefined, raw: Json | undefined, what: string): void => {
  equal(ms, Date.parse(String(raw)), `${what} as the client reads it`);
};

function eachRow<T>(
  values: readonly T[],
  data: Json,
  agrees: (value: T, row: Fields) => void,
): void {
  const rows = data === null ? [] : records(data);
  equal(values.length, rows.length, 'rows that the client reads');
  rows.forEach((row, at) => {
    agrees(values[at] as T, row);
  });
}

const SIDES: Readonly<Record<string, string>> = { LONG: 'buy', SHORT: 'sell' };
const STATUSES: Readonly<Record<string, string>> = {
  CREATED: 'created',
  PARTIAL_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELLED: 'canceled',
  SYSTEM_CANCELLED: 'system-canceled',
};

function order(value: Value<'orderDetail'>, row: Fields): void {
  equal(value.orderId, row['id'], 'orderId');
  equal(value.status, STATUSES[String(row['status'])], 'status');
  equal(value.side, SIDES[String(row['order_type'])], 'side');
  equal(value.type.toUpperCase(), row['trigger_type'], 'type');
  equal(value.currency, row['trade_currency'], 'currency');
  same(value.quantity, row['quantity'], 'quantity');
  same(value.filledQuantity, row['filled_quantity'], 'filled_quantity');
  sameOrNone(value.price, row['price'], 'price');
  sameOrNone(value.averagePrice, row['filled_price'], 'filled_price');
  sameOrNone(value.leverage, row['leverage'], 'leverage');
  same(value.hedgeRate, row['hedge_rate'], 'hedge_rate');
  sameDecimal(value.actualAmount, row['actual_amount'], 'actual_amount');
  if ('client_order_id' in row) {
    equal(value.clientOrderId ?? null, row['client_order_id'], 'clientOrderId');
  }
  if ('future_position_uuid' in row) {
    equal(value.positionId, row['future_position_uuid'], 'positionId');
  }
  if ('created_at' in row) sameTime(value.createdAt, row['created_at'], 'created_at');
}

function placement(value: Value<'placeOrder'>, data: Json): void {
  const row = record(data);
  equal(value.orderId, row['order_id'], 'orderId');
  same(value.quantity, row['quantity'], 'quantity');
  same(value.price, row['price'], 'price');
  same(value.leverage, row['leverage'], 'leverage');
  if ('position_id' in row) equal(value.positionId, row['position_id'], 'positionId');
  if ('amount' in row) sameDecimal(value.amount, row['amount'], 'amount');
}

function position(value: Value<'positions'>[number], row: Fields): void {
  equal(value.positionId, row['id'], 'positionId');
  equal(value.symbol, row['symbol'], 'symbol');
  equal(value.currency, row['trade_currency'], 'currency');
  equal(value.side.toUpperCase(), row['order_type'], 'side');
  same(value.quantity, row['quantity'], 'quantity');
  same(value.entryPrice, row['entry_price'], 'entry_price');
  same(value.leverage, row['leverage'], 'leverage');
  same(value.liquidationPrice, row['liquidation_price'], 'liquidation_price');
  same(value.initialMargin, row['initial_margin'], 'initial_margin');
  same(value.maintenanceMargin, row['maintenance_margin'], 'maintenance_margin');
  same(value.entryHedgeRate, row['entry_hedge_rate'], 'entry_hedge_rate');
  for (const [riskOrder, name] of [
    [value.stopLoss, 'stoploss'],
    [value.takeProfit, 'takeprofit'],
  ] as const) {
    const raw = row[name];
    equal(riskOrder?.orderId, raw === undefined ? undefined : record(raw, name)['order_id'], name);
    if (raw !== undefined) same(riskOrder?.price, record(raw, name)['price'], `${name}.price`);
  }
}

function close(value: Value<'positionHistory'>[number], row: Fields): void {
  equal(value.rowId, row['id'], 'rowId');
  equal(value.positionId, row['position_id'], 'positionId');
  equal(value.orderId, row['order_id'], 'orderId');
  equal(value.side.toUpperCase(), row['position_type'], 'side');
  equal(value.kind.toUpperCase(), row['status'], 'kind');
  same(value.quantity, row['quantity'], 'quantity');
  same(value.entryPrice, row['entry_price'], 'entry_price');
  same(value.closePrice, row['closed_price'], 'closed_price');
  same(value.pnl, row['pnl'], 'pnl');
  sameTime(value.openedAt, row['created_at'], 'created_at');
  sameTime(value.closedAt, row['updated_at'], 'updated_at');
}

function fee(value: Value<'feeHistory'>[number], row: Fields): void {
  equal(value.id, row['id'], 'id');
  equal(value.symbol, row['symbol'], 'symbol');
  equal(value.currency, row['trade_currency'], 'currency');
  equal(value.kind.toUpperCase(), row['fee_type'], 'kind');
  same(value.amount, row['fee_amount'], 'fee_amount');
  same(value.value, row['transaction_amount'], 'transaction_amount');
  sameDecimal(new Decimal(value.percent), row['fee_perc'], 'fee_perc');
  if ('gst_amount' in row) same(value.gst, row['gst_amount'], 'gst_amount');
}

function transfer(value: Value<'transactions'>[number], row: Fields): void {
  equal(value.id, row['id'], 'id');
  equal(value.direction.toUpperCase(), row['transaction_type'], 'direction');
  equal(value.status, String(row['status']).toLowerCase(), 'status');
  same(value.amount, row['amount'], 'amount');
  sameTime(value.createdAt, row['created_at'], 'created_at');
}

function asset(value: Value<'asset'>, row: Fields): void {
  const { instrument } = value;
  equal(instrument.symbol, row['symbol'], 'symbol');
  equal(instrument.assetId, row['id'], 'assetId');
  same(instrument.quantityStep, row['quantity_step'], 'quantity_step');
  same(instrument.minQuantity, row['min_contract'], 'min_contract');
  same(instrument.maxQuantity, row['max_contract'], 'max_contract');
  same(instrument.maxMarketQuantity, row['max_market_contract'], 'max_market_contract');
  same(instrument.priceStep, row['price_step'], 'price_step');
  same(instrument.minPrice, row['min_price'], 'min_price');
  same(instrument.maxPrice, row['max_price'], 'max_price');
  same(instrument.minNotional, row['min_notional_value'], 'min_notional_value');
  same(instrument.minLeverage, row['min_leverage'], 'min_leverage');
  same(instrument.maxLeverage, row['max_leverage'], 'max_leverage');
  same(instrument.leverageStep, row['leverage_step'], 'leverage_step');
  same(value.price, row['price'], 'price');
  sameDecimal(value.fundingRate, row['funding_fee_perc'], 'funding_fee_perc');
  const seconds = decimal(row['funding_interval'], 'funding_interval').toNumber();
  equal(value.nextFundingMs, seconds * 1_000, 'nextFundingMs');
}

function candles(value: Value<'klines'>, data: Json): void {
  const ticks = record(record(data)['asset_ticks'] ?? {}, 'asset_ticks');
  equal(value.size, Object.keys(ticks).length, 'symbols that the client reads');
  for (const [pair, rows] of Object.entries(ticks)) {
    const read = value.get(pair.replace('/', '').toUpperCase()) ?? [];
    equal(read.length, list(rows, pair).length, `candles of ${pair}`);
    list(rows, pair).forEach((row, at) => {
      const raw = list(row, 'candle').map((number) => decimal(number).toNumber());
      const candle = read[at];
      const { openTime = 0, open, high, low, close: last, volume } = candle ?? {};
      const numbers = [openTime / 1_000, open, high, low, last, volume];
      equal(numbers.slice(0, raw.length), raw, 'a candle as the client reads it');
    });
  }
}

const nothing = (value: null): void => {
  equal(value, null, 'the value');
};

export const agreements: { readonly [M in keyof FuturesApi]: Agreement } = {
  ping: nothing,
  spotWallet: (value: Value<'spotWallet'>, data) => {
    const row = record(data);
    same(value.total, row['total'], 'total');
    same(value.rewards, row['rewards'], 'rewards');
    same(value.invested, row['invested'], 'invested');
    same(value.withdrawable, row['withdrawable'], 'withdrawable');
  },
  futuresWallet: (value: Value<'futuresWallet'>, data) => {
    const row = record(data);
    same(value.balance, row['balance'], 'balance');
    same(value.locked, row['locked_amount'], 'locked_amount');
    equal(value.firstTimeUser, row['first_time_user'], 'firstTimeUser');
  },
  transferUsdt: nothing,
  transferInr: (value: Value<'transferInr'>, data) => {
    equal(value, record(data)['id'], 'id');
  },
  transactions: (value: Value<'transactions'>, data) => {
    eachRow(value, data, transfer);
  },
  assets: (value: Value<'assets'>, data) => {
    eachRow(value, data, asset);
  },
  asset: (value: Value<'asset'>, data) => {
    asset(value, record(data));
    same(value.price, record(data)['price'], 'price');
    equal(value.dayHigh, decimal(record(data)['1d_high']).toNumber(), 'dayHigh');
  },
  leverage: (value: Value<'leverage'>, data) => {
    same(value.leverage, record(data)['leverage'], 'leverage');
  },
  setLeverage: (value: Value<'setLeverage'>, data) => {
    same(value.leverage, record(data)['leverage'], 'leverage');
  },
  placeOrder: placement,
  placeOrderV1: placement,
  openOrders: (value: Value<'openOrders'>, data) => {
    eachRow(value, data, order);
  },
  orderHistory: (value: Value<'orderHistory'>, data) => {
    eachRow(value, data, order);
  },
  orderById: (value: Value<'orderById'>, data) => {
    order(value, record(data));
  },
  orderDetail: (value: Value<'orderDetail'>, data) => {
    order(value, record(data));
  },
  executionReport: (value: Value<'executionReport'>, data) => {
    order(value, record(data));
    eachRow(value.executions, record(data)['executions'] ?? null, (fill, row) => {
      equal(fill.transactionId, row['trxn_id'], 'transactionId');
      equal(fill.maker, row['is_maker'], 'maker');
      same(fill.price, row['filled_price'], 'filled_price');
      same(fill.quantity, row['filled_qty'], 'filled_qty');
      sameDecimal(fill.value, row['filled_value'], 'filled_value');
      same(fill.fee, row['trading_fee'], 'trading_fee');
      sameTime(fill.filledAt, row['filled_time'], 'filled_time');
    });
  },
  amendOrder: nothing,
  cancelOrder: nothing,
  positions: (value: Value<'positions'>, data) => {
    eachRow(value, data, position);
  },
  positionHistory: (value: Value<'positionHistory'>, data) => {
    eachRow(value, data, close);
  },
  setRiskOrder: nothing,
  editRiskOrder: nothing,
  addMargin: (value: Value<'addMargin'>, data) => {
    same(value.initialMargin, record(data)['initial_margin'], 'initial_margin');
    same(value.liquidationPrice, record(data)['liquidation_price'], 'liquidation_price');
  },
  closePartially: (value: Value<'closePartially'>, data) => {
    const orderId = data === true ? undefined : record(data)['order_id'];
    equal(value.orderId, orderId, 'orderId');
  },
  closePosition: (value: Value<'closePosition'>, data) => {
    equal(value.orderId, record(data)['order_id'], 'orderId');
  },
  reversePosition: placement,
  liquidationPrice: (value: Value<'liquidationPrice'>, data) => {
    sameDecimal(value, data, 'the price');
  },
  feeHistory: (value: Value<'feeHistory'>, data) => {
    eachRow(value, data, fee);
  },
  klines: candles,
  markKlines: candles,
};
