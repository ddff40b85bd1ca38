import { describe, expect, it } from 'vitest';
import { EngineRig } from '../../../test/harness/engine-rig.js';
import { no, NOT_FOUND, placement, reportOf, yes } from '../../../test/harness/protocol-rig.js';
import { positionRow } from '../../../test/harness/position-row.js';
import { d } from '../../../test/harness/risk-case.js';
import type { PositionReport } from '../../core/account.js';
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

/** Answers what the bot asks of stops by what the venue has; long 1 with stop s1 of its own entry. */
class Guarded {
  readonly rig = EngineRig.trading();
  stops: readonly OrderReport[] = [stopOrder('s1')];
  shown: string | undefined = 's1';
  /** The row shows the stop's price and not its order. */
  unnamed = false;
  /** What becomes of a stop that is set. */
  set: 'taken' | 'refused' | 'lost' = 'taken';
  #sets = 0;

  constructor(quantity = '1', filled = quantity, type: 'market' | 'limit' = 'market') {
    const { rig } = this;
    const price = type === 'limit' ? { price: '60000' } : {};
    rig.submit({ quantity, stopLoss: '59000', ...price });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    const status = filled === quantity ? 'filled' : 'partially-filled';
    rig.look(yes(reportOf(terms, { status, filled, average: '60000' })));
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
  get naked(): readonly string[] {
    return this.rig.notes.map(({ text }) => text).filter((text) => /stop/.test(text));
  }

  /** Time with a poll every 2 s. */
  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 100) {
      this.rig.pass(100);
      if ((this.rig.monotonic / 100) % 20 === 0) {
        this.rig.tick(60_000);
        this.rig.poll(
          [this.#row()],
          this.stops.filter(({ status }) => status === 'created'),
        );
      }
      this.#answer();
    }
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
        } else if (request.kind === 'set-leg') {
          this.#sets += 1;
          if (this.set === 'refused') rig.answer('set-leg', no('protection-refused'));
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

describe('a position whose stop is there', () => {
  it('is left alone, however often it is looked at', () => {
    const world = new Guarded();
    world.pass(30_000);
    expect(world.sets).toBe(0);
    expect(world.naked).toEqual([]);
    expect(world.places).toEqual([]);
  });
});

describe('a position whose stop is shown without its order', () => {
  it('is neither given another nor closed, and is told of once', () => {
    const world = new Guarded();
    world.unnamed = true;
    world.pass(30_000);
    expect(world.sets).toBe(0);
    expect(world.places).toEqual([]);
    const said = 'BTCUSDT: its stop at 59000 is shown without an order: it may not stand';
    expect(world.naked).toEqual([said]);
    world.unnamed = false;
    world.pass(4_000);
    world.unnamed = true;
    world.pass(4_000);
    expect(world.naked).toEqual([said, said]);
  });
});

describe('a position whose stop is gone', () => {
  it('has one again within five seconds', () => {
    const world = new Guarded();
    world.shown = undefined;
    world.stops = [stopOrder('s1', { status: 'system-canceled' })];
    world.pass(5_000);
    expect(world.sets).toBe(1);
    expect(world.shown).toBe('s2');
    world.pass(10_000);
    expect(world.sets).toBe(1);
    expect(world.naked).toEqual([
      'BTCUSDT: its position of 1 has no stop: one is set',
      'BTCUSDT: its position has its stop again',
    ]);
    expect(world.places, 'it was not closed').toEqual([]);
    const notes = world.rig.records.filter(({ type }) => type === 'note');
    expect(notes.length).toBeGreaterThanOrEqual(2);
  });

  it('has the one again that it was moved to, not that of its entry', () => {
    const world = new Guarded();
    const { protecting } = world.rig.engine.operations;
    protecting.protect('BTCUSDT', 'USDT', { stopLoss: d('59600') });
    world.pass(4_000);
    expect(world.stops.at(-1)).toMatchObject({ orderId: 's1', price: d('59600') });
    world.shown = undefined;
    world.stops = [stopOrder('s1', { status: 'system-canceled' })];
    world.pass(5_000);
    expect(world.stops.at(-1)).toMatchObject({ orderId: 's2', price: d('59600') });
  });

  it('is found though its row goes on showing the one that was canceled (D13)', () => {
    const world = new Guarded();
    world.stops = [stopOrder('s1', { status: 'canceled' })];
    world.pass(20_000);
    expect(world.sets).toBe(1);
    expect(world.shown).toBe('s2');
  });

  it('is closed within about five seconds when no stop can be proved', () => {
    const world = new Guarded();
    world.set = 'lost';
    world.shown = undefined;
    world.stops = [];
    world.pass(5_500);
    expect(world.places).toMatchObject([{ reduceOnly: true, side: 'sell', quantity: d('1') }]);
    expect(world.naked.at(-1)).toContain('it is closed');
    world.pass(10_000);
    expect(world.places, 'one close is under way').toHaveLength(1);
  });

  it('is closed without waiting when the venue refuses one', () => {
    const world = new Guarded();
    world.set = 'refused';
    world.shown = undefined;
    world.stops = [];
    world.pass(5_000);
    expect(world.places).toMatchObject([{ reduceOnly: true, quantity: d('1') }]);
  });

  it('that blips out of the list is not touched', () => {
    const world = new Guarded();
    world.rig.poll([]);
    world.rig.pass(4_000);
    world.rig.poll([]);
    world.rig.pass(4_000);
    expect(world.sets).toBe(0);
    expect(world.places).toEqual([]);
  });

  it('and that nobody wanted guarded is not touched', () => {
    const rig = EngineRig.trading();
    rig.submit({ quantity: '1' });
    rig.answer('place', placement());
    const { terms } = rig.engine.ledger.byKey(0);
    rig.look(yes(reportOf(terms, { status: 'filled', filled: '1', average: '60000' })));
    for (let poll = 0; poll < 6; poll += 1) {
      rig.pass(2_000);
      rig.poll([row()]);
    }
    expect(rig.sent).toEqual([]);
  });
});

describe('an entry that is filled in part', () => {
  it('is canceled when its stop fires: the rest would fill without one', () => {
    const world = new Guarded('3', '1', 'limit');
    const { rig } = world;
    expect(rig.waiting('cancel')).toBeUndefined();
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
    expect(rig.waiting('cancel')).toBeDefined();
  });
});
