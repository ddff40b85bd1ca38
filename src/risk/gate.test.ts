import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentOf, BTC, d, factsOf, VENUE_TIME } from '../../test/support/builders/risk-case.js';
import type { OrderIntent } from '../core/intent.js';
import { fixed, multiply, type Quantity } from '../core/fixed/fixed.js';
import { CONTROLS } from './controls/table.js';
import { createGate, type Gate } from './gate.js';
import { DEFAULT_LIMITS } from './limits/risk-limits.js';
import type { PresetName } from './preset.js';
import type { Approved, Verdict } from './verdict.js';
import { scaledOf } from '../../test/support/builders/scaled.js';

const gateOf = (preset: PresetName = 'standard'): Gate =>
  createGate({ preset, limits: DEFAULT_LIMITS });

/** The control's id, or "approved". */
const by = (verdict: Verdict): string => (verdict.ok ? 'approved' : verdict.control);

describe('the gate', () => {
  it('an intent within every limit is approved with the list of checks', () => {
    const intent = intentOf();
    const verdict = gateOf().judge(intent, factsOf());
    expect(verdict).toMatchObject({ ok: true, wouldRefuse: undefined });
    if (!verdict.ok) return;
    expect(verdict.approved).toBe(intent);
    expect(verdict.checks).toEqual(CONTROLS.map(({ id }) => id));
    expect(verdict.explain()).toBe('approved by 32 controls');
    expect(verdict.values()).toMatchObject({
      fact_mode: 'TRADING',
      fact_last: '60000',
      fact_equity_usdt: '10000',
      fact_longest: '0.001',
      fact_orders: '1',
    });
  });

  it('a refusal has control, key, clock, text and its values', () => {
    const verdict = gateOf().judge(intentOf(), factsOf({ lastAge: 4_000, mark: null }));
    expect(verdict).toMatchObject({
      ok: false,
      control: 'R05',
      key: 'max_ref_price_age_ms',
      clock: 'monotonic',
      stopStrategy: false,
    });
    if (verdict.ok) return;
    expect(verdict.explain()).toBe(
      'price of BTCUSDT is 4000 ms old, limit 3000 ms (max_ref_price_age_ms)',
    );
    expect(verdict.values()).toMatchObject({
      age_ms: '4000',
      limit_ms: '3000',
      fact_last: '60000',
    });
    expect(verdict.values()).not.toHaveProperty('fact_mark');
  });

  it('the values of a verdict have every known fact and no unknown one', () => {
    const all = factsOf({
      last: '60000.5',
      lastAge: 1,
      mark: '60001',
      markAge: 2,
      ordersAge: 3,
      positionsAge: 4,
      walletAge: 5,
      position: '0.001',
      shortest: '-0.004',
      orders: 1,
      accountOrders: 7,
    });
    const facts = (values: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith('fact_')));
    expect(facts(gateOf().judge(intentOf(), all).values())).toEqual({
      fact_mode: 'TRADING',
      fact_last: '60000.5',
      fact_last_age_ms: '1',
      fact_mark: '60001',
      fact_mark_age_ms: '2',
      fact_orders_age_ms: '3',
      fact_positions_age_ms: '4',
      fact_wallet_age_ms: '5',
      fact_equity_usdt: '10000',
      fact_position: '0.001',
      fact_longest: '0.002',
      fact_shortest: '-0.004',
      fact_orders: '2',
      fact_account_orders: '8',
      fact_leverage: '2',
    });
    const none = factsOf({
      last: null,
      lastAge: null,
      markAge: null,
      ordersAge: null,
      positionsAge: null,
      walletAge: null,
      equity: null,
      leverage: null,
    });
    expect(Object.keys(facts(gateOf().judge(intentOf(), none).values()))).toEqual([
      'fact_mode',
      'fact_position',
      'fact_longest',
      'fact_shortest',
      'fact_orders',
      'fact_account_orders',
    ]);
  });

  it('INR equity is not known while the hedge rate is invalid', () => {
    for (const hedgeRate of [null, '0', '-85']) {
      const facts = factsOf({ hedgeRate, equity: '850000' });
      const verdict = gateOf().judge(intentOf({ currency: 'INR' }), facts);
      expect(verdict.values()).not.toHaveProperty('fact_equity_usdt');
    }
    const verdict = gateOf().judge(intentOf({ currency: 'INR' }), factsOf({ equity: '850000' }));
    expect(verdict.values()).toMatchObject({ fact_equity_usdt: '10000' });
  });

  it('the gate never changes an order', () => {
    const intent = Object.freeze({ ...intentOf(), terms: Object.freeze(intentOf().terms) });
    const verdict = gateOf().judge(intent, factsOf());
    expect(verdict.ok && verdict.approved).toBe(intent);
  });

  it('only the gate can approve an intent', () => {
    const execute = (order: Approved<OrderIntent>): string => order.strategyId;
    const verdict = gateOf().judge(intentOf(), factsOf());
    expect(verdict.ok && execute(verdict.approved)).toBe('cross');
    // @ts-expect-error an unchecked intent is not approved
    expect(execute(intentOf())).toBe('cross');
  });

  it.each([
    {
      name: 'the kill switch',
      facts: { killLevel: 'pause' as const, mode: 'HALTED' as const },
      control: 'R30',
    },
    { name: 'the mode', facts: { mode: 'HALTED' as const, last: null }, control: 'mode' },
    { name: 'the price', facts: { last: null, walletAge: null }, control: 'R05' },
    { name: 'the state', facts: { walletAge: null, instrument: null }, control: 'R06' },
    { name: 'the instrument', facts: { instrument: null, leverage: null }, control: 'R07' },
    { name: 'leverage', facts: { leverage: null, equity: null }, control: 'R15' },
    { name: 'equity', facts: { equity: null, orders: 9 }, control: 'R01' },
    { name: 'open orders', facts: { orders: 13 }, control: 'R10' },
  ])('$name is refused before any later control', ({ facts, control }) => {
    expect(by(gateOf().judge(intentOf(), factsOf(facts)))).toBe(control);
  });

  it('the gate remembers approved intents only', () => {
    const gate = gateOf();
    expect(by(gate.judge(intentOf(), factsOf({ walletAge: null })))).toBe('R06');
    expect(by(gate.judge(intentOf(), factsOf()))).toBe('approved');
    expect(by(gate.judge(intentOf(), factsOf()))).toBe('R08');
  });

  it('the gate remembers intents of a previous run', () => {
    const gate = gateOf();
    gate.remember(intentOf());
    expect(by(gate.judge(intentOf(), factsOf()))).toBe('R08');
    const other = intentOf({ openTime: VENUE_TIME - 120_000 });
    expect(by(gate.judge(other, factsOf({ venueTime: VENUE_TIME + 5_001 })))).toBe('approved');
  });

  it('both legs of a reversal are approved', () => {
    const gate = gateOf();
    const reduce = intentOf({ side: 'sell', exit: true, quantity: '0.005' });
    const open = intentOf({ side: 'sell', quantity: '0.005', leg: 1 });
    const facts = { position: '0.005', longest: '0.005', shortest: '0.005' };
    expect(by(gate.judge(reduce, factsOf(facts)))).toBe('approved');
    expect(by(gate.judge(open, factsOf({ ...facts, reducing: '0.005', orders: 1 })))).toBe(
      'approved',
    );
  });

  it('the third duplicate within a minute of venue time stops the strategy', () => {
    const gate = gateOf();
    gate.judge(intentOf(), factsOf());
    const stops = [1_000, 2_000, 3_000].map((later) => {
      const verdict = gate.judge(intentOf(), factsOf({ venueTime: VENUE_TIME + later }));
      return !verdict.ok && verdict.stopStrategy;
    });
    expect(stops).toEqual([false, false, true]);
  });

  it('the check at send time uses an exposure that includes the intent', () => {
    const gate = gateOf();
    const intent = intentOf({ quantity: '0.008' });
    expect(by(gate.judge(intent, factsOf({ position: '0.008' })))).toBe('approved');
    const sending = { position: '0.008', longest: '0.016', orders: 1 };
    expect(by(gate.recheck(intent, factsOf(sending)))).toBe('approved');
    expect(by(gate.recheck(intent, factsOf({ ...sending, longest: '0.017' })))).toBe('R12');
    expect(by(gate.recheck(intent, factsOf({ ...sending, lastAge: 3_001 })))).toBe('R05');
    expect(by(gate.recheck(intent, factsOf({ ...sending, mode: 'REDUCE_ONLY' })))).toBe('mode');
    expect(gate.tally.approved).toBe(1);
  });

  it('refusals are counted by control', () => {
    const gate = gateOf();
    gate.judge(intentOf(), factsOf({ lastAge: 9_000 }));
    gate.judge(intentOf(), factsOf({ lastAge: 9_000 }));
    gate.judge(intentOf(), factsOf());
    expect(gate.tally.approved).toBe(1);
    expect([...gate.tally.refused]).toEqual([['R05', 2]]);
    expect([...gate.tally.wouldRefuse]).toEqual([]);
  });

  it('no entry beyond its limits is approved, for any exposure and side', () => {
    const steps = (most: number) => fc.integer({ min: -most, max: most });
    fc.assert(
      fc.property(
        fc.record({
          position: steps(20),
          bought: fc.nat(10),
          sold: fc.nat(10),
          reduced: fc.nat(30),
        }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('buy' as const, 'sell' as const),
        fc.integer({ min: 20_000, max: 200_000 }),
        (book, quantity, side, price) => {
          const step = BTC.quantityStep;
          const text = (value: number): string => (value / 1_000).toString();
          const facts = factsOf({
            last: price.toString(),
            position: text(book.position),
            longest: text(Math.max(0, book.position) + book.bought),
            shortest: text(Math.min(0, book.position) - book.sold),
          });
          const verdict = gateOf().judge(intentOf({ side, quantity: text(quantity) }), facts);
          if (!verdict.ok) return;
          // The worst: a part of the position is closed first, then the entries of this side fill.
          for (const reduced of [0, Math.min(book.reduced, Math.abs(book.position))]) {
            const start = book.position - Math.sign(book.position) * reduced;
            const end =
              side === 'buy' ? start + book.bought + quantity : start - book.sold - quantity;
            const adds = side === 'buy' ? end > 0 : end < 0;
            const notional = multiply(
              fixed<'quantity'>(Math.abs(end) * scaledOf(step)),
              d(price.toString()),
            );
            if (adds) expect(notional).toBeLessThanOrEqual(DEFAULT_LIMITS.maxPositionNotional);
          }
          const order: Quantity = fixed(quantity * scaledOf(step));
          expect(multiply(order, d(price.toString()))).toBeLessThanOrEqual(
            DEFAULT_LIMITS.maxOrderNotional,
          );
        },
      ),
    );
  });
});

describe('presets', () => {
  it('research approves and counts a refusal of standard', () => {
    const gate = gateOf('research');
    const verdict = gate.judge(intentOf({ quantity: '1' }), factsOf({ orders: 9 }));
    expect(verdict).toMatchObject({ ok: true, checks: [], wouldRefuse: { control: 'R01' } });
    expect(verdict.explain()).toBe(
      'approved; R01 is not enforced: order notional 60000 is above 500 USDT (max_order_notional_usdt)',
    );
    expect([...gate.tally.wouldRefuse]).toEqual([['R01', 1]]);
    expect(gate.tally.refused.size).toBe(0);
    expect(gate.tally.approved).toBe(1);
    expect(verdict.values()).toMatchObject({ fact_orders: '10' });
    const sent = gate.recheck(intentOf({ quantity: '1' }), factsOf({ orders: 10, position: '1' }));
    expect(sent).toMatchObject({ ok: true, wouldRefuse: { control: 'R01' } });
    expect([...gate.tally.wouldRefuse], 'counted once an order').toEqual([['R01', 1]]);
  });

  it('research refuses by an enforced control even after a recorded breach', () => {
    const gate = gateOf('research');
    const facts = factsOf({ lastAge: 9_000, instrument: null });
    expect(by(gate.judge(intentOf(), facts))).toBe('R07');
    expect(gate.tally.wouldRefuse.size).toBe(0);
  });

  it('research stops no strategy for duplicates', () => {
    const gate = gateOf('research');
    for (let times = 0; times < 5; times += 1) {
      expect(by(gate.judge(intentOf(), factsOf()))).toBe('approved');
    }
    expect([...gate.tally.wouldRefuse]).toEqual([['R08', 4]]);
  });

  it.each([
    { name: 'the instrument rules', facts: { lastAge: 9_000 }, quantity: '0.0015', control: 'R07' },
    { name: 'the kill switch', facts: { killLevel: 'cancel' as const }, control: 'R30' },
    { name: 'the mode', facts: { mode: 'RECONCILING' as const }, control: 'mode' },
  ])('research still enforces $name', ({ facts, quantity, control }) => {
    const gate = gateOf('research');
    expect(by(gate.judge(intentOf({ quantity: quantity ?? '0.001' }), factsOf(facts)))).toBe(
      control,
    );
    expect([...gate.tally.refused]).toEqual([[control, 1]]);
    expect(gate.tally.wouldRefuse.size).toBe(0);
  });

  it('none evaluates no control', () => {
    const untold = new Proxy(factsOf(), {
      get: (_target, name) => {
        throw new Error(`asked for ${String(name)}`);
      },
    });
    const gate = gateOf('none');
    expect(gate.judge(intentOf({ quantity: '9999' }), untold)).toMatchObject({
      ok: true,
      checks: [],
    });
    expect(gate.recheck(intentOf(), untold).ok).toBe(true);
    const again = gate.judge(intentOf(), untold);
    expect(again.explain()).toBe('approved without a check (preset none)');
    expect(again.values()).toEqual({});
    expect(gate.tally.approved).toBe(2);
  });
});

describe('the table of controls', () => {
  it('each control is in the table once, with a key and a clock', () => {
    expect(new Set(CONTROLS.map(({ id }) => id)).size).toBe(CONTROLS.length);
    expect(new Map(CONTROLS.map(({ id, clock }) => [id, clock]))).toEqual(
      new Map([
        ['R30', 'none'],
        ['mode', 'none'],
        ['R22', 'none'],
        ['R28', 'none'],
        ['R05', 'monotonic'],
        ['R06', 'monotonic'],
        ['R07', 'none'],
        ['R15', 'none'],
        ['R23', 'none'],
        ['R08', 'venue'],
        ['R01', 'none'],
        ['R02', 'none'],
        ['R03', 'none'],
        ['R12', 'none'],
        ['R10', 'none'],
        ['R04', 'none'],
        ['R09', 'venue'],
        ['R13', 'none'],
        ['R14', 'none'],
        ['R34', 'none'],
        ['R16', 'none'],
        ['R20', 'none'],
        ['R27', 'none'],
        ['R38', 'venue'],
        ['R41', 'venue'],
        ['R42', 'venue'],
        ['R43', 'venue'],
        ['R17', 'none'],
        ['R19', 'venue'],
        ['R21', 'none'],
        ['R26', 'venue'],
        ['R40', 'venue'],
      ]),
    );
  });

  it('a breach refuses one order, except for the kill switch, unexplained exposure, markets and losses', () => {
    const others = CONTROLS.filter((control) => control.class !== 'reject');
    expect(Object.fromEntries(others.map((control) => [control.id, control.class]))).toEqual({
      R30: 'latching',
      R22: 'latching',
      R38: 'self-clearing',
      R41: 'self-clearing',
      R43: 'self-clearing',
      R19: 'latching',
      R21: 'latching',
      R26: 'self-clearing',
      R40: 'self-clearing',
    });
  });
});
