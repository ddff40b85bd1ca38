import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed, type Amount, type Fixed } from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderTerms } from '../core/order.js';
import { createExchange } from './create-exchange.js';
import type { ExchangeOptions, ExchangeOrder, SimulatedExchange } from './simulated-exchange.js';

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);

const instrument: Instrument = {
  symbol: 'BTCUSDT',
  assetId: 'asset-btc',
  baseAsset: 'BTC',
  quantityStep: of('0.001'),
  minQuantity: of('0.001'),
  maxQuantity: of('1500'),
  maxMarketQuantity: of('150'),
  priceStep: of('0.1'),
  minPrice: of('0.1'),
  maxPrice: of('1999999.8'),
  minNotional: of('5'),
  leverageStep: of('0.01'),
  minLeverage: of('1'),
  maxLeverage: of('100'),
};

function create(options: Partial<ExchangeOptions> = {}): SimulatedExchange {
  let id = 0;
  const exchange = createExchange({
    listings: [{ instrument, maintenanceRate: of('0.01') }],
    takerFeeRate: of('0.00059'),
    makerFeeRate: of('0.00023'),
    spot: { USDT: of('0') as Amount, INR: of('0') as Amount },
    futures: { USDT: of('1000') as Amount, INR: of('96000') as Amount },
    hedgeRate: of('96'),
    nextId: () => `id${++id}`,
    startMs: 1_746_403_200_000,
    ...options,
  });
  exchange.gapTo('BTCUSDT', of('100'), of('100'));
  exchange.setLeverage('BTCUSDT', 'USDT', of('10'));
  return exchange;
}

interface OrderSpec {
  readonly quantity?: string;
  readonly price?: string;
  readonly reduceOnly?: boolean;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly currency?: 'USDT' | 'INR';
}

const terms = (side: 'buy' | 'sell', spec: OrderSpec = {}): OrderTerms => ({
  symbol: 'BTCUSDT',
  currency: spec.currency ?? 'USDT',
  side,
  type: spec.price === undefined ? 'market' : 'limit',
  quantity: of(spec.quantity ?? '1'),
  ...(spec.price !== undefined && { price: of<'price'>(spec.price) }),
  reduceOnly: spec.reduceOnly ?? false,
  ...(spec.stopLoss !== undefined && { stopLoss: of<'price'>(spec.stopLoss) }),
  ...(spec.takeProfit !== undefined && {
    takeProfit: of<'price'>(spec.takeProfit),
  }),
});

function accept(exchange: SimulatedExchange, order: OrderTerms, id?: string): ExchangeOrder {
  const answer = exchange.place({
    terms: order,
    ...(id !== undefined && { clientOrderId: id }),
  });
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}

function trade(exchange: SimulatedExchange, order: OrderTerms): ExchangeOrder {
  const placed = accept(exchange, order);
  exchange.matchPending('BTCUSDT');
  return find(exchange, placed.orderId);
}

function find(exchange: SimulatedExchange, orderId: string): ExchangeOrder {
  const order = exchange.order({ orderId });
  if (order === undefined) throw new Error(`no order ${orderId}`);
  return order;
}

const held = (exchange: SimulatedExchange): string =>
  textFromFixed(exchange.quantity('BTCUSDT', 'USDT'));
const move = (exchange: SimulatedExchange, how: 'gapTo' | 'moveThrough', to: string): void =>
  exchange[how]('BTCUSDT', of(to), of(to));
const filledAt = (order: ExchangeOrder): string | undefined =>
  order.executions[0] && textFromFixed(order.executions[0].price);
const protectiveOrder = (
  exchange: SimulatedExchange,
  role: ExchangeOrder['role'],
): ExchangeOrder => {
  const order = exchange.allOrders().find((order) => order.role === role);
  if (order === undefined) throw new Error(`no ${role}`);
  return order;
};

describe('wallet', () => {
  it('the wallet locks margin, pays the fee and gets margin and profit back', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    // (10 + 90 × 0.00059) locked, 0.059 paid
    expect(exchange.futuresWallet('USDT')).toEqual({
      currency: 'USDT',
      balance: of('989.8879'),
      locked: of('10.0531'),
    });
    move(exchange, 'gapTo', '110');
    expect(textFromFixed(exchange.equity('USDT'))).toBe('1009.941');
    trade(exchange, terms('sell', { reduceOnly: true }));
    expect(exchange.futuresWallet('USDT').locked).toBe(0);
    expect(textFromFixed(exchange.futuresWallet('USDT').balance)).toBe('1009.8761');
    expect(textFromFixed(exchange.totals('USDT').fees)).toBe('0.1239');
  });

  it('the wallet books margin, fee and profit of an INR position in rupees', () => {
    const exchange = create();
    exchange.setLeverage('BTCUSDT', 'INR', of('10'));
    trade(exchange, terms('sell', { currency: 'INR' }));
    // (10 + 110 × 0.00059) × 96
    expect(textFromFixed(exchange.futuresWallet('INR').locked)).toBe('966.2304');
    move(exchange, 'gapTo', '90');
    trade(exchange, terms('buy', { currency: 'INR', reduceOnly: true }));
    expect(textFromFixed(exchange.totals('INR').realisedPnl)).toBe('960');
    expect(exchange.totals('USDT').fees).toBe(0);
  });
});

describe('netting', () => {
  it('a second order averages into the same position', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    move(exchange, 'gapTo', '103');
    trade(exchange, terms('buy', { quantity: '2' }));
    const [position] = exchange.positions('USDT');
    expect(exchange.positions('USDT')).toHaveLength(1);
    expect(position).toMatchObject({
      quantity: of('3'),
      entryPrice: of('102'),
    });
  });

  it('a larger opposite order closes and flips with one execution and one fee', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    const flip = trade(exchange, terms('sell', { quantity: '3' }));
    expect(flip).toMatchObject({ status: 'filled', filledQuantity: of('3') });
    expect(flip.executions).toHaveLength(1);
    expect(held(exchange)).toBe('-2');
    expect(exchange.positionHistory('USDT')).toMatchObject([{ kind: 'closed', side: 'long' }]);
    expect(exchange.positions('USDT')[0]?.positionId).toBe(
      exchange.positionHistory('USDT')[0]?.positionId,
    );
  });

  it('a reduce-only order closes at most the position', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    const close = trade(exchange, terms('sell', { quantity: '5', reduceOnly: true }));
    expect(close).toMatchObject({
      status: 'canceled',
      filledQuantity: of('1'),
    });
    expect(held(exchange)).toBe('0');
  });

  it('a partial close returns part of the margin and writes a PARTIAL row', () => {
    const exchange = create();
    trade(exchange, terms('buy', { quantity: '4' }));
    trade(exchange, terms('sell', { quantity: '1', reduceOnly: true }));
    expect(textFromFixed(exchange.futuresWallet('USDT').locked)).toBe('30.1593');
    expect(exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'partial', quantity: of('1'), pnl: 0 },
    ]);
  });

  it('an order opens nothing when the moved price makes it unaffordable', () => {
    const exchange = create();
    const order = accept(exchange, terms('buy', { quantity: '95' }));
    move(exchange, 'gapTo', '110');
    exchange.matchPending();
    expect(find(exchange, order.orderId)).toMatchObject({
      status: 'canceled',
      filledQuantity: 0,
      reason: 'insufficient balance',
    });
    expect(exchange.futuresWallet('USDT').locked).toBe(0);
  });
});

describe('reversal', () => {
  it('both orders match at one price, though the second is placed on the fill of the first', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    move(exchange, 'gapTo', '105');
    const events: string[] = [];
    exchange.listen((event) => {
      events.push(event.kind === 'order' ? event.order.status : event.kind);
      if (event.kind === 'fill' && event.order.reduceOnly) exchange.place({ terms: terms('sell') });
    });
    exchange.place({ terms: terms('sell', { reduceOnly: true }) });
    exchange.matchPending('BTCUSDT');
    expect(held(exchange)).toBe('-1');
    expect(events).toEqual([
      ...['created', 'fill', 'close', 'position', 'filled'],
      ...['created', 'fill', 'position', 'filled'],
    ]);
  });
});

describe('limit orders', () => {
  it('a crossing limit takes at the last price and pays the taker fee', () => {
    const exchange = create();
    const order = trade(exchange, terms('buy', { price: '101' }));
    expect(filledAt(order)).toBe('100');
    expect(order.executions[0]).toMatchObject({
      maker: false,
      fee: of('0.059'),
    });
  });

  it('a resting limit fills as maker at its own price once the market trades through it by one step', () => {
    const exchange = create();
    const order = trade(exchange, terms('buy', { price: '95' }));
    move(exchange, 'moveThrough', '95');
    expect(find(exchange, order.orderId).status).toBe('created');
    move(exchange, 'moveThrough', '94.9');
    expect(filledAt(find(exchange, order.orderId))).toBe('95');
    expect(find(exchange, order.orderId).executions[0]).toMatchObject({
      maker: true,
      fee: of('0.02185'),
    });
  });

  it('a resting limit fills on a touch when that is configured', () => {
    const exchange = create({ limitFill: 'touch' });
    const order = trade(exchange, terms('sell', { price: '105' }));
    move(exchange, 'moveThrough', '105');
    expect(filledAt(find(exchange, order.orderId))).toBe('105');
  });
});

describe('stops and targets of an entry', () => {
  const guarded = { stopLoss: '95', takeProfit: '110' };

  it('stops and targets are listed with quantity 0 while the entry rests, and end with it', () => {
    const exchange = create();
    const entry = trade(exchange, terms('buy', { price: '98', ...guarded }));
    expect(exchange.openOrders('USDT').map(({ role, quantity }) => [role, quantity])).toEqual([
      ['take-profit', 0],
      ['stop-loss', 0],
      ['trade', of('1')],
    ]);
    exchange.cancel({ orderId: entry.orderId });
    expect(exchange.openOrders('USDT')).toEqual([]);
    expect(protectiveOrder(exchange, 'stop-loss').status).toBe('system-canceled');
    expect(exchange.orderHistory('USDT').map(({ role }) => role)).toEqual(['trade']);
  });

  it.each([
    ['moveThrough', '90', 'stop-loss', 'take-profit', '95'],
    ['gapTo', '92.5', 'stop-loss', 'take-profit', '92.5'],
    ['moveThrough', '120', 'take-profit', 'stop-loss', '110'],
    ['gapTo', '120', 'take-profit', 'stop-loss', '120'],
  ] as const)(
    'on a %s to %s the %s closes the position and the %s is system-canceled',
    (how, to, fires, other, at) => {
      const exchange = create();
      trade(exchange, terms('buy', { quantity: '2', ...guarded }));
      expect(exchange.positions('USDT')[0]).toMatchObject({
        stopLoss: { price: of('95') },
        takeProfit: { price: of('110') },
      });
      move(exchange, how, to);
      expect(held(exchange)).toBe('0');
      const fired = protectiveOrder(exchange, fires);
      expect(fired).toMatchObject({
        status: 'filled',
        filledQuantity: of('2'),
      });
      expect(filledAt(fired)).toBe(at);
      expect(protectiveOrder(exchange, other).status).toBe('system-canceled');
      expect(exchange.positionHistory('USDT')).toMatchObject([
        { kind: 'closed', orderId: fired.orderId },
      ]);
      expect(exchange.openOrders('USDT')).toEqual([]);
    },
  );

  it('a stop or target beyond the entry price triggers at the entry price', () => {
    const exchange = create();
    accept(exchange, terms('buy', guarded));
    move(exchange, 'gapTo', '94');
    exchange.matchPending('BTCUSDT');
    expect(held(exchange)).toBe('0');
    expect(filledAt(protectiveOrder(exchange, 'stop-loss'))).toBe('94');
  });

  it('stops and targets of a second entry replace the first ones', () => {
    const exchange = create();
    trade(exchange, terms('buy', { stopLoss: '95' }));
    trade(exchange, terms('buy', { stopLoss: '97' }));
    expect(exchange.positions('USDT')[0]?.stopLoss?.price).toBe(of('97'));
    expect(protectiveOrder(exchange, 'stop-loss').status).toBe('system-canceled');
  });

  it('stops and targets protect nothing when their order only reduced', () => {
    const exchange = create();
    trade(exchange, terms('buy', { quantity: '3' }));
    trade(exchange, terms('sell', { stopLoss: '105' }));
    expect(exchange.positions('USDT')[0]?.stopLoss).toBeUndefined();
    expect(exchange.openOrders('USDT')).toEqual([]);
  });
});

describe('liquidation', () => {
  it('a liquidation triggers by the mark price, closes at the bankruptcy price and takes only the margin', () => {
    const exchange = create({
      futures: { USDT: of('10.1121') as Amount, INR: of('0') as Amount },
    });
    trade(exchange, terms('buy'));
    expect(exchange.futuresWallet('USDT').balance).toBe(0);
    exchange.gapTo('BTCUSDT', of('90.5'), of('91'));
    expect(held(exchange)).toBe('1');
    // 90 / 0.99 = 90.9090…
    exchange.gapTo('BTCUSDT', of('95'), of('90.9'));
    expect(exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'liquidated', closePrice: of('90'), pnl: of('-10') },
    ]);
    expect(exchange.futuresWallet('USDT')).toMatchObject({
      balance: 0,
      locked: 0,
    });
  });

  it('a liquidation takes only the margin, even with rounding', () => {
    for (let steps = 1; steps <= 300; steps += 1) {
      const exchange = create();
      exchange.setLeverage('BTCUSDT', 'USDT', of('7'));
      move(exchange, 'gapTo', `${100 + steps / 10}`);
      trade(exchange, terms('buy', { quantity: `0.${(100 + steps).toString()}` }));
      const { balance, locked } = exchange.futuresWallet('USDT');
      exchange.gapTo('BTCUSDT', of('50'), of('50'));
      expect(locked).toBeGreaterThan(0);
      expect(exchange.futuresWallet('USDT').balance).toBeGreaterThanOrEqual(balance);
    }
  });
});

describe('ids and histories', () => {
  it('a client order id stays used for ever, case-sensitively', () => {
    const exchange = create();
    accept(exchange, terms('buy'), 'abc');
    exchange.matchPending();
    const again = (id: string) => exchange.place({ terms: terms('sell'), clientOrderId: id });
    expect(again('abc')).toEqual({ ok: false, code: 'client-order-id-exists' });
    expect(again('ABC').ok).toBe(true);
    expect(exchange.order({ clientOrderId: 'abc' })?.status).toBe('filled');
  });

  it('a later position gets a new id', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    const rests = trade(exchange, terms('buy', { price: '95' }));
    trade(exchange, terms('sell', { reduceOnly: true }));
    const closedId = exchange.positionHistory('USDT')[0]?.positionId;
    expect(rests.positionId).toBe(closedId);
    move(exchange, 'moveThrough', '94');
    expect(held(exchange)).toBe('1');
    expect(exchange.positions('USDT')[0]?.positionId).not.toBe(closedId);
  });

  it('history lists newest first, without open orders', () => {
    const exchange = create();
    const first = trade(exchange, terms('buy'));
    const second = trade(exchange, terms('sell', { reduceOnly: true }));
    const open = trade(exchange, terms('buy', { price: '90' }));
    const ids = (orders: readonly ExchangeOrder[]): string[] => orders.map((o) => o.orderId);
    expect(ids(exchange.orderHistory('USDT'))).toEqual([second.orderId, first.orderId]);
    expect(ids(exchange.openOrders('USDT'))).toEqual([open.orderId]);
    expect(exchange.orderHistory('INR')).toEqual([]);
  });
});

describe('order of checks', () => {
  /** Each row breaks one rule more than the row below it and is refused for the first. */
  it("checks run as identifier, used id, asset, lock, leverage, then the interface's table from the top", () => {
    const exchange = create();
    accept(exchange, terms('buy', { quantity: '0.1' }), 'used');
    const worst = {
      ...terms('sell', {
        quantity: '1600.0005',
        price: '0.05',
        stopLoss: '0.01',
      }),
      takeProfit: of<'price'>('9'),
      currency: 'INR' as const,
    };
    const refused = (order: OrderTerms, id = 'fresh'): string => {
      const answer = exchange.place({ terms: order, clientOrderId: id });
      return answer.ok ? 'ok' : answer.code;
    };
    const unlisted = { ...worst, symbol: 'NOPE' };
    expect(refused(unlisted, 'bad id')).toBe('invalid-client-order-id');
    expect(refused(unlisted, 'used')).toBe('client-order-id-exists');
    expect(refused(unlisted)).toBe('asset-not-found');
    exchange.setLocked('BTCUSDT', true);
    expect(refused(worst)).toBe('locked');
    exchange.setLocked('BTCUSDT', false);
    const { price: _price, ...priceless } = worst;
    expect(refused(priceless)).toBe('leverage-not-set');
    exchange.setLeverage('BTCUSDT', 'INR', of('10'));
    expect(refused(priceless)).toBe('limit-price-missing');
    expect(refused(worst)).toBe('quantity-step');
    const sized = { ...worst, quantity: of<'quantity'>('1600') };
    expect(refused(sized)).toBe('quantity-range');
    const small = { ...worst, quantity: of<'quantity'>('0.001') };
    expect(refused(small)).toBe('price-step');
    expect(refused({ ...small, price: of('2000000') })).toBe('price-range');
    expect(refused({ ...small, price: of('1') })).toBe('notional-below-minimum');
    const large = {
      ...worst,
      quantity: of<'quantity'>('1500'),
      price: of<'price'>('5000'),
    };
    expect(refused(large)).toBe('invalid-stop-loss');
    expect(refused({ ...large, stopLoss: of('6000'), takeProfit: of('7000') })).toBe(
      'invalid-take-profit',
    );
    expect(refused({ ...large, stopLoss: of('6000') })).toBe('insufficient-balance');
    expect(refused({ ...large, reduceOnly: true })).toBe('reduce-only-without-position');
    exchange.matchPending();
    const same = terms('buy', { reduceOnly: true });
    expect(refused(same)).toBe('reduce-only-same-side');
  });
});
