import { describe, expect, it } from 'vitest';
import { fixedFromText, textFromFixed, type Amount, type Fixed } from '../core/fixed.js';
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
  exchange.jump('BTCUSDT', of('100'), of('100'));
  exchange.setLeverage('BTCUSDT', 'USDT', of('10'));
  return exchange;
}

interface Wish {
  readonly quantity?: string;
  readonly price?: string;
  readonly reduceOnly?: boolean;
  readonly stopLoss?: string;
  readonly takeProfit?: string;
  readonly currency?: 'USDT' | 'INR';
}

const terms = (side: 'buy' | 'sell', wish: Wish = {}): OrderTerms => ({
  symbol: 'BTCUSDT',
  currency: wish.currency ?? 'USDT',
  side,
  type: wish.price === undefined ? 'market' : 'limit',
  quantity: of(wish.quantity ?? '1'),
  ...(wish.price !== undefined && { price: of<'price'>(wish.price) }),
  reduceOnly: wish.reduceOnly ?? false,
  ...(wish.stopLoss !== undefined && { stopLoss: of<'price'>(wish.stopLoss) }),
  ...(wish.takeProfit !== undefined && {
    takeProfit: of<'price'>(wish.takeProfit),
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
  exchange.settle('BTCUSDT');
  return find(exchange, placed.orderId);
}

function find(exchange: SimulatedExchange, orderId: string): ExchangeOrder {
  const order = exchange.order({ orderId });
  if (order === undefined) throw new Error(`no order ${orderId}`);
  return order;
}

const held = (exchange: SimulatedExchange): string =>
  textFromFixed(exchange.quantity('BTCUSDT', 'USDT'));
const move = (exchange: SimulatedExchange, how: 'jump' | 'sweep', to: string): void =>
  exchange[how]('BTCUSDT', of(to), of(to));
const filledAt = (order: ExchangeOrder): string | undefined =>
  order.executions[0] && textFromFixed(order.executions[0].price);
const legOf = (exchange: SimulatedExchange, role: ExchangeOrder['role']): ExchangeOrder => {
  const leg = exchange.allOrders().find((order) => order.role === role);
  if (leg === undefined) throw new Error(`no ${role}`);
  return leg;
};

describe('the wallet', () => {
  it('moves margin to locked, pays the fee, and has both back with the profit', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    // (10 + 90 × 0.00059) locked, 0.059 paid
    expect(exchange.futuresWallet('USDT')).toEqual({
      currency: 'USDT',
      balance: of('989.8879'),
      locked: of('10.0531'),
    });
    move(exchange, 'jump', '110');
    expect(textFromFixed(exchange.equity('USDT'))).toBe('1009.941');
    trade(exchange, terms('sell', { reduceOnly: true }));
    expect(exchange.futuresWallet('USDT').locked).toBe(0);
    expect(textFromFixed(exchange.futuresWallet('USDT').balance)).toBe('1009.8761');
    expect(textFromFixed(exchange.totals('USDT').fees)).toBe('0.1239');
  });

  it('counts margin, fee and profit of an INR position in rupees', () => {
    const exchange = create();
    exchange.setLeverage('BTCUSDT', 'INR', of('10'));
    trade(exchange, terms('sell', { currency: 'INR' }));
    // (10 + 110 × 0.00059) × 96
    expect(textFromFixed(exchange.futuresWallet('INR').locked)).toBe('966.2304');
    move(exchange, 'jump', '90');
    trade(exchange, terms('buy', { currency: 'INR', reduceOnly: true }));
    expect(textFromFixed(exchange.totals('INR').realisedPnl)).toBe('960');
    expect(exchange.totals('USDT').fees).toBe(0);
  });
});

describe('netting', () => {
  it('averages in on the same position', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    move(exchange, 'jump', '103');
    trade(exchange, terms('buy', { quantity: '2' }));
    const [position] = exchange.positions('USDT');
    expect(exchange.positions('USDT')).toHaveLength(1);
    expect(position).toMatchObject({
      quantity: of('3'),
      entryPrice: of('102'),
    });
  });

  it('closes and flips on an opposite order that is larger, one execution, one fee', () => {
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

  it('closes no more than there is for a reduce-only order', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    const close = trade(exchange, terms('sell', { quantity: '5', reduceOnly: true }));
    expect(close).toMatchObject({
      status: 'canceled',
      filledQuantity: of('1'),
    });
    expect(held(exchange)).toBe('0');
  });

  it('gives part of the margin back on a partial close and writes a PARTIAL row', () => {
    const exchange = create();
    trade(exchange, terms('buy', { quantity: '4' }));
    trade(exchange, terms('sell', { quantity: '1', reduceOnly: true }));
    expect(textFromFixed(exchange.futuresWallet('USDT').locked)).toBe('30.1593');
    expect(exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'partial', quantity: of('1'), pnl: 0 },
    ]);
  });

  it('opens nothing that the wallet cannot pay when the price has left it behind', () => {
    const exchange = create();
    const order = accept(exchange, terms('buy', { quantity: '95' }));
    move(exchange, 'jump', '110');
    exchange.settle();
    expect(find(exchange, order.orderId)).toMatchObject({
      status: 'canceled',
      filledQuantity: 0,
      reason: 'insufficient balance',
    });
    expect(exchange.futuresWallet('USDT').locked).toBe(0);
  });
});

describe('a reversal', () => {
  it('is two orders of one settle, though the second is placed on the fill of the first', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    move(exchange, 'jump', '105');
    const told: string[] = [];
    exchange.listen((event) => {
      told.push(event.kind === 'order' ? event.order.status : event.kind);
      if (event.kind === 'fill' && event.order.reduceOnly) exchange.place({ terms: terms('sell') });
    });
    exchange.place({ terms: terms('sell', { reduceOnly: true }) });
    exchange.settle('BTCUSDT');
    expect(held(exchange)).toBe('-1');
    expect(told).toEqual([
      ...['created', 'fill', 'close', 'position', 'filled'],
      ...['created', 'fill', 'position', 'filled'],
    ]);
  });
});

describe('limit orders', () => {
  it('take at the present price when they cross, and pay as takers', () => {
    const exchange = create();
    const order = trade(exchange, terms('buy', { price: '101' }));
    expect(filledAt(order)).toBe('100');
    expect(order.executions[0]).toMatchObject({
      maker: false,
      fee: of('0.059'),
    });
  });

  it('fill as makers at their own price, once the market has gone through by one step', () => {
    const exchange = create();
    const order = trade(exchange, terms('buy', { price: '95' }));
    move(exchange, 'sweep', '95');
    expect(find(exchange, order.orderId).status).toBe('created');
    move(exchange, 'sweep', '94.9');
    expect(filledAt(find(exchange, order.orderId))).toBe('95');
    expect(find(exchange, order.orderId).executions[0]).toMatchObject({
      maker: true,
      fee: of('0.02185'),
    });
  });

  it('fill at a touch when so asked', () => {
    const exchange = create({ limitFill: 'touch' });
    const order = trade(exchange, terms('sell', { price: '105' }));
    move(exchange, 'sweep', '105');
    expect(filledAt(find(exchange, order.orderId))).toBe('105');
  });
});

describe('stops and targets of an entry', () => {
  const guarded = { stopLoss: '95', takeProfit: '110' };

  it('are listed with quantity 0 while it rests, and end with it', () => {
    const exchange = create();
    const entry = trade(exchange, terms('buy', { price: '98', ...guarded }));
    expect(exchange.openOrders('USDT').map(({ role, quantity }) => [role, quantity])).toEqual([
      ['take-profit', 0],
      ['stop-loss', 0],
      ['trade', of('1')],
    ]);
    exchange.cancel({ orderId: entry.orderId });
    expect(exchange.openOrders('USDT')).toEqual([]);
    expect(legOf(exchange, 'stop-loss').status).toBe('system-canceled');
    expect(exchange.orderHistory('USDT').map(({ role }) => role)).toEqual(['trade']);
  });

  it.each([
    ['sweep', '90', 'stop-loss', 'take-profit', '95'],
    ['jump', '92.5', 'stop-loss', 'take-profit', '92.5'],
    ['sweep', '120', 'take-profit', 'stop-loss', '110'],
    ['jump', '120', 'take-profit', 'stop-loss', '120'],
  ] as const)('on a %s to %s: %s closes, %s is system-canceled', (how, to, fires, other, at) => {
    const exchange = create();
    trade(exchange, terms('buy', { quantity: '2', ...guarded }));
    expect(exchange.positions('USDT')[0]).toMatchObject({
      stopLoss: { price: of('95') },
      takeProfit: { price: of('110') },
    });
    move(exchange, how, to);
    expect(held(exchange)).toBe('0');
    const fired = legOf(exchange, fires);
    expect(fired).toMatchObject({
      status: 'filled',
      filledQuantity: of('2'),
    });
    expect(filledAt(fired)).toBe(at);
    expect(legOf(exchange, other).status).toBe('system-canceled');
    expect(exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'closed', orderId: fired.orderId },
    ]);
    expect(exchange.openOrders('USDT')).toEqual([]);
  });

  it('trigger at the price of the entry when that is already beyond them', () => {
    const exchange = create();
    accept(exchange, terms('buy', guarded));
    move(exchange, 'jump', '94');
    exchange.settle('BTCUSDT');
    expect(held(exchange)).toBe('0');
    expect(filledAt(legOf(exchange, 'stop-loss'))).toBe('94');
  });

  it('are replaced by those of a second entry', () => {
    const exchange = create();
    trade(exchange, terms('buy', { stopLoss: '95' }));
    trade(exchange, terms('buy', { stopLoss: '97' }));
    expect(exchange.positions('USDT')[0]?.stopLoss?.price).toBe(of('97'));
    expect(legOf(exchange, 'stop-loss').status).toBe('system-canceled');
  });

  it('guard nothing when their order only reduced', () => {
    const exchange = create();
    trade(exchange, terms('buy', { quantity: '3' }));
    trade(exchange, terms('sell', { stopLoss: '105' }));
    expect(exchange.positions('USDT')[0]?.stopLoss).toBeUndefined();
    expect(exchange.openOrders('USDT')).toEqual([]);
  });
});

describe('liquidation', () => {
  it('goes by the mark price, closes at the bankruptcy price and takes the margin, no more', () => {
    const exchange = create({
      futures: { USDT: of('10.1121') as Amount, INR: of('0') as Amount },
    });
    trade(exchange, terms('buy'));
    expect(exchange.futuresWallet('USDT').balance).toBe(0);
    exchange.jump('BTCUSDT', of('90.5'), of('91'));
    expect(held(exchange)).toBe('1');
    // 90 / 0.99 = 90.9090…
    exchange.jump('BTCUSDT', of('95'), of('90.9'));
    expect(exchange.positionHistory('USDT')).toMatchObject([
      { kind: 'liquidated', closePrice: of('90'), pnl: of('-10') },
    ]);
    expect(exchange.futuresWallet('USDT')).toMatchObject({
      balance: 0,
      locked: 0,
    });
  });

  it('takes nothing but the margin, not even by a rounding', () => {
    for (let steps = 1; steps <= 300; steps += 1) {
      const exchange = create();
      exchange.setLeverage('BTCUSDT', 'USDT', of('7'));
      move(exchange, 'jump', `${100 + steps / 10}`);
      trade(exchange, terms('buy', { quantity: `0.${(100 + steps).toString()}` }));
      const { balance, locked } = exchange.futuresWallet('USDT');
      exchange.jump('BTCUSDT', of('50'), of('50'));
      expect(locked).toBeGreaterThan(0);
      expect(exchange.futuresWallet('USDT').balance).toBeGreaterThanOrEqual(balance);
    }
  });
});

describe('ids and histories', () => {
  it('hold a client order id for all time, in its own letters', () => {
    const exchange = create();
    accept(exchange, terms('buy'), 'abc');
    exchange.settle();
    const again = (id: string) => exchange.place({ terms: terms('sell'), clientOrderId: id });
    expect(again('abc')).toEqual({ ok: false, code: 'client-order-id-exists' });
    expect(again('ABC').ok).toBe(true);
    expect(exchange.order({ clientOrderId: 'abc' })?.status).toBe('filled');
  });

  it('give a position that is opened later an id of its own', () => {
    const exchange = create();
    trade(exchange, terms('buy'));
    const rests = trade(exchange, terms('buy', { price: '95' }));
    trade(exchange, terms('sell', { reduceOnly: true }));
    const gone = exchange.positionHistory('USDT')[0]?.positionId;
    expect(rests.positionId).toBe(gone);
    move(exchange, 'sweep', '94');
    expect(held(exchange)).toBe('1');
    expect(exchange.positions('USDT')[0]?.positionId).not.toBe(gone);
  });

  it('list newest first, open orders apart', () => {
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

describe('the order of checks', () => {
  /** Each row breaks one rule more than the row below it, and is refused for the first. */
  it('is identifier, used id, asset, lock, leverage, then the table from top to bottom', () => {
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
    exchange.settle();
    const same = terms('buy', { reduceOnly: true });
    expect(refused(same)).toBe('reduce-only-same-side');
  });
});
