import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, of } from '../../../test/support/rigs/exchange-rig.js';
import {
  codeOf,
  valueOf,
  BalanceCheckedExchange,
} from '../../../test/support/rigs/balance-checked-exchange.js';
import type { ExchangeOrder } from '../simulated-exchange.js';

const retaining = (endedOrders: number): BalanceCheckedExchange =>
  new BalanceCheckedExchange({ retention: { endedOrders } });

/** Rests far from the market under this id. */
const rest = (rig: BalanceCheckedExchange, clientOrderId: string): ExchangeOrder =>
  rig.placeAndMatch('buy', { price: '50' }, { clientOrderId });

function restAndCancel(rig: BalanceCheckedExchange, ...ids: readonly string[]): void {
  for (const clientOrderId of ids) {
    rest(rig, clientOrderId);
    valueOf(rig.exchange.cancel({ clientOrderId }));
  }
}

const known = (rows: readonly ExchangeOrder[]) => rows.map((order) => order.clientOrderId);

describe('an exchange with retention', () => {
  it('older ended orders are evicted: no lookup and no list finds them', () => {
    const rig = retaining(2);
    const first = rest(rig, 'first');
    valueOf(rig.exchange.cancel({ clientOrderId: 'first' }));
    restAndCancel(rig, 'second', 'third');
    expect(rig.exchange.order({ clientOrderId: 'first' })).toBeUndefined();
    expect(rig.exchange.order({ orderId: first.orderId })).toBeUndefined();
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 'first' }))).toBe('order-not-found');
    expect(rig.exchange.isKnownPosition(first.positionId ?? '')).toBe(false);
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['third', 'second']);
    expect(known(rig.exchange.allOrders())).toEqual(['second', 'third']);
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 'second' }))).toBe('order-not-open');
  });

  it('an evicted client order id is never accepted again', () => {
    const rig = retaining(1);
    restAndCancel(rig, 'a', 'b', 'c');
    const again = rig.tryPlace('buy', { price: '50' }, { clientOrderId: 'a' });
    expect(codeOf(again)).toBe('client-order-id-exists');
  });

  it('retention counts from the end of an order, not from its placing', () => {
    const rig = retaining(1);
    rest(rig, 'old');
    restAndCancel(rig, 'young');
    valueOf(rig.exchange.cancel({ clientOrderId: 'old' }));
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['old']);
  });

  it('open and filled orders are retained, with their fees and closes', () => {
    const rig = retaining(1);
    rest(rig, 'open');
    rig.placeAndMatch('buy', {}, { clientOrderId: 'filled' });
    rig.placeAndMatch('sell', {}, { clientOrderId: 'closed' });
    rest(rig, 'partly');
    valueOf(rig.exchange.fillPart({ clientOrderId: 'partly' }, of('0.5')));
    valueOf(rig.exchange.cancel({ clientOrderId: 'partly' }));
    restAndCancel(rig, 'a', 'b', 'c');
    expect(known(rig.exchange.allOrders())).toEqual(['open', 'filled', 'closed', 'partly', 'c']);
    expect(rig.exchange.fees('USDT')).toHaveLength(3);
    expect(rig.exchange.positionHistory('USDT')).toHaveLength(1);
  });

  it('stops and targets of an entry that never filled count too', () => {
    const rig = retaining(3);
    rig.placeAndMatch(
      'buy',
      { price: '50', stopLoss: '40', takeProfit: '60' },
      { clientOrderId: 'guarded' },
    );
    valueOf(rig.exchange.cancel({ clientOrderId: 'guarded' }));
    expect(rig.exchange.allOrders()).toHaveLength(3);
    restAndCancel(rig, 'a', 'b', 'c');
    expect(known(rig.exchange.allOrders())).toEqual(['a', 'b', 'c']);
  });

  it('eviction continues', () => {
    const rig = retaining(2);
    rest(rig, 'open');
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);
    restAndCancel(rig, ...ids);
    expect(known(rig.exchange.allOrders())).toEqual(['open', 'id-298', 'id-299']);
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['id-299', 'id-298']);
    const taken = ids.map((id) =>
      codeOf(rig.tryPlace('buy', { price: '50' }, { clientOrderId: id })),
    );
    expect(new Set(taken)).toEqual(new Set(['client-order-id-exists']));
  });

  it('without a retention all orders are retained', () => {
    const rig = new BalanceCheckedExchange();
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);
    restAndCancel(rig, ...ids);
    expect(known(rig.exchange.allOrders())).toEqual(ids);
  });

  it.each([0, -1, 1.5])('a retention of %d is refused', (endedOrders) => {
    expect(() => retaining(endedOrders)).toThrow(
      'retention.endedOrders must be an integer of at least 1',
    );
  });

  it('the retained orders equal the last ones of an exchange without retention, under any commands', () => {
    const step = fc.record({ does: fc.constantFrom('rest', 'fill', 'cancel'), nth: fc.nat(20) });
    const sequences = fc.array(step, { maxLength: 250 });
    fc.assert(
      fc.property(sequences, fc.integer({ min: 1, max: 5 }), (steps, endedOrders) => {
        const [some, every] = [retaining(endedOrders), new BalanceCheckedExchange()];
        for (const rig of [some, every]) apply(rig, steps);
        const ended = every.exchange
          .allOrders()
          .filter((order) => order.status === 'canceled')
          .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
        const evicted = new Set(ended.slice(0, -endedOrders).map((order) => order.clientOrderId));
        const left = known(every.exchange.allOrders()).filter((id) => !evicted.has(id));
        expect(known(some.exchange.allOrders())).toEqual(left);
        expect(known(some.exchange.orderHistory('USDT'))).toEqual(
          known(every.exchange.orderHistory('USDT')).filter((id) => !evicted.has(id)),
        );
        expect(some.exchange.openOrders('USDT')).toHaveLength(
          every.exchange.openOrders('USDT').length,
        );
        for (const id of known(every.exchange.allOrders())) {
          const found = some.exchange.order({ clientOrderId: id ?? '' });
          expect(found === undefined).toBe(evicted.has(id));
        }
      }),
      { numRuns: 60 },
    );
  });
});

interface Step {
  readonly does: string;
  readonly nth: number;
}

/** Each step at its own time; a cancel takes one of the open orders. */
function apply(rig: BalanceCheckedExchange, steps: readonly Step[]): void {
  steps.forEach(({ does, nth }, index) => {
    rig.exchange.setTime(MIDNIGHT + HOUR + index);
    const id = { clientOrderId: `id-${index}` };
    if (does === 'rest') rig.tryPlace('buy', { price: '50', quantity: '0.1' }, id);
    if (does === 'fill') rig.tryPlace(nth % 2 === 0 ? 'buy' : 'sell', { quantity: '0.1' }, id);
    rig.exchange.matchPending();
    const open = rig.exchange.openOrders('USDT');
    const one = open[nth % Math.max(1, open.length)];
    if (does === 'cancel' && one !== undefined) rig.exchange.cancel({ orderId: one.orderId });
  });
}

describe('a list of orders', () => {
  function placedHourly(): BalanceCheckedExchange {
    const rig = new BalanceCheckedExchange();
    for (const hour of [1, 2, 3, 4]) {
      rig.exchange.setTime(MIDNIGHT + hour * HOUR);
      rest(rig, `at-${hour}`);
    }
    return rig;
  }

  it.each([
    [undefined, undefined, ['at-4', 'at-3', 'at-2', 'at-1']],
    [2, undefined, ['at-4', 'at-3']],
    [undefined, 3, ['at-3', 'at-2', 'at-1']],
    [1, 2, ['at-2']],
    [0, undefined, []],
  ])('at most %s orders until hour %s are listed', (most, hour, ids) => {
    const { exchange } = placedHourly();
    const untilMs = hour === undefined ? undefined : MIDNIGHT + hour * HOUR;
    expect(known(exchange.openOrders('USDT', most, untilMs))).toEqual(ids);
    for (const id of known(exchange.openOrders('USDT'))) {
      valueOf(exchange.cancel({ clientOrderId: id ?? '' }));
    }
    expect(known(exchange.orderHistory('USDT', most, untilMs))).toEqual(ids);
  });
});
