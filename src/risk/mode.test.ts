import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  INITIAL_MODE,
  killPermits,
  modeOf,
  nextMode,
  permits,
  restrictionOfKill,
  stricter,
  type Mode,
  type ModeEvent,
  type ModeState,
} from './mode.js';

const after = (...events: readonly ModeEvent[]): ModeState => events.reduce(nextMode, INITIAL_MODE);
const started: ModeEvent = { kind: 'started' };
const reconciled: ModeEvent = { kind: 'reconciled' };
const doubted: ModeEvent = { kind: 'doubted', cause: 'feed lost' };
const reArmed: ModeEvent = { kind: 're-armed', cause: 'operator' };
const restricted = (to: 'REDUCE_ONLY' | 'CANCEL_ONLY' | 'HALTED', soft = false): ModeEvent => ({
  kind: 'restricted',
  to,
  soft,
  cause: 'test',
});

interface Row {
  readonly name: string;
  readonly events: readonly ModeEvent[];
  readonly mode: Mode;
}

describe('modes', () => {
  const rows: readonly Row[] = [
    { name: 'begin in STARTING', events: [], mode: 'STARTING' },
    { name: 'reconcile after the start', events: [started], mode: 'RECONCILING' },
    { name: 'trade after a clean reconciliation', events: [started, reconciled], mode: 'TRADING' },
    { name: 'do not trade before the start', events: [reconciled], mode: 'STARTING' },
    {
      name: 'reconcile again when the state is unverified',
      events: [started, reconciled, doubted],
      mode: 'RECONCILING',
    },
    {
      name: 'are restricted',
      events: [started, reconciled, restricted('REDUCE_ONLY')],
      mode: 'REDUCE_ONLY',
    },
    {
      name: 'move to the stricter restriction',
      events: [started, reconciled, restricted('REDUCE_ONLY'), restricted('CANCEL_ONLY')],
      mode: 'CANCEL_ONLY',
    },
    {
      name: 'do not return to the weaker restriction',
      events: [started, reconciled, restricted('HALTED'), restricted('REDUCE_ONLY')],
      mode: 'HALTED',
    },
    {
      name: 'lift a soft restriction with a clean reconciliation',
      events: [started, reconciled, restricted('CANCEL_ONLY', true), reconciled],
      mode: 'TRADING',
    },
    {
      name: 'keep a hard restriction through a reconciliation',
      events: [started, reconciled, restricted('CANCEL_ONLY'), doubted, reconciled],
      mode: 'CANCEL_ONLY',
    },
    {
      name: 'keep a restriction that became hard',
      events: [
        started,
        reconciled,
        restricted('CANCEL_ONLY', true),
        restricted('CANCEL_ONLY'),
        reconciled,
      ],
      mode: 'CANCEL_ONLY',
    },
    {
      name: 'keep a hard restriction under a softer, stricter one',
      events: [
        started,
        reconciled,
        restricted('REDUCE_ONLY'),
        restricted('CANCEL_ONLY', true),
        reconciled,
      ],
      mode: 'CANCEL_ONLY',
    },
    {
      name: 'keep a restriction from before the start',
      events: [restricted('REDUCE_ONLY'), started, reconciled],
      mode: 'REDUCE_ONLY',
    },
    { name: 'are halted at once', events: [restricted('HALTED')], mode: 'HALTED' },
    {
      name: 're-arm through a reconciliation',
      events: [started, reconciled, restricted('HALTED'), reArmed],
      mode: 'RECONCILING',
    },
    {
      name: 'trade after re-arming and a clean reconciliation',
      events: [started, reconciled, restricted('HALTED'), reArmed, reconciled],
      mode: 'TRADING',
    },
    {
      name: 'have nothing to re-arm while trading',
      events: [started, reconciled, reArmed],
      mode: 'TRADING',
    },
  ];
  it.each(rows)('modes $name', ({ events, mode }) => {
    expect(modeOf(after(...events))).toBe(mode);
  });

  it('automatic events never relax a mode beyond a clean reconciliation of a soft restriction', () => {
    const event = fc.constantFrom<ModeEvent>(
      started,
      doubted,
      reconciled,
      ...(['REDUCE_ONLY', 'CANCEL_ONLY', 'HALTED'] as const).flatMap((to) => [
        restricted(to, true),
        restricted(to, false),
      ]),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        let state = INITIAL_MODE;
        for (const next of events) {
          const before = state;
          state = nextMode(state, next);
          const freer = [true, false].some(
            (exit) => permits(modeOf(state), exit) && !permits(modeOf(before), exit),
          );
          if (freer) expect(next.kind).toBe('reconciled');
          if (!before.soft && before.restriction !== 'TRADING') {
            expect(stricter(before.restriction, state.restriction)).toBe(state.restriction);
          }
        }
      }),
    );
  });

  it('the state is the same object while nothing changes', () => {
    const ready = after(started, reconciled);
    expect(nextMode(ready, reconciled)).toBe(ready);
    expect(nextMode(ready, started)).toBe(ready);
    expect(nextMode(ready, reArmed)).toBe(ready);
    expect(nextMode(INITIAL_MODE, doubted)).toBe(INITIAL_MODE);
    expect(nextMode(INITIAL_MODE, reconciled)).toBe(INITIAL_MODE);
    const doubting = after(started, reconciled, doubted);
    expect(nextMode(doubting, doubted)).toBe(doubting);
    const reduced = after(started, reconciled, restricted('REDUCE_ONLY'));
    expect(nextMode(reduced, restricted('REDUCE_ONLY'))).toBe(reduced);
    expect(nextMode(reduced, restricted('REDUCE_ONLY', true))).toBe(reduced);
    expect(nextMode(reduced, reconciled)).toBe(reduced);
    const soft = after(started, reconciled, restricted('REDUCE_ONLY', true));
    expect(nextMode(soft, restricted('REDUCE_ONLY', true))).toBe(soft);
  });

  it('a restriction has its reason', () => {
    expect(INITIAL_MODE).toEqual({
      phase: 'starting',
      restriction: 'TRADING',
      soft: true,
      cause: 'start',
    });
    const soft = after(started, reconciled, restricted('REDUCE_ONLY', true));
    expect(soft).toEqual({ phase: 'ready', restriction: 'REDUCE_ONLY', soft: true, cause: 'test' });
    expect(nextMode(soft, reconciled)).toEqual({
      phase: 'ready',
      restriction: 'TRADING',
      soft: true,
      cause: 'clean reconciliation',
    });
    expect(nextMode(after(started, reconciled, restricted('HALTED')), reArmed)).toEqual({
      phase: 'reconciling',
      restriction: 'TRADING',
      soft: true,
      cause: 'operator',
    });
    expect(nextMode(after(restricted('HALTED')), reArmed).phase).toBe('starting');
  });

  it('a halt lasts during a reconciliation', () => {
    expect(modeOf(after(started, restricted('HALTED')))).toBe('HALTED');
    expect(modeOf(after(started, restricted('CANCEL_ONLY')))).toBe('RECONCILING');
  });

  it('the stricter of two modes applies', () => {
    expect(stricter('TRADING', 'REDUCE_ONLY')).toBe('REDUCE_ONLY');
    expect(stricter('HALTED', 'RECONCILING')).toBe('HALTED');
    expect(stricter('RECONCILING', 'STARTING')).toBe('RECONCILING');
    const order = ['TRADING', 'REDUCE_ONLY', 'CANCEL_ONLY', 'RECONCILING', 'HALTED'] as const;
    for (const [place, safer] of order.entries()) {
      for (const freer of order.slice(0, place)) expect(stricter(freer, safer)).toBe(safer);
    }
  });

  it.each([
    ['TRADING', 'everything'],
    ['REDUCE_ONLY', 'exits'],
    ['CANCEL_ONLY', 'nothing'],
    ['STARTING', 'nothing'],
    ['RECONCILING', 'nothing'],
    ['HALTED', 'nothing'],
  ] as const)('mode %s allows %s', (mode, out) => {
    expect(permits(mode, false)).toBe(out === 'everything');
    expect(permits(mode, true)).toBe(out !== 'nothing');
  });
});

describe('the kill switch', () => {
  it.each([
    [undefined, true, true],
    ['pause', false, true],
    ['flatten', false, true],
    ['cancel', false, false],
  ] as const)('level %s allows entries: %s, exits: %s', (level, entries, exits) => {
    expect([killPermits(level, false), killPermits(level, true)]).toEqual([entries, exits]);
  });

  it('each level requires the mode that allows the same orders', () => {
    for (const level of ['pause', 'cancel', 'flatten'] as const) {
      for (const exit of [true, false]) {
        expect(permits(restrictionOfKill(level), exit)).toBe(killPermits(level, exit));
      }
    }
  });
});

describe('a state of the mode', () => {
  it.each([
    { what: 'after the start', events: [started], phase: 'reconciling' },
    { what: 'when unverified', events: [started, reconciled, doubted], phase: 'reconciling' },
    { what: 'ready', events: [started, reconciled], phase: 'ready' },
    {
      what: 're-armed',
      events: [started, reconciled, restricted('HALTED'), reArmed],
      phase: 'reconciling',
    },
    {
      what: 're-armed before the start',
      events: [restricted('HALTED'), reArmed],
      phase: 'starting',
    },
  ])('a state $what has the phase $phase', ({ events, phase }) => {
    expect(after(...events).phase).toBe(phase);
  });

  it.each([
    { first: true, second: true, soft: true },
    { first: true, second: false, soft: false },
    { first: false, second: true, soft: false },
  ])(
    'a hard restriction stays hard under a soft one: $first, $second',
    ({ first, second, soft }) => {
      const state = after(
        started,
        reconciled,
        restricted('REDUCE_ONLY', first),
        restricted('CANCEL_ONLY', second),
      );
      expect(state).toMatchObject({ restriction: 'CANCEL_ONLY', soft });
    },
  );

  it('the same restriction keeps the state, unless it hardens', () => {
    const soft = after(started, reconciled, restricted('REDUCE_ONLY', true));
    expect(nextMode(soft, restricted('REDUCE_ONLY', true))).toBe(soft);
    const hard = nextMode(soft, restricted('REDUCE_ONLY'));
    expect(hard).toMatchObject({ restriction: 'REDUCE_ONLY', soft: false });
    expect(nextMode(hard, restricted('REDUCE_ONLY', true))).toBe(hard);
    expect(nextMode(hard, restricted('REDUCE_ONLY'))).toBe(hard);
  });

  it('each level of the kill switch restricts the mode', () => {
    expect((['pause', 'cancel', 'flatten'] as const).map(restrictionOfKill)).toEqual([
      'REDUCE_ONLY',
      'CANCEL_ONLY',
      'REDUCE_ONLY',
    ]);
  });
});
