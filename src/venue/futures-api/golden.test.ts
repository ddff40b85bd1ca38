import { describe, expect, it } from 'vitest';
import { Decimal } from '../../core/fixed/decimal.js';
import { fixedFromText, type Fixed } from '../../core/fixed/fixed.js';
import type { Outcome } from '../../core/request.js';
import { apiAnsweredBy } from '../../../test/support/rigs/api-rig.js';
import { GOLDEN, GOLDEN_FRAMES } from '../../../test/fixtures/golden-responses.js';
import type { FuturesApi } from './futures-api.js';
import { candleFromPush, markCandleFromPush, tickerFromPush } from './wire/wire-market.js';
import { frameFromText, subscriptionListOf } from './wire/wire-stream.js';

const f = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const d = (text: string) => new Decimal(text);
const at = (text: string) => Date.parse(text);

const money = (text: string) => fixedFromText<'USDT'>(text);
const SPAN = { interval: '1m', fromMs: 1_680_312_600_000, toMs: 1_680_312_660_000 } as const;

const LIMIT_ORDER = {
  orderId: '019-o1',
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
  positionId: '019-p1',
  actualAmount: d('222.8'),
  hedgeRate: f('1'),
  createdAt: at('2026-07-02T10:15:00Z'),
  updatedAt: at('2026-07-02T10:15:01Z'),
};

const INSTRUMENT = {
  symbol: 'BTCUSDT',
  assetId: '019-btc',
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
};

const ASSET = {
  instrument: INSTRUMENT,
  name: 'Bitcoin',
  price: f('64863.6'),
  lastDayPrice: f('64000.1'),
  changePercent: 1.35,
  volume: 1204.5,
  popularity: 1,
  fundingRate: d('0.0001'),
  minFundingRate: d('-0.005'),
  maxFundingRate: d('0.005'),
  nextFundingMs: 1_782_979_200_000,
};

const REVERSED = {
  orderId: '019-o5',
  price: f('0.11445'),
  quantity: f('43.7'),
  leverage: f('5'),
  amount: d('10.00293'),
  message: 'OK',
};

const FEE = { symbol: 'SOMIUSDT', currency: 'INR', value: f('481.11') };
const CHARGED = {
  ...FEE,
  order: { role: 'trade', side: 'buy', type: 'market' },
  createdAt: at('2026-07-02T10:15:30Z'),
};

type Call = (api: FuturesApi) => Promise<Outcome<unknown>>;

const READ: readonly [keyof typeof GOLDEN, Call, unknown][] = [
  ['pong', (api) => api.ping(), null],
  ['assetListItem', (api) => api.assets(), [ASSET]],
  [
    'assetDetail',
    (api) => api.asset({ symbol: 'BTCUSDT' }),
    {
      ...ASSET,
      tradingFeePercent: d('0.05'),
      dayHigh: 65001.2,
      dayLow: 63800,
      dayVolume: 926.5740000000001,
    },
  ],
  [
    'openOrders',
    (api) => api.openOrders('USDT'),
    [
      LIMIT_ORDER,
      {
        orderId: '019-o2',
        symbol: 'ETHUSDT',
        currency: 'USDT',
        role: 'take-profit',
        type: 'market',
        status: 'created',
        quantity: 0,
        filledQuantity: 0,
        price: f('4600.5'),
        positionId: '019-p1',
        actualAmount: d('0'),
        hedgeRate: f('1'),
        createdAt: at('2026-07-02T10:15:00Z'),
        updatedAt: at('2026-07-02T10:15:00Z'),
      },
    ],
  ],
  ['noOpenOrders', (api) => api.openOrders('USDT'), []],
  [
    'orderShortForm',
    (api) => api.orderById('019-o3'),
    {
      orderId: '019-o3',
      currency: 'INR',
      role: 'trade',
      side: 'buy',
      type: 'market',
      status: 'filled',
      quantity: f('43.8'),
      filledQuantity: f('43.8'),
      price: f('0.11442'),
      averagePrice: f('0.11442'),
      leverage: f('5'),
      actualAmount: d('481.11'),
      hedgeRate: f('96'),
    },
  ],
  ['cancelled', (api) => api.cancelOrder({ orderId: '019-o1' }), null],
  ['cancelledEmpty', (api) => api.cancelOrder({ clientOrderId: 'ab-1' }), null],
  ['amended', (api) => api.amendOrder('019-o1', { price: f('1'), quantity: f('1') }), null],
  [
    'placedV1',
    (api) =>
      api.placeOrderV1({
        terms: {
          symbol: 'SOMIUSDT',
          currency: 'INR',
          side: 'buy',
          type: 'market',
          quantity: f('43.8'),
          reduceOnly: false,
        },
        leverage: f('5'),
        orderPrice: f('0.11442'),
      }),
    {
      orderId: '019-o3',
      price: f('0.11442'),
      quantity: f('43.8'),
      leverage: f('5'),
      amount: d('5.011596'),
      message: 'OK',
    },
  ],
  [
    'leverage',
    (api) => api.leverage({ symbol: 'SOMIUSDT' }, 'INR'),
    { leverage: f('5'), marginType: 'ISOLATED' },
  ],
  [
    'positions',
    (api) => api.positions('USDT'),
    [
      {
        positionId: '019-p2',
        symbol: 'APTUSDT',
        currency: 'USDT',
        side: 'long',
        quantity: f('68.86'),
        entryPrice: f('0.6075'),
        leverage: f('3'),
        liquidationPrice: f('0.4091'),
        initialMargin: f('13.96060466'),
        maintenanceMargin: f('0.43471001'),
        stopLoss: { price: f('0.59'), orderId: '019-s1' },
        takeProfit: { price: f('0.65'), orderId: '019-t1' },
        entryHedgeRate: f('1'),
        createdAt: at('2026-07-02T09:00:00Z'),
        updatedAt: at('2026-07-02T09:30:00Z'),
      },
    ],
  ],
  ['noPositions', (api) => api.positions('INR'), []],
  [
    'positionHistory',
    (api) => api.positionHistory('USDT'),
    [
      {
        rowId: '019-r1',
        positionId: '019-p3',
        orderId: '019-o9',
        symbol: 'XRPUSDT',
        currency: 'USDT',
        side: 'long',
        kind: 'liquidated',
        quantity: f('10'),
        entryPrice: f('1.2171'),
        closePrice: f('1.204900000000000012'),
        pnl: f('-0.122'),
        leverage: f('100'),
        entryHedgeRate: f('1'),
        exitHedgeRate: f('1'),
        openedAt: at('2026-07-01T00:00:00Z'),
        closedAt: at('2026-07-01T03:00:00Z'),
      },
    ],
  ],
  ['closed', (api) => api.closePosition('019-p2'), {}],
  ['reversed', (api) => api.reversePosition('019-p2'), REVERSED],
  ['liquidationPrice', (api) => api.liquidationPrice('019-p2'), d('0.09293')],
  [
    'liquidationPriceSupposed',
    (api) => api.liquidationPrice('019-p2', money('1')),
    d('0.0926883614301247'),
  ],
  [
    'riskOrderPlaced',
    (api) => api.setRiskOrder('019-p2', { stopLoss: { price: f('0.59') } }),
    null,
  ],
  [
    'riskOrderAmended',
    (api) =>
      api.editRiskOrder('019-p2', {
        stopLoss: { price: f('0.58'), order: { orderId: '019-s1' } },
      }),
    null,
  ],
  [
    'marginAdded',
    (api) => api.addMargin('019-p2', money('0.5')),
    { initialMargin: f('96.94'), liquidationPrice: f('0.09281') },
  ],
  [
    'partlyClosed',
    (api) => api.closePartially('019-p2', { type: 'market', quantity: f('20') }),
    {},
  ],
  [
    'partlyClosedObject',
    (api) => api.closePartially('019-p2', { type: 'market', quantity: f('20') }),
    { orderId: '019-o6' },
  ],
  [
    'futuresWalletInr',
    (api) => api.futuresWallet('INR'),
    { currency: 'INR', balance: f('18.1993'), locked: f('96.4497'), firstTimeUser: false },
  ],
  [
    'fees',
    (api) => api.feeHistory('INR'),
    [
      {
        ...CHARGED,
        id: '019-f1',
        kind: 'transaction',
        amount: f('0.2839'),
        percent: '0.05900003',
        gst: f('0.0433'),
      },
      { ...CHARGED, id: '019-f2', kind: 'rebate', amount: f('0.1135'), percent: '0.0236' },
      {
        ...FEE,
        kind: 'funding',
        amount: f('-0.0048'),
        percent: '-0.001',
        createdAt: at('2026-07-02T16:00:00Z'),
      },
    ],
  ],
  ['usdtTransferred', (api) => api.transferUsdt('deposit', money('10')), null],
  ['inrTransferred', (api) => api.transferInr('deposit', money('25')), '019-x1'],
  [
    'transactions',
    (api) => api.transactions('INR'),
    [
      {
        id: '019-x1',
        currency: 'INR',
        direction: 'deposit',
        amount: f('25'),
        status: 'processing',
        createdAt: at('2026-07-02T10:00:00Z'),
        updatedAt: at('2026-07-02T10:00:00Z'),
      },
      {
        id: '019-x0',
        currency: 'INR',
        direction: 'withdraw',
        amount: f('10.5'),
        status: 'completed',
        walletTransactionId: 'w-7',
        createdAt: at('2026-07-01T10:00:00Z'),
        updatedAt: at('2026-07-01T10:00:02Z'),
      },
    ],
  ],
  [
    'spotWallet',
    (api) => api.spotWallet('USDT'),
    {
      currency: 'USDT',
      total: f('1250.12345678'),
      rewards: 0,
      invested: f('250'),
      withdrawable: f('1000.12345678'),
      coinInvestable: f('1000.12345678'),
      coinsetInvestable: f('0.1'),
      vaultInvestable: 0,
    },
  ],
  [
    'executionReport',
    (api) => api.executionReport('019-o1'),
    {
      ...LIMIT_ORDER,
      clientOrderId: 'ab-1',
      orderValue: d('222.8'),
      filledValue: d('222.795'),
      endedAt: at('2026-07-02T10:15:02Z'),
      executions: [
        {
          transactionId: 'trx-1',
          maker: false,
          price: f('4455.9'),
          quantity: f('0.05'),
          value: d('222.795'),
          fee: f('0.13144905'),
          filledAt: at('2026-07-02T10:15:01.123Z'),
        },
      ],
    },
  ],
  [
    'klines',
    (api) => api.klines({ symbols: ['BTCUSDT'], ...SPAN }),
    new Map([
      [
        'BTCUSDT',
        [
          {
            openTime: 1_680_312_600_000,
            open: 28436.6,
            high: 28449.81,
            low: 28436.6,
            close: 28449.81,
            volume: 0.742521,
          },
          {
            openTime: 1_680_312_660_000,
            open: 28449.81,
            high: 28450,
            low: 28440.1,
            close: 28441.2,
            volume: 926.5740000000001,
          },
        ],
      ],
    ]),
  ],
  [
    'markKlines',
    (api) => api.markKlines({ symbols: ['btcusdt'], ...SPAN }),
    new Map([
      [
        'btcusdt',
        [
          {
            openTime: 1_781_691_300_000,
            open: 64858.62,
            high: 64864.9,
            low: 64837.09,
            close: 64864.8,
            volume: 0,
          },
        ],
      ],
    ]),
  ],
  ['klinesOfNobody', (api) => api.klines({ symbols: ['NOBODYUSDT'], ...SPAN }), new Map()],
];

describe('recorded answers of the service', () => {
  it.each(READ)('the recorded answer is read: %s', async (name, call, value) => {
    const { api } = apiAnsweredBy(GOLDEN[name]);
    expect(await call(api)).toEqual({ kind: 'yes', value });
  });

  // Changes of the interface are additive. Keys of `asset_ticks` are symbols, not fields.
  const withFields = READ.filter(
    ([name]) => GOLDEN[name].body.includes('"data":') && !/klines/i.test(name),
  );
  it.each(withFields)(
    'the recorded answer is read with unknown fields: %s',
    async (name, call, value) => {
      const body = GOLDEN[name].body.replaceAll('{"', '{"x_new":{"deep":[null,{}]},"');
      const { api } = apiAnsweredBy({ ...GOLDEN[name], body });
      expect(await call(api)).toEqual({ kind: 'yes', value });
    },
  );

  it.each<[keyof typeof GOLDEN, Call, string]>([
    ['rateLimited', (api) => api.positions('USDT'), 'rate-limited'],
    ['rateLimitedTwiceEncoded', (api) => api.closePosition('p-1'), 'rate-limited'],
    ['forbidden', (api) => api.spotWallet('USDT'), 'forbidden'],
    ['closedNotOpen', (api) => api.closePosition('p-1'), 'position-not-open'],
    ['reverseNotInSync', (api) => api.reversePosition('p-1'), 'position-not-in-sync'],
    ['sameWallets', (api) => api.transferUsdt('deposit', money('1')), 'wallets-equal'],
    [
      'unsupportedInterval',
      (api) => api.klines({ symbols: ['BTCUSDT'], ...SPAN }),
      'invalid-request',
    ],
    [
      'klinesWithoutTimes',
      (api) => api.markKlines({ symbols: ['BTCUSDT'], ...SPAN }),
      'invalid-request',
    ],
  ])('the recorded answer is a no: %s', async (name, call, code) => {
    const { api } = apiAnsweredBy(GOLDEN[name]);
    expect(await call(api)).toMatchObject({ kind: 'no', code, status: GOLDEN[name].status });
  });

  it.each<[keyof typeof GOLDEN, Call]>([
    ['unauthorized', (api) => api.ping()],
    ['unauthorized', (api) => api.positions('USDT')],
    ['forbidden', (api) => api.closePosition('p-1')],
    ['unknownRoute', (api) => api.orderById('o-1')],
    ['rateLimitedEmpty', (api) => api.positions('USDT')],
    ['rateLimitedWords', (api) => api.positions('USDT')],
  ])('the recorded answer is unknown: %s', async (name, call) => {
    const { api } = apiAnsweredBy(GOLDEN[name]);
    const { status } = GOLDEN[name];
    expect(await call(api)).toMatchObject({ kind: 'unknown', sent: true, status });
  });
});

describe('recorded frames of the stream', () => {
  const dataOf = (text: string): unknown => {
    const frame = frameFromText(text);
    return frame?.kind === 'push' ? frame.data : undefined;
  };

  it('every recorded frame is read', () => {
    expect(frameFromText(GOLDEN_FRAMES.subscribed)).toMatchObject({ kind: 'accepted', id: 1 });
    expect(frameFromText(GOLDEN_FRAMES.refused)).toMatchObject({ kind: 'rejected', id: 1 });
    expect(frameFromText(GOLDEN_FRAMES.invalidJson)).toMatchObject({ kind: 'rejected', id: 0 });
    const listed = frameFromText(GOLDEN_FRAMES.listed);
    expect(listed?.kind === 'accepted' && subscriptionListOf(listed.result)).toEqual({
      streams: new Set(['kline@1m@btcusdt', 'ticker@5s']),
      tickerAssets: new Set(),
    });
    const candle = { openTime: 1_781_691_300_000, high: 64864.9 };
    expect(candleFromPush(dataOf(GOLDEN_FRAMES.kline))).toEqual({
      ...candle,
      open: 64858,
      low: 64834.1,
      close: 64864.9,
      volume: 10.921,
    });
    expect(markCandleFromPush(dataOf(GOLDEN_FRAMES.markKline))).toEqual({
      ...candle,
      open: 64858.62,
      low: 64837.09,
      close: 64864.8,
      volume: 0,
    });
    expect((dataOf(GOLDEN_FRAMES.ticker) as unknown[]).map(tickerFromPush)).toEqual([
      { symbol: 'BTCUSDT', last: 64863.6, mark: 64862 },
      { symbol: 'ETHUSDT', last: 3500 },
    ]);
  });
});
