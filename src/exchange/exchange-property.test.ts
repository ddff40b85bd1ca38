import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CURRENCIES, type Currency } from '../core/currency.js';
import {
  withSign,
  add,
  subtract,
  fixedFromText,
  type Amount,
  type Fixed,
  type Quantity,
} from '../core/fixed/fixed.js';
import type { Instrument } from '../core/instrument.js';
import type { OrderRef, OrderStatus, OrderTerms } from '../core/order.js';
import { ASSUMPTIONS, type Assumptions } from './assumptions.js';
import { simulateCandle, type IntrabarPath } from './price/candle-path.js';
import { createExchange } from './create-exchange.js';
import { fixedSlippage } from './order/slippage.js';
import type { ExchangeOrder, ExchangePosition, SimulatedExchange } from './simulated-exchange.js';
import { scaledOf } from '../../test/support/builders/scaled.js';

/** The exchange's method of each price move. */
const MOVE_METHOD = { jump: 'gapTo', sweep: 'moveThrough' } as const;

const of = <Unit extends string>(text: string): Fixed<Unit> => fixedFromText<Unit>(text);
const SYMBOLS = ['BTCUSDT', 'XRPUSDT'] as const;

const instrument = (symbol: string): Instrument => ({
  symbol,
  assetId: `asset-${symbol}`,
  baseAsset: symbol.slice(0, 3),
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
});

type Command =
  | {
      readonly kind: 'place';
      readonly terms: OrderTerms;
      readonly id: string | undefined;
      readonly v1: string | undefined;
    }
  | { readonly kind: 'cancel'; readonly nth: number }
  | { readonly kind: 'change-order'; readonly nth: number; price: number; quantity: number }
  | { readonly kind: 'fill-part'; readonly nth: number; quantity: number }
  | { readonly kind: 'refuse'; readonly nth: number }
  | { readonly kind: 'close' | 'reverse'; readonly nth: number }
  | { readonly kind: 'close-part'; nth: number; quantity: number; price: number | undefined }
  | { readonly kind: 'margin'; readonly nth: number; readonly cents: number }
  | { readonly kind: 'protect' | 'move'; nth: number; stop: number; target: number }
  | { readonly kind: 'lock' | 'delist'; readonly symbol: string; readonly on: boolean }
  | { readonly kind: 'hedge-rate'; readonly rate: string }
  | {
      readonly kind: 'leverage';
      readonly symbol: string;
      currency: Currency;
      leverage: string;
    }
  | { readonly kind: 'settle' }
  | {
      readonly kind: 'jump' | 'sweep';
      symbol: string;
      last: number;
      mark: number;
    }
  | {
      readonly kind: 'candle';
      symbol: string;
      path: IntrabarPath;
      ohlc: readonly number[];
    };

const symbol = fc.constantFrom(...SYMBOLS);
const currency = fc.constantFrom(...CURRENCIES);
const price = fc.integer({ min: 600, max: 1_400 }).map((tenths) => tenths * 10_000_000);
const rough = fc.integer({ min: 6_000_000_001, max: 14_000_000_000 });

const seldom = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** Usually a legal size; sometimes off the step, 0, or beyond every limit. */
const size = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.integer({ min: 50, max: 9_000 }).map((steps) => steps * 100_000),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 150_050, 20_000_000_000, 160_000_000_000),
  },
);

const terms: fc.Arbitrary<OrderTerms> = fc
  .record({
    symbol,
    currency,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('market' as const, 'limit' as const),
    quantity: size,
    price: fc.oneof(
      { weight: 9, arbitrary: price },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    reduceOnly: fc.oneof(
      { weight: 3, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    stopLoss: seldom(price),
    takeProfit: seldom(price),
  })
  .map(
    (draw) => Object.fromEntries(Object.entries(draw).filter(([, v]) => v !== undefined)) as never,
  );

/** Fraction of a position's or an order's quantity. */
const part = fc.integer({ min: 1, max: 9_000 }).map((steps) => steps * 100_000);
/** Distance from the last price in 1e-8, usually on the right side. */
const distance = fc.integer({ min: -10, max: 90 }).map((tenths) => tenths * 10_000_000);
/** Index of one of the few open positions. */
const nth = fc.nat({ max: 3 });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      terms,
      id: seldom(fc.constantFrom('a', 'b', 'C', 'c', 'x y', 'id-1', 'id_2')),
      v1: seldom(fc.constantFrom('5', '10', '20', '101')),
    }),
  },
  fc.record({
    kind: fc.constant('change-order' as const),
    nth: fc.nat({ max: 5 }),
    price,
    quantity: size,
  }),
  fc.record({ kind: fc.constant('fill-part' as const), nth: fc.nat({ max: 5 }), quantity: part }),
  fc.record({ kind: fc.constant('refuse' as const), nth: fc.nat({ max: 5 }) }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'reverse' as const), nth }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('close-part' as const),
      nth,
      quantity: part,
      price: fc.option(price, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('margin' as const),
      nth,
      cents: fc.integer({ min: -3_000, max: 3_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('protect' as const, 'move' as const),
      nth,
      stop: distance,
      target: distance,
    }),
  },
  fc.record({
    kind: fc.constantFrom('lock' as const, 'delist' as const),
    symbol,
    on: fc.constantFrom(true, false, false, false),
  }),
  fc.record({
    kind: fc.constant('hedge-rate' as const),
    rate: fc.constantFrom('96.37', '80', '101.5'),
  }),
  fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat({ max: 40 }) }),
  fc.record({
    kind: fc.constant('leverage' as const),
    symbol,
    currency,
    leverage: fc.constantFrom('1', '2.5', '10', '50', '100', '0.5', '3.333'),
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('jump' as const, 'sweep' as const),
      symbol,
      last: rough,
      mark: rough,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('candle' as const),
      symbol,
      path: fc.constantFrom('pessimistic' as const, 'nearest' as const, 'optimistic' as const),
      ohlc: fc.array(fc.integer({ min: 600, max: 1_400 }), {
        minLength: 4,
        maxLength: 4,
      }),
    }),
  },
);

const assumptions: fc.Arbitrary<Partial<Assumptions>> = fc
  .subarray([...ASSUMPTIONS])
  .map((rows) => Object.fromEntries(rows.map((row) => [row.field, row.other])));

const MOVES: Readonly<Record<string, readonly OrderStatus[]>> = {
  created: ['created', 'partially-filled', 'filled', 'canceled', 'system-canceled'],
  'partially-filled': ['partially-filled', 'filled', 'canceled', 'system-canceled'],
  filled: ['filled'],
  canceled: ['canceled'],
  'system-canceled': ['system-canceled'],
};

/** Checks an exchange from outside, at every event. */
class Watch {
  readonly #exchange: SimulatedExchange;
  readonly #start: Readonly<Record<Currency, number>>;
  readonly #status = new Map<string, OrderStatus>();
  readonly #sums = new Map<string, number>();

  constructor(exchange: SimulatedExchange) {
    this.#exchange = exchange;
    this.#start = { USDT: this.#money('USDT'), INR: this.#money('INR') };
    exchange.listen((event) => {
      if (event.kind === 'order' || event.kind === 'fill') this.#move(event.order);
      if (event.kind === 'fill') {
        const key = `${event.order.symbol} ${event.order.currency}`;
        const sign = this.#sideOf(event.order) === 'buy' ? 1 : -1;
        this.#sums.set(
          key,
          (this.#sums.get(key) ?? 0) + scaledOf(withSign(sign, event.execution.quantity)),
        );
      }
      this.check();
    });
  }

  /** Every fill so far has been emitted. */
  checkQuiet(): void {
    this.check();
    for (const symbol of SYMBOLS) {
      for (const currency of CURRENCIES) {
        const reported = this.#sums.get(`${symbol} ${currency}`) ?? 0;
        expect(this.#exchange.quantity(symbol, currency)).toBe(reported);
      }
    }
    for (const order of this.#exchange.allOrders()) {
      expect(this.#status.get(order.orderId)).toBe(order.status);
    }
  }

  check(): void {
    for (const currency of CURRENCIES) {
      const { realisedPnl, fees, funding, transfers } = this.#exchange.totals(currency);
      const change = this.#money(currency) - this.#start[currency];
      expect(change).toBe(add(subtract(subtract(realisedPnl, fees), funding), transfers));
      const positions = this.#exchange.positions(currency);
      const margins = positions.reduce(
        (sum, { initialMargin }) => sum + scaledOf(initialMargin),
        0,
      );
      expect(this.#exchange.futuresWallet(currency).locked).toBe(margins);
      for (const position of positions) {
        const { quantity, initialMargin, positionId, symbol, stopLoss, takeProfit } = position;
        expect(quantity).toBeGreaterThan(0);
        expect(initialMargin).toBeGreaterThanOrEqual(0);
        const protectiveOrders = this.#exchange
          .openOrders(currency)
          .filter((order) => order.symbol === symbol && order.positionId === positionId);
        for (const guard of [stopLoss, takeProfit]) {
          if (guard !== undefined)
            expect(protectiveOrders.map(({ orderId }) => orderId)).toContain(guard.orderId);
        }
        for (const order of protectiveOrders)
          expect(order.filledQuantity).toBeLessThanOrEqual(order.quantity);
      }
    }
  }

  /** A stop or target has no side in its snapshot: it closes what it protects. */
  #sideOf(order: ExchangeOrder): 'buy' | 'sell' {
    if (order.side !== undefined) return order.side;
    return (this.#sums.get(`${order.symbol} ${order.currency}`) ?? 0) > 0 ? 'sell' : 'buy';
  }

  #move(order: ExchangeOrder): void {
    const before = this.#status.get(order.orderId) ?? 'created';
    expect(MOVES[before]).toContain(order.status);
    expect(order.filledQuantity).toBeLessThanOrEqual(order.quantity);
    this.#status.set(order.orderId, order.status);
  }

  #money(currency: Currency): number {
    const { balance, locked } = this.#exchange.futuresWallet(currency);
    return scaledOf(add(add(this.#exchange.spotBalance(currency), balance), locked));
  }
}

/** An open order, if there is one. */
function orderAt(exchange: SimulatedExchange, at: number): OrderRef {
  const open = CURRENCIES.flatMap((money) => exchange.openOrders(money));
  const orders = open.length > 0 ? open : exchange.allOrders();
  return { orderId: orders[at % orders.length]?.orderId ?? 'unknown' };
}
const rowsOf = (exchange: SimulatedExchange): readonly ExchangePosition[] =>
  CURRENCIES.flatMap((money) => exchange.positions(money));
const positionAt = (exchange: SimulatedExchange, at: number): string =>
  rowAt(exchange, at)?.positionId ?? 'unknown';

function rowAt(exchange: SimulatedExchange, at: number): ExchangePosition | undefined {
  const rows = rowsOf(exchange);
  return rows[at % rows.length];
}

function guard(exchange: SimulatedExchange, command: Command & { kind: 'protect' | 'move' }): void {
  const row = rowAt(exchange, command.nth);
  if (row === undefined) return;
  const { positionId, stopLoss: present } = row;
  const last = exchange.prices(row.symbol)?.last ?? 0;
  const sign = row.side === 'long' ? 1 : -1;
  const stop = { price: (scaledOf(last) - sign * command.stop) as never };
  const target = { price: (scaledOf(last) + sign * command.target) as never };
  if (command.kind === 'protect') {
    exchange.protect(positionId, { stopLoss: stop, takeProfit: target });
  } else if (present !== undefined) {
    exchange.moveProtection(positionId, { stopLoss: { ...stop, order: present } });
  }
}

function obey(exchange: SimulatedExchange, command: Command): void {
  switch (command.kind) {
    case 'place':
      exchange.place({
        terms: command.terms,
        ...(command.id !== undefined && { clientOrderId: command.id }),
        ...(command.v1 !== undefined && { leverage: of<'ratio'>(command.v1) }),
      });
      return;
    case 'cancel': {
      const order = exchange.allOrders()[command.nth];
      if (order !== undefined) exchange.cancel({ orderId: order.orderId });
      return;
    }
    case 'change-order':
      exchange.amend(orderAt(exchange, command.nth), {
        price: command.price as never,
        quantity: command.quantity as never,
      });
      return;
    case 'fill-part':
      exchange.fillPart(orderAt(exchange, command.nth), command.quantity as never);
      return;
    case 'refuse':
      exchange.reject(orderAt(exchange, command.nth), 'admin');
      return;
    case 'close':
    case 'reverse':
      exchange[command.kind](positionAt(exchange, command.nth));
      return;
    case 'close-part':
      exchange.closePartially(positionAt(exchange, command.nth), {
        type: command.price === undefined ? 'market' : 'limit',
        quantity: command.quantity as never,
        ...(command.price !== undefined && { price: command.price as never }),
      });
      return;
    case 'margin':
      exchange.adjustMargin(positionAt(exchange, command.nth), (command.cents * 1e6) as never);
      return;
    case 'protect':
    case 'move':
      guard(exchange, command);
      return;
    case 'lock':
      exchange.setLocked(command.symbol, command.on);
      return;
    case 'delist':
      exchange.setDelisting(command.symbol, command.on);
      return;
    case 'hedge-rate':
      exchange.setHedgeRate(of(command.rate));
      return;
    case 'leverage':
      exchange.setLeverage(command.symbol, command.currency, of(command.leverage));
      return;
    case 'settle':
      exchange.matchPending();
      return;
    case 'jump':
    case 'sweep':
      exchange[MOVE_METHOD[command.kind]](
        command.symbol,
        command.last as never,
        command.mark as never,
      );
      return;
    case 'candle': {
      const [a = 600, b = 600, c = 600, d = 600] = command.ohlc.map((tenths) => tenths / 10);
      const ohlc = {
        open: a,
        close: b,
        high: Math.max(a, b, c, d),
        low: Math.min(a, b, c, d),
      };
      simulateCandle(exchange, command.symbol, { last: ohlc }, command.path, () =>
        exchange.matchPending(),
      );
    }
  }
}

function createWatched(other: Partial<Assumptions>, slippageBps: number): SimulatedExchange {
  let id = 0;
  const exchange = createExchange(
    {
      listings: SYMBOLS.map((name) => ({
        instrument: instrument(name),
        maintenanceRate: of<'ratio'>('0.005'),
      })),
      takerFeeRate: of('0.00059'),
      makerFeeRate: of('0.00023'),
      slippage: fixedSlippage(slippageBps),
      spot: { USDT: of('100') as Amount, INR: of('1000') as Amount },
      futures: { USDT: of('2000') as Amount, INR: of('150000') as Amount },
      hedgeRate: of('96.37'),
      nextId: () => `id${++id}`,
      startMs: 1_746_403_200_123,
    },
    other,
  );
  for (const name of SYMBOLS) {
    for (const money of CURRENCIES) exchange.setLeverage(name, money, of('10'));
    exchange.gapTo(name, of('100'), of('100'));
  }
  return exchange;
}

it('money, margins, quantities and order states stay consistent under any commands', () => {
  const commands = fc.array(command, { maxLength: 60, size: 'max' });
  const slippage = fc.constantFrom(0, 2.5, 30);
  fc.assert(
    fc.property(commands, assumptions, slippage, (sequence, other, slippageBps) => {
      const exchange = createWatched(other, slippageBps);
      const watch = new Watch(exchange);
      for (const each of sequence) {
        obey(exchange, each);
        watch.checkQuiet();
      }
    }),
    { numRuns: 300 },
  );
});

it('they stay consistent when listeners place and cancel', () => {
  const commands = fc.array(command, { maxLength: 40, size: 'max' });
  const answers = fc.array(
    command.filter(({ kind }) => kind === 'place' || kind === 'cancel'),
    {
      maxLength: 20,
    },
  );
  fc.assert(
    fc.property(commands, answers, (sequence, queue) => {
      const exchange = createWatched({}, 0);
      const watch = new Watch(exchange);
      const left = [...queue];
      exchange.listen((event) => {
        const next = event.kind === 'fill' ? left.pop() : undefined;
        if (next !== undefined) obey(exchange, next);
      });
      for (const each of sequence) {
        obey(exchange, each);
        watch.checkQuiet();
      }
    }),
    { numRuns: 200 },
  );
});

it('a refusal leaves no trace: no order, no used id, no money moved', () => {
  fc.assert(
    fc.property(terms, fc.string({ maxLength: 70 }), (draw, id) => {
      const exchange = createWatched({}, 0);
      const before = [exchange.futuresWallet('USDT'), exchange.futuresWallet('INR')];
      const answer = exchange.place({ terms: draw, clientOrderId: id });
      if (answer.ok) return;
      expect(exchange.allOrders()).toEqual([]);
      expect(exchange.order({ clientOrderId: id })).toBeUndefined();
      expect([exchange.futuresWallet('USDT'), exchange.futuresWallet('INR')]).toEqual(before);
      const good: OrderTerms = {
        symbol: 'BTCUSDT',
        currency: 'USDT',
        side: 'buy',
        type: 'market',
        quantity: of<'quantity'>('1') as Quantity,
        reduceOnly: false,
      };
      const again = exchange.place({ terms: good, clientOrderId: id });
      expect(again.ok || again.code === 'invalid-client-order-id').toBe(true);
    }),
  );
});
