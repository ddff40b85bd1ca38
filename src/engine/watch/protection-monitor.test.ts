import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/support/rigs/engine-rig.js';
import {
  no,
  NOT_FOUND,
  placement,
  reportOf,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { positionRow } from '../../../test/support/builders/position-row.js';
import { BTC, d } from '../../../test/support/builders/risk-case.js';
import type { PositionReport } from '../../core/account.js';
import type { Price } from '../../core/fixed/fixed.js';
import type { OrderReport } from '../../core/order.js';

const row = (stopId?: string, quantity = '1', price = d<'price'>('59000')): PositionReport =>
  positionRow(quantity, stopId === undefined ? {} : { stopLoss: { price, orderId: stopId } });
const stopOrder = (orderId: string, fields: Partial<OrderReport> = {}): OrderReport => ({
  orderId,
  symbol: 'BTCUSDT',
  currency: 'USDT',
  role: 'stop-loss',
  type: 'market',
  status: 'created',
  quantity: d('0'),
  filledQuantity: d('0'),
  price: d('59000'),
  ...fields,
});

/** Answers the bot's stop requests from a fake venue: long 1, with stop s1 of its own entry. */
class Guarded {
  readonly rig = EngineRig.trading();
  stops: readonly OrderReport[] = [stopOrder('s1')];
  shown: string | undefined = 's1';
  /** The row shows the stop's price without its order. */
  unnamed = false;
  /** Result of a stop that is set. */
  set: 'taken' | 'refused' | 'locked' | 'unlisted' | 'lost' = 'taken';
  /** Prices of the stops that were requested. */
  readonly setPrices: Price[] = [];
  /** Rules that a read of the instrument finds. */
  instrument = BTC;
  last = 60_000;
  isUnreadable = false;
  #sets = 0;

  constructor(quantity = '1', filled = quantity, type: 'market' | 'limit' = 'market') {
    const { rig } = this;
    const price = type === 'limit' ? { price: '60000' } : {};
    rig.submit({ quantity, stopLoss: '59000', ...price });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    const status = filled === quantity ? 'filled' : 'partially-filled';
    rig.answerOrderQuery(yes(reportOf(terms, { status, filled, average: '60000' })));
    this.pass(2_000);
  }

  get places() {
    return this.rig.sent.flatMap(({ request }) =>
      request.kind === 'place' ? [request.terms] : [],
    );
  }
  get sets(): number {
    return this.#sets;
  }
  get unprotectedNotes(): readonly string[] {
    return this.rig.notes.map(({ text }) => text).filter((text) => /stop/.test(text));
  }

  /** Passes time with a poll every 2 s. */
  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 100) {
      this.rig.pass(100);
      if ((this.rig.monotonic / 100) % 20 === 0) {
        this.rig.tick(this.last);
        this.#poll();
      }
      this.#answer();
    }
  }

  #poll(): void {
    const orders = this.stops.filter(({ status }) => status === 'created');
    if (!this.isUnreadable) {
      this.rig.poll([this.#row()], orders);
      return;
    }
    const unreadable = [{ symbol: 'BTCUSDT', fault: 'quantity is out of range' }];
    const { monotonic: startedAt } = this.rig;
    const currency = 'USDT' as const;
    this.rig.snapshot({ kind: 'positions', currency, startedAt, positions: [], unreadable });
  }

  #row(): PositionReport {
    const shown = this.stops.find(({ orderId }) => orderId === this.shown);
    const whole = row(this.shown, '1', shown?.price);
    return this.unnamed ? { ...whole, stopLoss: { price: d('59000') } } : whole;
  }

  #answer(): void {
    const { rig } = this;
    for (let more = true; more;) {
      more = false;
      for (const { request } of [...rig.sent]) {
        more = true;
        if (request.kind === 'read-positions') rig.answer('read-positions', yes([this.#row()]));
        else if (request.kind === 'find-order') {
          const { order: by } = request;
          const found = this.stops.find((stop) =>
            'orderId' in by ? stop.orderId === by.orderId : stop.clientOrderId === by.clientOrderId,
          );
          const own = rig.engine.ledger.all.find(
            (each) => 'orderId' in by && each.orderId === by.orderId,
          );
          if (found !== undefined) rig.answer('find-order', yes(found));
          else if (own !== undefined) rig.answer('find-order', yes(reportOf(own.terms)));
          else rig.answer('find-order', NOT_FOUND);
        } else if (request.kind === 'read-instrument') {
          rig.answer('read-instrument', yes(this.instrument));
        } else if (request.kind === 'set-leg') {
          this.#sets += 1;
          this.setPrices.push(request.price);
          if (this.set === 'refused') rig.answer('set-leg', no('protection-refused'));
          else if (this.set === 'locked') rig.answer('set-leg', no('locked'));
          else if (this.set === 'unlisted') rig.answer('set-leg', UNLISTED);
          else if (this.set === 'lost') {
            rig.answer('set-leg', { kind: 'unknown', cause: 'timeout', sent: true });
          } else {
            const { clientOrderId, price } = request;
            const stop = stopOrder(`s${this.#sets + 1}`, { clientOrderId, price });
            this.stops = [...this.stops, stop];
            this.shown = stop.orderId;
            rig.answer('set-leg', yes(null));
          }
        } else if (request.kind === 'move-leg') {
          this.stops = this.stops.map((stop) =>
            stop.orderId === request.orderId ? { ...stop, price: request.price } : stop,
          );
          rig.answer('move-leg', yes(null));
        } else more = false;
        if (more) break;
      }
    }
  }
}

const UNLISTED = {
  kind: 'unknown',
  cause: 'HTTP 400: use another endpoint (-4120)',
  sent: true,
  status: 400,
  isUnlistedRefusal: true,
} as const;

function withoutStop(set: Guarded['set']): Guarded {
  const world = new Guarded();
  world.set = set;
  world.shown = undefined;
  world.stops = [];
  return world;
}

describe('a position with its stop', () => {
  it('no poll of a guarded position sends a request', () => {
    const world = new Guarded();
    world.pass(30_000);
    expect(world.sets).toBe(0);
    expect(world.unprotectedNotes).toEqual([]);
    expect(world.places).toEqual([]);
  });
});

describe('a position whose stop has no order', () => {
  it('an unconfirmed stop is reported once; it is neither replaced nor the position closed', () => {
    const world = new Guarded();
    world.unnamed = true;
    world.pass(30_000);
    expect(world.sets).toBe(0);
    expect(world.places).toEqual([]);
    const text = 'BTCUSDT: its stop at 59000 is shown without an order: it may not stand';
    expect(world.unprotectedNotes).toEqual([text]);
    world.unnamed = false;
    world.pass(4_000);
    world.unnamed = true;
    world.pass(4_000);
    expect(world.unprotectedNotes).toEqual([text, text]);
  });
});

describe('a position without its stop', () => {
  it('a missing stop is set again within five seconds', () => {
    const world = new Guarded();
    world.shown = undefined;
    world.stops = [stopOrder('s1', { status: 'system-canceled' })];
    world.pass(5_000);
    expect(world.sets).toBe(1);
    expect(world.shown).toBe('s2');
    world.pass(10_000);
    expect(world.sets).toBe(1);
    expect(world.unprotectedNotes).toEqual([
      'BTCUSDT: its position of 1 has no stop: one is set',
      'BTCUSDT: its position has its stop again',
    ]);
    expect(world.places, 'it was not closed').toEqual([]);
    const notes = world.rig.records.filter(({ type }) => type === 'note');
    expect(notes.length).toBeGreaterThanOrEqual(2);
  });

  it('a moved stop is restored at its last price, not at its entry’s', () => {
    const world = new Guarded();
    const { protectiveOrders } = world.rig.engine.operations;
    protectiveOrders.protect('BTCUSDT', 'USDT', { stopLoss: d('59600') });
    world.pass(4_000);
    expect(world.stops.at(-1)).toMatchObject({ orderId: 's1', price: d('59600') });
    world.shown = undefined;
    world.stops = [stopOrder('s1', { status: 'system-canceled' })];
    world.pass(5_000);
    expect(world.stops.at(-1)).toMatchObject({ orderId: 's2', price: d('59600') });
  });

  it('a canceled stop is detected although the position row still shows it (D13)', () => {
    const world = new Guarded();
    world.stops = [stopOrder('s1', { status: 'canceled' })];
    world.pass(20_000);
    expect(world.sets).toBe(1);
    expect(world.shown).toBe('s2');
  });

  it('a stop that the bot set itself is set again when its order is canceled and the row lags', () => {
    const world = new Guarded();
    world.shown = undefined;
    world.stops = [];
    world.pass(10_000);
    expect(world.shown).toBe('s2');
    world.stops = [stopOrder('s2', { status: 'canceled' })];
    world.pass(20_000);
    expect(world.shown).toBe('s3');
    expect(world.places, 'it was not closed').toEqual([]);
  });

  it('one read without a stop changes nothing when the next one shows it', () => {
    const world = new Guarded();
    world.rig.pass(100);
    world.rig.poll([row()], world.stops);
    world.pass(10_000);
    expect(world.sets).toBe(0);
    expect(world.unprotectedNotes).toEqual([]);
  });

  it('an unreadable position is not taken for one without a stop', () => {
    const world = new Guarded();
    world.isUnreadable = true;
    world.pass(60_000);
    expect(world.sets).toBe(0);
    expect(world.places).toEqual([]);
  });

  it('the position is closed within 15 s when no stop can be proved', () => {
    const world = withoutStop('lost');
    world.pass(14_000);
    expect(world.places).toEqual([]);
    world.pass(1_500);
    expect(world.places).toMatchObject([{ reduceOnly: true, side: 'sell', quantity: d('1') }]);
    expect(world.unprotectedNotes.at(-1)).toContain(
      'its position is closed: no stop was proved within 15000 ms',
    );
    world.pass(10_000);
    expect(world.places, 'one close is under way').toHaveLength(1);
  });

  it.each(['refused', 'unlisted'] as const)(
    'a refused stop (%s) is built once more from fresh rules; refused again, the position closes',
    (set) => {
      const world = withoutStop(set);
      world.instrument = { ...BTC, priceStep: d('7') };
      world.pass(5_000);
      // 8,429 steps of 7 are the next price towards the market.
      expect(world.setPrices).toEqual([d('59000'), d('59003')]);
      expect(world.places).toMatchObject([{ reduceOnly: true, quantity: d('1') }]);
      expect(world.unprotectedNotes.at(-1)).toContain('the venue refused its stop twice');
      world.pass(20_000);
      expect(world.sets).toBe(2);
      expect(world.places).toHaveLength(1);
    },
  );

  it('a stop that the venue takes at the second request stays at the rebuilt price', () => {
    const world = withoutStop('refused');
    world.instrument = { ...BTC, priceStep: d('7') };
    while (world.sets === 0) world.pass(100);
    world.set = 'taken';
    world.pass(20_000);
    expect(world.stops.at(-1)).toMatchObject({ price: d('59003') });
    expect(world.sets).toBe(2);
    expect(world.places).toEqual([]);
  });

  it('a lock is retried; the stop is set as soon as the lock ends', () => {
    const world = withoutStop('locked');
    world.pass(8_000);
    expect(world.sets).toBeGreaterThan(2);
    expect(world.places).toEqual([]);
    world.set = 'taken';
    world.pass(6_000);
    expect(world.unprotectedNotes.at(-1)).toContain('has its stop again');
    expect(world.places).toEqual([]);
  });

  it('a lock that lasts longer than max_naked_ms closes the position', () => {
    const world = withoutStop('locked');
    world.pass(16_000);
    expect(world.places).toMatchObject([{ reduceOnly: true, quantity: d('1') }]);
    expect(new Set(world.setPrices)).toEqual(new Set([d('59000')]));
  });

  it('a stop whose price the market has passed is not set: the position closes', () => {
    const world = withoutStop('taken');
    world.last = 58_999;
    world.pass(5_000);
    expect(world.sets).toBe(0);
    expect(world.places).toMatchObject([{ reduceOnly: true, quantity: d('1') }]);
    expect(world.unprotectedNotes.at(-1)).toContain('the market has passed the price of its stop');
  });

  it('an exit that rests at a better price keeps no part of a position open that has lost its stop', () => {
    const world = new Guarded();
    const { rig } = world;
    rig.submit({ side: 'sell', exit: true, quantity: '0.6', price: '61000', ordinal: 1 });
    rig.answer('place', placement('v2'));
    world.stops = [];
    world.shown = undefined;
    world.set = 'refused';
    world.last = 58_999;
    world.pass(5_000);
    expect(world.places).toMatchObject([{ reduceOnly: true, quantity: d('1'), type: 'market' }]);
  });

  it('a position that is missing from one list is not touched', () => {
    const world = new Guarded();
    world.rig.poll([]);
    world.rig.pass(4_000);
    world.rig.poll([]);
    world.rig.pass(4_000);
    expect(world.sets).toBe(0);
    expect(world.places).toEqual([]);
  });

  it('a position without a required stop is not touched', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.answerOrderQuery(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    for (let poll = 0; poll < 6; poll += 1) {
      rig.pass(2_000);
      rig.poll([row()]);
    }
    expect(rig.sent).toEqual([]);
  });
});

describe('a partly filled entry', () => {
  it('a fired stop cancels the rest of its entry', () => {
    const world = new Guarded('3', '1', 'limit');
    const { rig } = world;
    expect(rig.pendingRequest('cancel')).toBeUndefined();
    rig.poll([]);
    rig.answer(
      'read-closes',
      yes([
        {
          rowId: 'r1',
          positionId: 'p1',
          symbol: 'BTCUSDT',
          currency: 'USDT',
          side: 'long',
          kind: 'closed',
          quantity: d('1'),
          entryPrice: d('60000'),
          closePrice: d('59000'),
          pnl: d('-1000'),
          openedAt: 0,
          closedAt: 1_000,
        },
      ]),
    );
    expect(rig.engine.positions.quantity('BTCUSDT', 'USDT')).toBe(0);
    expect(rig.pendingRequest('cancel')).toBeDefined();
  });
});
