import { describe, expect, it } from 'vitest';
import {
  accountMode,
  CLEARING_MS,
  LATCHING_WINDOW_MS,
  lift,
  NO_RESTRICTIONS,
  reconcile,
  restrict,
  restrictionOf,
  resume,
  symbolModes,
  type Restriction,
  type Restrictions,
} from './restrictions.js';

const ERRORS: Restriction = {
  control: 'R25',
  to: 'REDUCE_ONLY',
  class: 'self-clearing',
  cause: 'errors',
};
const HAND: Restriction = {
  control: 'R22',
  symbol: 'BTCUSDT',
  to: 'REDUCE_ONLY',
  class: 'latching',
  cause: 'it grew',
};

/** Restricts at `at` and clears by two clean reconciliations. */
function episode(restrictions: Restrictions, at: number): Restrictions {
  const restricted = restrict(restrictions, ERRORS, at);
  const once = reconcile(restricted, at + 1, at + 2);
  return reconcile(once, at + CLEARING_MS, at + CLEARING_MS);
}

describe('a self-clearing restriction', () => {
  it.each([
    { reads: 1, after: CLEARING_MS, active: true },
    { reads: 2, after: CLEARING_MS - 1, active: true },
    { reads: 2, after: CLEARING_MS, active: false },
    { reads: 3, after: CLEARING_MS + 1, active: false },
  ])('after $reads clean reconciliations and $after ms it is active: $active', (row) => {
    let state = restrict(NO_RESTRICTIONS, ERRORS, 1_000);
    for (let read = 0; read < row.reads; read += 1) {
      const isLast = read === row.reads - 1;
      state = reconcile(state, 1_001 + read, isLast ? 1_000 + row.after : 2_000);
    }
    expect(accountMode(state)).toBe(row.active ? 'REDUCE_ONLY' : 'TRADING');
  });

  it('a read that left before the last trigger, or with it, does not count', () => {
    const state = restrict(NO_RESTRICTIONS, ERRORS, 1_000);
    expect(reconcile(state, 999, 90_000)).toBe(state);
    expect(reconcile(state, 1_000, 90_000)).toBe(state);
  });

  it('a new trigger begins the 60 s and the reads again, and the first cause stays', () => {
    let state = restrict(NO_RESTRICTIONS, ERRORS, 1_000);
    state = reconcile(state, 1_001, 1_100);
    state = restrict(state, { ...ERRORS, cause: 'more errors' }, 40_000);
    state = reconcile(state, 40_001, 100_001);
    expect(restrictionOf(state, ERRORS)).toMatchObject({ cause: 'errors', cleanReads: 1 });
    state = reconcile(state, 100_000, 100_002);
    expect(state.active).toEqual([]);
  });

  it('the fourth start within an hour latches it', () => {
    let state = NO_RESTRICTIONS;
    for (const at of [0, 600_000, 1_200_000]) state = episode(state, at);
    expect(state.active, 'three times it cleared').toEqual([]);
    state = episode(state, LATCHING_WINDOW_MS - 1);
    expect(restrictionOf(state, ERRORS)).toMatchObject({
      class: 'latching',
      cause: 'errors; the 4th time within an hour',
    });
  });

  it('the fourth start after an hour clears, and so does the same control of another symbol', () => {
    let state = NO_RESTRICTIONS;
    for (const at of [0, 600_000, 1_200_000, LATCHING_WINDOW_MS]) state = episode(state, at);
    expect(state.active).toEqual([]);
    const other = restrict(state, { ...ERRORS, symbol: 'BTCUSDT' }, LATCHING_WINDOW_MS + 60_001);
    expect(other.active[0]?.class).toBe('self-clearing');
  });

  it('counts its starts again after a person resumed it, and not after its own end', () => {
    let state = NO_RESTRICTIONS;
    for (const at of [0, 600_000, 1_200_000]) state = episode(state, at);
    const lifted = lift(restrict(state, ERRORS, 1_300_000), ERRORS);
    expect(restrict(lifted, ERRORS, 1_400_000).active[0]?.class).toBe('latching');
    const resumed = resume(restrict(state, ERRORS, 1_300_000), ERRORS);
    expect(restrict(resumed, ERRORS, 1_400_000).active[0]?.class).toBe('self-clearing');
  });
});

describe('a latching restriction', () => {
  it('stays through clean reconciliations until it is lifted', () => {
    const state = restrict(NO_RESTRICTIONS, HAND, 0);
    expect(reconcile(reconcile(state, 1, 90_000), 2, 180_000)).toBe(state);
    expect(lift(state, HAND).active).toEqual([]);
    expect(lift(state, ERRORS), 'another control').toBe(state);
    expect(lift(state, { control: 'R22' }), 'the account').toBe(state);
  });

  it('a self-clearing one of the same control and scope latches with it, and never the reverse', () => {
    const state = restrict(NO_RESTRICTIONS, ERRORS, 0);
    const latched = restrict(state, { ...ERRORS, class: 'latching', to: 'HALTED' }, 1);
    expect(latched.active).toHaveLength(1);
    expect(latched.active[0]).toMatchObject({ class: 'latching', to: 'HALTED' });
    expect(restrict(latched, ERRORS, 2).active[0]).toMatchObject({
      class: 'latching',
      to: 'HALTED',
    });
  });
});

describe('modes of restrictions', () => {
  it('the strictest of a scope holds, and a symbol does not restrict the account', () => {
    let state = restrict(NO_RESTRICTIONS, HAND, 0);
    expect(accountMode(state)).toBe('TRADING');
    state = restrict(state, { ...HAND, control: 'R24', to: 'HALTED' }, 0);
    state = restrict(state, ERRORS, 0);
    expect(accountMode(state)).toBe('REDUCE_ONLY');
    expect([...symbolModes(state.active)]).toEqual([['BTCUSDT', 'HALTED']]);
    state = restrict(state, { ...ERRORS, control: 'R37', to: 'HALTED' }, 0);
    expect(accountMode(state)).toBe('HALTED');
  });
});
