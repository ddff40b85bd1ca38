import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MIDNIGHT, of } from '../../test/harness/exchange-rig.js';
import { codeOf, valueOf, WatchedExchange } from '../../test/harness/watched-exchange.js';
import type { ExchangeOrder } from './simulated-exchange.js';

const keeping = (endedOrders: number): WatchedExchange =>
  new WatchedExchange({ retention: { endedOrders } });

/** Rests far from the market under this id. */
const rest = (rig: WatchedExchange, clientOrderId: string): ExchangeOrder =>
  rig.run('buy', { price: '50' }, { clientOrderId });

function restAndCancel(rig: WatchedExchange, ...ids: readonly string[]): void {
  for (const clientOrderId of ids) {
    rest(rig, clientOrderId);
    valueOf(rig.exchange.cancel({ clientOrderId }));
  }
}

const known = (rows: readonly ExchangeOrder[]) => rows.map((order) => order.clientOrderId);

describe('an exchange that retains so many orders ended without a fill', () => {
  it('forgets those that ended earlier: no lookup and no list finds them', () => {
    const rig = keeping(2);
    const first = rest(rig, 'first');
    valueOf(rig.exchange.cancel({ clientOrderId: 'first' }));
    restAndCancel(rig, 'second', 'third');
    expect(rig.exchange.order({ clientOrderId: 'first' })).toBeUndefined();
    expect(rig.exchange.order({ orderId: first.orderId })).toBeUndefined();
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 'first' }))).toBe('order-not-found');
    expect(rig.exchange.knowsPosition(first.positionId ?? '')).toBe(false);
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['third', 'second']);
    expect(known(rig.exchange.allOrders())).toEqual(['second', 'third']);
    expect(codeOf(rig.exchange.cancel({ clientOrderId: 'second' }))).toBe('order-not-open');
  });

  it('never takes a forgotten client order id again', () => {
    const rig = keeping(1);
    restAndCancel(rig, 'a', 'b', 'c');
    const again = rig.ask('buy', { price: '50' }, { clientOrderId: 'a' });
    expect(codeOf(again)).toBe('client-order-id-exists');
  });

  it('counts from their end, not from their placing', () => {
    const rig = keeping(1);
    rest(rig, 'old');
    restAndCancel(rig, 'young');
    valueOf(rig.exchange.cancel({ clientOrderId: 'old' }));
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['old']);
  });

  it('keeps what is open and what has filled, also in part, with its fees and closes', () => {
    const rig = keeping(1);
    rest(rig, 'open');
    rig.run('buy', {}, { clientOrderId: 'filled' });
    rig.run('sell', {}, { clientOrderId: 'closed' });
    rest(rig, 'partly');
    valueOf(rig.exchange.fillPart({ clientOrderId: 'partly' }, of('0.5')));
    valueOf(rig.exchange.cancel({ clientOrderId: 'partly' }));
    restAndCancel(rig, 'a', 'b', 'c');
    expect(known(rig.exchange.allOrders())).toEqual(['open', 'filled', 'closed', 'partly', 'c']);
    expect(rig.exchange.fees('USDT')).toHaveLength(3);
    expect(rig.exchange.positionHistory('USDT')).toHaveLength(1);
  });

  it('counts the stops and targets of an entry that never filled', () => {
    const rig = keeping(3);
    rig.run('buy', { price: '50', stopLoss: '40', takeProfit: '60' }, { clientOrderId: 'guarded' });
    valueOf(rig.exchange.cancel({ clientOrderId: 'guarded' }));
    expect(rig.exchange.allOrders()).toHaveLength(3);
    restAndCancel(rig, 'a', 'b', 'c');
    expect(known(rig.exchange.allOrders())).toEqual(['a', 'b', 'c']);
  });

  it('forgets on and on', () => {
    const rig = keeping(2);
    rest(rig, 'open');
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);
    restAndCancel(rig, ...ids);
    expect(known(rig.exchange.allOrders())).toEqual(['open', 'id-298', 'id-299']);
    expect(known(rig.exchange.orderHistory('USDT'))).toEqual(['id-299', 'id-298']);
    const taken = ids.map((id) => codeOf(rig.ask('buy', { price: '50' }, { clientOrderId: id })));
    expect(new Set(taken)).toEqual(new Set(['client-order-id-exists']));
  });

  it('keeps all of them when none is stated', () => {
    const rig = new WatchedExchange();
    const ids = Array.from({ length: 300 }, (_, index) => `id-${index}`);
    restAndCancel(rig, ...ids);
    expect(known(rig.exchange.allOrders())).toEqual(ids);
  });

  it.each([0, -1, 1.5])('cannot keep %d', (endedOrders) => {
    expect(() => keeping(endedOrders)).toThrow('A retention keeps at least one order');
  });

  it('tells the last of what one without it tells, whatever is placed, filled and cancelled', () => {
    const step = fc.record({ does: fc.constantFrom('rest', 'fill', 'cancel'), nth: fc.nat(20) });
    const lives = fc.array(step, { maxLength: 250 });
    fc.assert(
      fc.property(lives, fc.integer({ min: 1, max: 5 }), (life, endedOrders) => {
        const [some, every] = [keeping(endedOrders), new WatchedExchange()];
        for (const rig of [some, every]) live(rig, life);
        const ended = every.exchange
          .allOrders()
          .filter((order) => order.status === 'canceled')
          .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
        const gone = new Set(ended.slice(0, -endedOrders).map((order) => order.clientOrderId));
        const left = known(every.exchange.allOrders()).filter((id) => !gone.has(id));
        expect(known(some.exchange.allOrders())).toEqual(left);
        expect(known(some.exchange.orderHistory('USDT'))).toEqual(
          known(every.exchange.orderHistory('USDT')).filter((id) => !gone.has(id)),
        );
        expect(some.exchange.openOrders('USDT')).toHaveLength(
          every.exchange.openOrders('USDT').length,
        );
        for (const id of known(every.exchange.allOrders())) {
          const found = some.exchange.order({ clientOrderId: id ?? '' });
          expect(found === undefined).toBe(gone.has(id));
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
function live(rig: WatchedExchange, life: readonly Step[]): void {
  life.forEach(({ does, nth }, index) => {
    rig.exchange.setTime(MIDNIGHT + HOUR + index);
    const id = { clientOrderId: `id-${index}` };
    if (does === 'rest') rig.ask('buy', { price: '50', quantity: '0.1' }, id);
    if (does === 'fill') rig.ask(nth % 2 === 0 ? 'buy' : 'sell', { quantity: '0.1' }, id);
    rig.exchange.settle();
    const open = rig.exchange.openOrders('USDT');
    const one = open[nth % Math.max(1, open.length)];
    if (does === 'cancel' && one !== undefined) rig.exchange.cancel({ orderId: one.orderId });
  });
}

describe('a list of orders', () => {
  function placedHourly(): WatchedExchange {
    const rig = new WatchedExchange();
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
  ])('of %s at most, until hour %s', (most, hour, ids) => {
    const { exchange } = placedHourly();
    const untilMs = hour === undefined ? undefined : MIDNIGHT + hour * HOUR;
    expect(known(exchange.openOrders('USDT', most, untilMs))).toEqual(ids);
    for (const id of known(exchange.openOrders('USDT'))) {
      valueOf(exchange.cancel({ clientOrderId: id ?? '' }));
    }
    expect(known(exchange.orderHistory('USDT', most, untilMs))).toEqual(ids);
  });
});
