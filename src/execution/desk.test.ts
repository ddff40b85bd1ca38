import { describe, expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import type { Reply, RequestOf, VenueRequest } from '../core/request.js';
import { NOT_FOUND } from '../../test/harness/protocol-rig.js';
import { Desk } from './desk.js';
import type { EffectSink } from './effects.js';

const FIND: RequestOf<'find-order'> = { kind: 'find-order', order: { orderId: 'v1' } };
const MISSED: Reply = { to: 'find-order', outcome: NOT_FOUND };

function openDesk() {
  const effects: unknown[] = [];
  const sink: EffectSink = {
    journaling: true,
    journal: () => undefined,
    slot: (id: number, { kind }: VenueRequest, priority) =>
      effects.push(['slot', id, kind, priority]),
    send: (id: number, { kind }: VenueRequest) => effects.push(['send', id, kind]),
    timer: (clock, at, key) => effects.push(['timer', clock, at, key]),
    notify: () => undefined,
  };
  const stamp = { venueTime: 5_000, monotonic: 100 };
  return { desk: new Desk(sink, stamp), effects, stamp };
}

describe('a request', () => {
  it('waits for its slot, leaves, and is answered once', () => {
    const { desk, effects } = openDesk();
    const answers: unknown[] = [];
    desk.ask<'find-order'>({
      request: FIND,
      priority: 'verify',
      answered: (outcome) => answers.push(outcome),
    });
    expect(desk.pending).toBe(1);
    desk.slot(1);
    expect(effects).toEqual([
      ['slot', 1, 'find-order', 'verify'],
      ['send', 1, 'find-order'],
    ]);
    expect(desk.pending).toBe(1);
    desk.reply(1, MISSED);
    expect(answers).toEqual([NOT_FOUND]);
    expect(desk.pending).toBe(0);
    expect(() => {
      desk.reply(1, MISSED);
    }).toThrow('A reply answers a request that was sent');
  });

  it('that is not ready at its slot is gone, unsent', () => {
    const { desk, effects } = openDesk();
    const ask = { request: FIND, priority: 'verify', answered: () => undefined } as const;
    desk.ask<'find-order'>({ ...ask, ready: () => false });
    desk.ask<'find-order'>({ ...ask, ready: () => true });
    desk.slot(1);
    desk.slot(1);
    desk.slot(2);
    desk.slot(99);
    expect(effects.slice(2)).toEqual([['send', 2, 'find-order']]);
    expect(desk.pending).toBe(1);
  });

  it('is not answered by a reply to another kind', () => {
    const { desk } = openDesk();
    desk.ask<'find-order'>({ request: FIND, priority: 'verify', answered: () => undefined });
    const wrong: Reply = { to: 'cancel', outcome: NOT_FOUND };
    expect(() => {
      desk.reply(1, wrong);
    }).toThrow(AssertionError);
    desk.ask<'find-order'>({ request: FIND, priority: 'verify', answered: () => undefined });
    expect(() => {
      desk.reply(2, wrong);
    }).toThrow('A reply answers the kind of request that was sent');
  });
});

describe('a timer', () => {
  it('counts on its clock and runs once', () => {
    const { desk, effects, stamp } = openDesk();
    let runs = 0;
    const run = (): void => {
      runs += 1;
    };
    stamp.monotonic = 150;
    expect(desk.after(30, run)).toBe('t1');
    expect(desk.atVenueTime(9_000, run)).toBe('t2');
    expect(effects).toEqual([
      ['timer', 'monotonic', 180, 't1'],
      ['timer', 'venue', 9_000, 't2'],
    ]);
    desk.fire('t1');
    desk.fire('t1');
    desk.fire('unheard of');
    expect(runs).toBe(1);
  });

  it('that is canceled does not run', () => {
    const { desk } = openDesk();
    let runs = 0;
    const key = desk.after(30, () => {
      runs += 1;
    });
    desk.cancel(undefined);
    desk.cancel(key);
    desk.fire(key);
    expect(runs).toBe(0);
  });
});
