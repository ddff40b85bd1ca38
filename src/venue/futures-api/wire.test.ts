import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../core/fixed/decimal.js';
import { fixedFromText } from '../../core/fixed/fixed.js';
import { readJson } from './http/lossless-json.js';
import { leverageSchema, walletSchema } from './wire/wire-account.js';
import { assetPairOf, instrumentSchema } from './wire/wire-instrument.js';
import {
  candleFromPush,
  candleFromRow,
  klineRowsFromBody,
  klineTextsFromBody,
  tickerFromPush,
} from './wire/wire-market.js';
import {
  wrongEcho,
  orderSchema,
  ordersSchema,
  wrongOrder,
  placementSchema,
} from './wire/wire-order.js';
import { closesSchema, positionsSchema } from './wire/wire-position.js';
import { frameFromText, subscriptionListOf } from './wire/wire-stream.js';

const wire = (value: unknown) => readJson(JSON.stringify(value));
const f = (text: string) => fixedFromText(text);

const OPEN_ORDER = {
  created_at: '2026-07-02T10:00:00Z',
  reason: { message: 'OK' },
  actual_amount: 222.8,
  quantity: 0.05,
  filled_quantity: 0,
  price: 4456,
  filled_price: 0,
  leverage: 80.9,
  hedge_rate: 1,
  order_type: 'LONG',
  trigger_type: 'LIMIT',
  trade_currency: 'USDT',
  status: 'CREATED',
  id: 'o-1',
  asset_uuid: 'a-1',
  symbol: 'ETHUSDT',
  future_position_uuid: 'p-1',
};

describe('orders from the wire', () => {
  it('an open limit order is read; 0 means that there is no average price yet', () => {
    expect(orderSchema('USDT').parse(wire(OPEN_ORDER))).toEqual({
      orderId: 'o-1',
      symbol: 'ETHUSDT',
      currency: 'USDT',
      role: 'trade',
      side: 'buy',
      type: 'limit',
      status: 'created',
      quantity: f('0.05'),
      filledQuantity: 0,
      price: f('4456'),
      leverage: f('80.9'),
      positionId: 'p-1',
      actualAmount: new Decimal('222.8'),
      hedgeRate: f('1'),
      createdAt: Date.UTC(2026, 6, 2, 10),
    });
  });

  it('a resting stop is read; its figures are 0 and it has no side', () => {
    const stop = {
      ...OPEN_ORDER,
      order_type: 'STOPLOSS',
      trigger_type: 'MARKET',
      quantity: 0,
      price: 4000.5,
      leverage: 0,
      reason: null,
      client_order_id: null,
    };
    expect(orderSchema('USDT').parse(wire(stop))).toEqual({
      orderId: 'o-1',
      symbol: 'ETHUSDT',
      currency: 'USDT',
      role: 'stop-loss',
      type: 'market',
      status: 'created',
      quantity: 0,
      filledQuantity: 0,
      price: f('4000.5'),
      positionId: 'p-1',
      actualAmount: new Decimal('222.8'),
      hedgeRate: f('1'),
      createdAt: Date.UTC(2026, 6, 2, 10),
    });
  });

  it('the short form of order by id is read, with both names of an id', () => {
    const { id: _id, symbol: _symbol, future_position_uuid: _p, ...short } = OPEN_ORDER;
    const order = orderSchema(undefined).parse(
      wire({ ...short, order_id: 'o-2', order_type: 'TAKEPROFIT' }),
    );
    expect(order).toMatchObject({ orderId: 'o-2', role: 'take-profit' });
    expect(order).not.toHaveProperty('symbol');
  });

  it('a JSON number keeps every digit', () => {
    const text = JSON.stringify({ ...OPEN_ORDER, status: 'FILLED', filled_quantity: 0.05 })
      .replace('"filled_price":0', '"filled_price":4455.1234567890123456789')
      .replace('"price":4456', '"price":12345678.12345679');
    const order = orderSchema('USDT').parse(readJson(text));
    expect(order.price).toBe(f('12345678.12345679'));
    expect(order.averagePrice).toBe(f('4455.123456789012345679'));
  });

  it.each([
    ['CREATED', 'created'],
    ['PARTIAL_FILLED', 'partially-filled'],
    ['FILLED', 'filled'],
    ['CANCELLED', 'canceled'],
    ['SYSTEM_CANCELLED', 'system-canceled'],
    ['EXPIRED', 'unrecognised'],
    ['', 'unrecognised'],
    ['constructor', 'unrecognised'],
  ])('the status %j is read as %s', (status, expected) => {
    expect(orderSchema('USDT').parse(wire({ ...OPEN_ORDER, status })).status).toBe(expected);
  });

  it('an ended order has the reason of the venue', () => {
    const ended = {
      ...OPEN_ORDER,
      status: 'CANCELLED',
      reason: { message: 'insufficient margin' },
    };
    expect(orderSchema('USDT').parse(wire(ended)).reason).toBe('insufficient margin');
  });

  it.each([
    ['without an id', { id: '' }],
    ['of another currency', { trade_currency: 'INR' }],
    ['with an unknown type', { order_type: 'BOTH' }],
    ['with an unknown trigger', { trigger_type: 'STOP' }],
    ['with a quantity that is no number', { quantity: 'NaN' }],
    ['with a quantity below 0', { quantity: -1 }],
    ['with a quantity out of range', { quantity: 1.1e15 }],
    ['with a quantity finer than any', { quantity: 1e-19 }],
    ['with a price of absurd length', { price: `1.${'0'.repeat(70)}1` }],
  ])('an order %s is unreadable', (_, fields) => {
    expect(orderSchema('USDT').safeParse(wire({ ...OPEN_ORDER, ...fields })).success).toBe(false);
  });

  it.each([
    ['ids of two positions', { position_id: 'p-1', future_position_uuid: 'p-2' }, 'position_id'],
    ['two ids of its own', { id: 'o-1', order_id: 'o-2' }, 'order_id'],
    ['more filled than ordered', { quantity: 0.05, filled_quantity: 0.06 }, 'filled_quantity'],
  ])('an order with %s is unreadable, and the fault names the field', (_name, fields, fault) => {
    const { error } = orderSchema('USDT').safeParse(wire({ ...OPEN_ORDER, ...fields }));
    expect(error?.issues[0]?.message).toContain(fault);
  });

  it('a filled stop with quantity 0, the whole position, is read', () => {
    const stop = { order_type: 'STOPLOSS', trigger_type: 'MARKET', status: 'FILLED' };
    const filled = { ...OPEN_ORDER, ...stop, quantity: 0, filled_quantity: 0.05, filled_price: 1 };
    expect(orderSchema('USDT').safeParse(wire(filled)).success).toBe(true);
  });

  it('a null list is an empty list', () => {
    expect(ordersSchema('USDT').parse(null).rows).toEqual([]);
    expect(positionsSchema('USDT').parse(null).rows).toEqual([]);
  });

  it('only the requested order matches a lookup, letter case included', () => {
    const named = wire({ ...OPEN_ORDER, client_order_id: 'ab-1' });
    const found = (requested: Parameters<typeof wrongOrder>[0], value = named) =>
      wrongOrder(requested)(orderSchema(undefined).parse(value)) === undefined;
    expect(found({ clientOrderId: 'ab-1' })).toBe(true);
    expect(found({ clientOrderId: 'AB-1' })).toBe(false);
    expect(found({ clientOrderId: 'any' }, wire(OPEN_ORDER))).toBe(true);
    expect(found({ orderId: 'o-1' })).toBe(true);
    expect(found({ orderId: 'o-2' })).toBe(false);
  });

  it('a placement needs an order id, and no echo of another client id', () => {
    const placed = { order_id: 'o-1', price: '0.11442', quantity: 43.8, position_id: 'p-1' };
    const schema = placementSchema;
    expect(schema.parse(wire(placed))).toEqual({
      orderId: 'o-1',
      positionId: 'p-1',
      price: f('0.11442'),
      quantity: f('43.8'),
    });
    expect(schema.parse(wire({ order_id: 'o-1', price: {} }))).toEqual({ orderId: 'o-1' });
    const echoed = schema.parse(wire({ ...placed, client_order_id: 'ab-2' }));
    expect(wrongEcho('ab-1')(echoed)).toBe('client_order_id is of another order');
    expect(wrongEcho('ab-2')(echoed)).toBeUndefined();
    expect(wrongEcho('ab-1')(schema.parse(wire(placed)))).toBeUndefined();
    expect(wrongEcho(undefined)(echoed)).toBeUndefined();
    expect(schema.safeParse(wire({ order_id: '' })).success).toBe(false);
  });
});

const POSITION = {
  created_at: '2026-07-02T10:00:00Z',
  stoploss: { price: '0.59', order_id: 'o-9', order_type: 'SHORT' },
  entry_price: '0.6075',
  quantity: '68.86',
  leverage: '3',
  liquidation_price: '0.4091',
  initial_margin: '13.96060466',
  maintenance_margin: '0.43471001',
  entry_hedge_rate: '1',
  order_type: 'LONG',
  status: 'OPEN',
  id: 'p-1',
  symbol: 'APTUSDT',
  trade_currency: 'USDT',
};

describe('positions from the wire', () => {
  it('an open position is read with its stop', () => {
    expect(positionsSchema('USDT').parse(wire([POSITION])).rows).toEqual([
      {
        positionId: 'p-1',
        symbol: 'APTUSDT',
        currency: 'USDT',
        side: 'long',
        quantity: f('68.86'),
        entryPrice: f('0.6075'),
        leverage: f('3'),
        liquidationPrice: f('0.4091'),
        initialMargin: f('13.96060466'),
        maintenanceMargin: f('0.43471001'),
        stopLoss: { price: f('0.59'), orderId: 'o-9' },
        entryHedgeRate: f('1'),
        createdAt: Date.UTC(2026, 6, 2, 10),
      },
    ]);
  });

  it.each([null, undefined, { price: '0', order_id: '', order_type: '' }, {}])(
    'the unset protective order %j is none',
    (takeprofit) => {
      const [position] = positionsSchema('USDT').parse(wire([{ ...POSITION, takeprofit }])).rows;
      expect(position).not.toHaveProperty('takeProfit');
    },
  );

  it('a row of SHIB is read to its last digit', () => {
    const [position] = positionsSchema('USDT').parse(
      wire([
        {
          ...POSITION,
          symbol: 'SHIBUSDT',
          quantity: '100000000',
          entry_price: '0.0000001234',
          liquidation_price: '0.0000000012',
        },
      ]),
    ).rows;
    expect(position).toMatchObject({
      symbol: 'SHIBUSDT',
      quantity: f('100000000'),
      entryPrice: f('0.0000001234'),
      liquidationPrice: f('0.0000000012'),
    });
  });

  it('a wallet of 100,000,000 INR is read, rounded to 8 places', () => {
    const wallet = { balance: '100000000', locked_amount: '1000000000.123456789' };
    expect(walletSchema('INR').parse(wire(wallet))).toMatchObject({
      balance: f('100000000'),
      locked: f('1000000000.12345679'),
    });
  });

  it('a row without quantity is left out', () => {
    const initiated = { ...POSITION, status: 'INITIATED', quantity: '0', entry_price: '0' };
    expect(positionsSchema('USDT').parse(wire([initiated])).rows).toEqual([]);
  });

  it('an INITIATED row is no position, even with a quantity', () => {
    const rows = wire([{ ...POSITION, status: 'INITIATED' }, POSITION]);
    expect(positionsSchema('USDT').parse(rows).rows).toHaveLength(1);
  });

  it('a row without a status is open, as in older captures', () => {
    const { status: _status, ...bare } = POSITION;
    expect(positionsSchema('USDT').parse(wire([bare])).rows).toHaveLength(1);
  });

  it('a stop without an order id is kept, because it may exist', () => {
    const stoploss = { price: '0.59', order_id: '', order_type: 'SHORT' };
    const [position] = positionsSchema('USDT').parse(wire([{ ...POSITION, stoploss }])).rows;
    expect(position?.stopLoss).toEqual({ price: f('0.59') });
  });

  it.each([
    ['a status that no open position has', { status: 'CLOSED' }, 'status'],
    ['an id that is not its position_id', { id: 'p-1', position_id: 'p-2' }, 'position_id'],
    ['a stop with an order and no price', { stoploss: { price: '0', order_id: 'o-9' } }, 'price'],
  ])('a row with %s is unreadable, and the fault names the field', (_name, fields, fault) => {
    const { error } = positionsSchema('USDT').safeParse(wire([{ ...POSITION, ...fields }]));
    expect(error?.issues[0]?.message).toContain(fault);
  });

  it('a list with a row of another currency or without an entry price is unreadable', () => {
    for (const fields of [{ trade_currency: 'INR' }, { entry_price: '0' }, { quantity: '-1' }]) {
      const rows = wire([POSITION, { ...POSITION, ...fields }]);
      expect(positionsSchema('USDT').safeParse(rows).success).toBe(false);
    }
  });

  it('a row of position history is read', () => {
    const row = {
      id: 'r-1',
      position_id: 'p-1',
      order_id: 'o-3',
      position_type: 'SHORT',
      status: 'LIQUIDATED',
      entry_price: '0.6075000000000000123',
      closed_price: '0.61',
      quantity: '68.86',
      pnl: '-0.17215',
      symbol: 'APTUSDT',
      trade_currency: 'INR',
      created_at: '2026-07-02T10:00:00Z',
      updated_at: '2026-07-02T11:30:05Z',
    };
    expect(closesSchema('INR').parse(wire([row])).rows).toEqual([
      {
        rowId: 'r-1',
        positionId: 'p-1',
        orderId: 'o-3',
        symbol: 'APTUSDT',
        currency: 'INR',
        side: 'short',
        kind: 'liquidated',
        quantity: f('68.86'),
        entryPrice: f('0.607500000000000012'),
        closePrice: f('0.61'),
        pnl: f('-0.17215'),
        openedAt: Date.UTC(2026, 6, 2, 10),
        closedAt: Date.UTC(2026, 6, 2, 11, 30, 5),
      },
    ]);
    expect(closesSchema('INR').safeParse(wire([{ ...row, status: 'OPEN' }])).success).toBe(false);
    expect(closesSchema('INR').safeParse(wire([{ ...row, updated_at: '1' }])).success).toBe(false);
  });
});

describe('wallet and leverage from the wire', () => {
  it('wallets are read in the requested currency', () => {
    const wallet = { balance: '18.1993', locked_amount: '96.44', first_time_user: false };
    expect(walletSchema('INR').parse(wire(wallet))).toEqual({
      currency: 'INR',
      balance: f('18.1993'),
      locked: f('96.44'),
      firstTimeUser: false,
    });
    expect(walletSchema('INR').safeParse(wire({ balance: '1' })).success).toBe(false);
  });

  it.each(['2.5', 2.5])('the leverage %j is read', (leverage) => {
    expect(leverageSchema.parse(wire({ margin_type: 'ISOLATED', leverage }))).toEqual({
      leverage: f('2.5'),
      marginType: 'ISOLATED',
    });
  });

  it('a leverage of another margin type is unreadable', () => {
    const cross = wire({ margin_type: 'CROSS', leverage: '2' });
    expect(leverageSchema.safeParse(cross).success).toBe(false);
  });
});

const ASSET = {
  id: 'a-1',
  name: 'Bitcoin',
  symbol: 'BTCUSDT',
  min_contract: '0.001',
  max_contract: '1500',
  quantity_step: '0.001',
  min_price: '0.1',
  max_price: '1999999.8',
  price_step: '0.1',
  max_market_contract: '150',
  min_notional_value: '5',
  max_funding_rate: null,
  leverage_step: '0.01',
  min_leverage: '1',
  max_leverage: '100',
  funding_interval: 1781712000,
};

describe('instruments from the wire', () => {
  it('an asset is read', () => {
    expect(instrumentSchema.parse(wire(ASSET))).toEqual({
      symbol: 'BTCUSDT',
      assetId: 'a-1',
      baseAsset: 'BTC',
      quantityStep: f('0.001'),
      minQuantity: f('0.001'),
      maxQuantity: f('1500'),
      maxMarketQuantity: f('150'),
      priceStep: f('0.1'),
      minPrice: f('0.1'),
      maxPrice: f('1999999.8'),
      minNotional: f('5'),
      leverageStep: f('0.01'),
      minLeverage: f('1'),
      maxLeverage: f('100'),
    });
  });

  it('a bound out of range becomes the largest value in range', () => {
    const parsed = instrumentSchema.parse(wire({ ...ASSET, max_contract: '50000000000000000' }));
    expect(parsed.maxQuantity).toBe(f('1000000000000000'));
  });

  it.each([
    ['a step finer than 18 places', { price_step: '0.0000000000000000001' }],
    ['a step of 0', { quantity_step: '0' }],
    ['a bound below 0', { max_price: '-1' }],
    ['a bound far below 0', { max_market_contract: -90_071_993 }],
    ['another quote', { symbol: 'BTCUSDC' }],
    ['no base', { symbol: 'USDT' }],
  ])('an asset with %s is unreadable', (_, fields) => {
    expect(instrumentSchema.safeParse(wire({ ...ASSET, ...fields })).success).toBe(false);
  });

  it('klines are requested by pair', () => {
    expect(assetPairOf('1000PEPEUSDT')).toBe('1000PEPE/USDT');
    expect(assetPairOf('BTCINR')).toBeUndefined();
  });
});

describe('market data from the wire', () => {
  it('candles of both forms are read', () => {
    const candle = { openTime: 1680312600000, open: 1, high: 3, low: 0.5, close: 2, volume: 7 };
    expect(candleFromRow([1680312600, 1, 3, 0.5, 2, 7])).toEqual(candle);
    expect(candleFromPush({ s: 'btcusdt', t: 1680312600, o: 1, h: 3, l: 0.5, c: 2, v: 7 })).toEqual(
      candle,
    );
  });

  it.each([
    [[1680312600, 1, 3, 0.5, 2]],
    [[1680312600000, 1, 3, 0.5, 2, 7]],
    [['1680312600', 1, 3, 0.5, 2, 7]],
    [[1680312600, null, 3, 0.5, 2, 7]],
    [null],
    [{}],
  ])('the row %j is unreadable', (row) => {
    expect(candleFromRow(row)).toBeUndefined();
  });

  it('tickers are read; a missing mark price is unknown, not 0', () => {
    expect(tickerFromPush({ s: 'ethusdt', p: 3500 })).toEqual({ symbol: 'ETHUSDT', last: 3500 });
    expect(tickerFromPush({ s: 'ethusdt', p: 3500, mp: 0 })).not.toHaveProperty('mark');
    expect(tickerFromPush({ s: 'ethusdt', p: 0 })).toBeUndefined();
    expect(tickerFromPush({ p: 1 })).toBeUndefined();
  });

  it('pushes, acknowledgements and rejections are distinguished', () => {
    expect(frameFromText('{"stream":"ticker@1s","data":[]}')).toMatchObject({ kind: 'push' });
    expect(frameFromText('{"method":"SUBSCRIBE","id":1,"result":"success"}')).toEqual({
      kind: 'accepted',
      id: 1,
      result: 'success',
    });
    expect(
      frameFromText(
        '{"method":"SUBSCRIBE","id":2,"error":{"code":400,"msg":"invalid stream name"}}',
      ),
    ).toEqual({ kind: 'rejected', id: 2, text: '400 invalid stream name' });
    for (const text of ['', 'x', '[]', '{}', 'null', '{"id":1}', '{"stream":"a"}']) {
      expect(frameFromText(text)).toBeUndefined();
    }
  });

  it('the list of subscriptions is read in any spelling', () => {
    const listing = { subscriptions: ['kline@1m@BTCUSDT', 'ticker@1s'], ticker_1s_assets: ['Btc'] };
    expect(subscriptionListOf(listing)).toEqual({
      streams: new Set(['kline@1m@btcusdt', 'ticker@1s']),
      tickerAssets: new Set(['btc']),
    });
    expect(
      subscriptionListOf({ subscriptions: [], ticker_assets: [] })?.tickerAssets,
    ).toBeUndefined();
    for (const other of ['success', null, [], {}, { subscriptions: 'x' }]) {
      expect(subscriptionListOf(other)).toBeUndefined();
    }
  });

  it('an answer of klines is distinguished from other shapes', () => {
    const rows = klineRowsFromBody('{"success":true,"data":{"asset_ticks":{"BTC/usdt":[[1]]}}}');
    expect(rows?.get('btc/usdt')).toEqual([[1]]);
    expect(klineRowsFromBody('{"success":true,"data":{}}')?.size).toBe(0);
    for (const body of ['', '{}', '{"success":true,"data":[]}', '{"success":false,"data":{}}']) {
      expect(klineRowsFromBody(body)).toBeUndefined();
    }
  });

  it('an answer of klines read pair by pair has the same rows, or is left to the whole reader', () => {
    const row = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat()));
    const ticks = fc.dictionary(
      fc.oneof(fc.constantFrom('btc/usdt', 'eth/usdt', '1'), fc.string()),
      fc.oneof({ weight: 5, arbitrary: fc.array(row) }, { weight: 1, arbitrary: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(ticks, fc.constantFrom(0, 1), (asset_ticks, indent) => {
        const body = JSON.stringify({ success: true, data: { asset_ticks } }, undefined, indent);
        const texts = klineTextsFromBody(body);
        if (texts === undefined) return;
        const rows = [...texts].map(([pair, text]) => [pair, JSON.parse(text) as unknown]);
        expect(rows).toEqual([...(klineRowsFromBody(body) ?? [])]);
      }),
      { numRuns: 2_000 },
    );
    const body = '{"success":true,"data":{"asset_ticks":{"a/usdt":[[1,2],[3]],"b/usdt":[[4]]}}}';
    expect([...(klineTextsFromBody(body) ?? [])]).toEqual([
      ['a/usdt', '[[1,2],[3]]'],
      ['b/usdt', '[[4]]'],
    ]);
    const cut = body.slice(0, -12);
    const twice = body.replace('b/usdt', 'a/usdt');
    const nested = body.replace('[3]', '[[3]]');
    const empty = body.replace('[[4]]', '[]');
    expect(klineTextsFromBody(empty)?.get('b/usdt')).toBe('[]');
    const tooMany = `{"success":true,"data":{"asset_ticks":{"a":${'[[1]]'.repeat(100_000)}`;
    for (const other of ['', cut, twice, nested, tooMany])
      expect(klineTextsFromBody(other), other.slice(0, 200)).toBeUndefined();
  });
});
