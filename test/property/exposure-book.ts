import fc from 'fast-check';
import type { PositionReport } from '../../src/core/account.js';
import { fixed, ZERO, type Quantity } from '../../src/core/fixed/fixed.js';
import type { Side } from '../../src/core/order.js';
import { AccountExposure } from '../../src/engine/account/account-exposure.js';
import { ExternalActivity } from '../../src/engine/reconciliation/external-activity.js';
import { OrderLedger } from '../../src/execution/order/order-ledger.js';
import type { OrderState } from '../../src/execution/order/order-state.js';
import { OwnOrder } from '../../src/execution/order/own-order.js';
import type { CancelState } from '../../src/execution/order/uncommon-state.js';
import { PositionLedger } from '../../src/execution/position-ledger.js';
import type { Exposure } from '../../src/risk/exposure.js';
import { intentOf } from '../support/builders/risk-case.js';
import type { Landing } from './landing-model.js';

/** Whole base units, and their exact form. */
export const units = (count: number): Quantity => fixed(count * 100_000_000);

/** One order of ours in the book, quantities in whole base units. */
export interface BookOrder {
  readonly side: Side;
  readonly quantity: number;
  readonly filled: number;
  readonly type: 'market' | 'limit';
  readonly reduceOnly: boolean;
  readonly state: OrderState;
  readonly cancelState: CancelState;
  /** Quantity of an amendment that is not proved. */
  readonly amending: number | undefined;
  /** Quantity of a fence under its id: a buy where the order is a buy. */
  readonly fence: number | undefined;
}

/** An open order of a person on the same account; its side may be unknown. */
export interface ExternalBookOrder {
  readonly side: Side | undefined;
  readonly quantity: number;
}

/** A position with all that may still change it. */
export interface Book {
  /** Signed, as our fills add up to. */
  readonly position: number;
  /** Signed, as the last list shows it, where it differs. */
  readonly reported: number | undefined;
  readonly orders: readonly BookOrder[];
  readonly external: readonly ExternalBookOrder[];
}

/** The newest order, which the gate judges. */
export type BookIntent = Pick<BookOrder, 'side' | 'quantity' | 'type' | 'reduceOnly'>;

const side = fc.constantFrom<Side>('buy', 'sell');
const type = fc.constantFrom<'market' | 'limit'>('market', 'limit');
const quantity = fc.integer({ min: 1, max: 5 });

const OPEN_STATES: readonly OrderState[] = [
  'waiting',
  'sent',
  'retrying',
  'verifying',
  'quarantined',
  'accepted',
];

const orderArbitrary: fc.Arbitrary<BookOrder> = fc
  .record({
    side,
    type,
    quantity,
    filledPart: fc.integer({ min: 0, max: 4 }),
    reduceOnly: fc.boolean(),
    state: fc.constantFrom(...OPEN_STATES),
    cancelState: fc.constantFrom<CancelState>('none', 'none', 'wanted', 'acknowledged'),
    amendment: fc.option(quantity, { freq: 8, nil: undefined }),
    fenceQuantity: fc.option(quantity, { freq: 3, nil: undefined }),
  })
  .map(({ filledPart, amendment, fenceQuantity, ...order }) => {
    const mayBeFilled = order.state === 'accepted' || order.state === 'verifying';
    const isResting = order.state === 'accepted' && order.type === 'limit';
    return {
      ...order,
      filled: mayBeFilled ? Math.min(filledPart, order.quantity - 1) : 0,
      amending: isResting ? amendment : undefined,
      fence: order.state === 'quarantined' ? fenceQuantity : undefined,
    };
  });

/** Most books are small: a large one costs as much as a thousand of them. */
const sizeArbitrary = fc.oneof(
  { weight: 60, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 3, arbitrary: fc.integer({ min: 7, max: 9 }) },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 11 }) },
);

const position = fc.integer({ min: -6, max: 6 });

/** Books of at most 11 orders, and 12 with the judged one. */
export const bookArbitrary: fc.Arbitrary<Book> = sizeArbitrary
  .chain((size) =>
    fc.record({
      position,
      reported: fc.option(position, { freq: 4, nil: undefined }),
      orders: fc.array(orderArbitrary, { minLength: size, maxLength: size }),
      external: fc.array(
        fc.record({ side: fc.constantFrom<Side | undefined>('buy', 'sell', undefined), quantity }),
        { maxLength: Math.min(2, 11 - size) },
      ),
    }),
  )
  .map((book) => (book.reported === book.position ? { ...book, reported: undefined } : book));

export const intentArbitrary: fc.Arbitrary<BookIntent> = fc.record({
  side,
  type,
  quantity,
  reduceOnly: fc.boolean(),
});

/** The intent as an order that waits for its permit. */
export const waiting = (intent: BookIntent): BookOrder => ({
  ...intent,
  filled: 0,
  state: 'waiting',
  cancelState: 'none',
  amending: undefined,
  fence: undefined,
});

const PRICE = '60000';

export const intentIn = ({ side, quantity, type, reduceOnly }: BookIntent, ordinal = 0) =>
  intentOf({
    side,
    quantity: String(quantity),
    price: type === 'limit' ? PRICE : undefined,
    exit: reduceOnly,
    ordinal,
  });

const SYMBOL = 'BTCUSDT';
const CURRENCY = 'USDT';

/** The exposure of a book, by the classes of the engine. */
export function exposureOf({ position, reported, orders, external }: Book): Exposure {
  const positions = new PositionLedger();
  positions.initializeQuantity(SYMBOL, CURRENCY, units(position), 0);
  if (reported !== undefined) report(positions, reported);
  const ledger = new OrderLedger(positions);
  for (const [key, order] of orders.entries()) ledger.add(ownOrderOf(order, key));
  const activity = new ExternalActivity(() => undefined);
  activity.setOrders(
    CURRENCY,
    external.map((order, index) => ({
      orderId: `hand-${index}`,
      symbol: SYMBOL,
      currency: CURRENCY,
      role: 'trade',
      type: 'limit',
      status: 'created',
      ...(order.side !== undefined && { side: order.side }),
      quantity: units(order.quantity),
      filledQuantity: ZERO as Quantity,
    })),
  );
  return new AccountExposure({ ledger, positions, external: activity });
}

function report(positions: PositionLedger, reported: number): void {
  const row: PositionReport = {
    positionId: 'p1',
    symbol: SYMBOL,
    currency: CURRENCY,
    side: reported < 0 ? 'short' : 'long',
    quantity: units(Math.abs(reported)),
    entryPrice: fixed<'price'>(6e12),
    leverage: fixed<'ratio'>(2e8),
    initialMargin: fixed<'USDT'>(1e8),
    maintenanceMargin: fixed<'USDT'>(1e8),
  };
  const rows = reported === 0 ? [] : [row];
  positions.observe(rows, { currency: CURRENCY, startedAt: 1_000 }, () => 60_000);
}

function ownOrderOf(order: BookOrder, key: number): OwnOrder {
  const own = new OwnOrder({
    key,
    intent: { recovered: intentIn(order, key + 1) },
    account: 'oracle',
  });
  own.state = order.state;
  own.filledQuantity = units(order.filled);
  own.cancelState = order.cancelState;
  own.active = order.cancelState === 'none' && order.state !== 'quarantined';
  if (order.amending !== undefined)
    own.amending = { ...own.terms, quantity: units(order.amending) };
  if (order.fence !== undefined)
    own.fence = { ...own.terms, reduceOnly: false, quantity: units(order.fence) };
  return own;
}

const signed = (of: Side, quantity: number): number => (of === 'buy' ? quantity : -quantity);

/** Positions from which a history of the book may begin: ours, or the one of the last list. */
export const startsOf = ({ position, reported }: Book): readonly number[] =>
  reported === undefined ? [position] : [position, reported];

/** Everything of the book that may still land. */
export const landingsOf = ({ orders, external }: Book): readonly Landing[] => [
  ...orders.map(landingOfOrder),
  ...external.map(({ side: of, quantity: size }): Landing => {
    const sides: readonly Side[] = of === undefined ? ['buy', 'sell'] : [of];
    return sides.map((each) => ({ quantity: signed(each, size), reduceOnly: false }));
  }),
];

function landingOfOrder(order: BookOrder): Landing {
  const { side: of, quantity: size, amending = 0, filled, reduceOnly, fence } = order;
  const own = { quantity: signed(of, Math.max(size, amending) - filled), reduceOnly };
  return fence === undefined ? [own] : [own, { quantity: signed(of, fence), reduceOnly: false }];
}

export const landingOf = ({ side: of, quantity: size, reduceOnly }: BookIntent): Landing => [
  { quantity: signed(of, size), reduceOnly },
];
