import { describe, expect, it } from 'vitest';
import { AssertionError } from '../core/assert.js';
import type { Reply, RequestOf, VenueRequest } from '../core/request.js';
import { NOT_FOUND } from '../../test/support/rigs/protocol-rig.js';
import { RequestTracker } from './request-tracker.js';
import type { EffectSink } from './effects.js';

const FIND: RequestOf<'find-order'> = { kind: 'find-order', order: { orderId: 'v1' } };
const MISSED: Reply = { to: 'find-order', outcome: NOT_FOUND };

function createTracker() {
  const effects: unknown[] = [];
  const sink: EffectSink = {
    journaling: true,
    journal: () => undefined,
    requestPermit: (id: number, { kind }: VenueRequest, priority) =>
      effects.push(['slot', id, kind, priority]),
    send: (id: number, { kind }: VenueRequest) => effects.push(['send', id, kind]),
    timer: (clock, at, key) => effects.push(['timer', clock, at, key]),
    notify: () => undefined,
  };
  const stamp = { venueTime: 5_000, monotonic: 100 };
  return { tracker: new RequestTracker(sink, stamp), effects, stamp };
}

describe('request', () => {
  it('a request waits for its permit, is sent, and gets one reply', () => {
    const { tracker, effects } = createTracker();
    const answers: unknown[] = [];
    tracker.enqueue<'find-order'>({
      request: FIND,
      priority: 'verify',
      onReply: (outcome) => answers.push(outcome),
    });
    expect(tracker.pending).toBe(1);
    tracker.onPermitGranted(1);
    expect(effects).toEqual([
      ['slot', 1, 'find-order', 'verify'],
      ['send', 1, 'find-order'],
    ]);
    expect(tracker.pending).toBe(1);
    tracker.onReply(1, MISSED);
    expect(answers).toEqual([NOT_FOUND]);
    expect(tracker.pending).toBe(0);
    expect(() => {
      tracker.onReply(1, MISSED);
    }).toThrow('A reply answers a request that was sent');
  });

  it('a request that is not ready at its permit is dropped unsent', () => {
    const { tracker, effects } = createTracker();
    const ask = { request: FIND, priority: 'verify', onReply: () => undefined } as const;
    tracker.enqueue<'find-order'>({ ...ask, ready: () => false });
    tracker.enqueue<'find-order'>({ ...ask, ready: () => true });
    tracker.onPermitGranted(1);
    tracker.onPermitGranted(1);
    tracker.onPermitGranted(2);
    tracker.onPermitGranted(99);
    expect(effects.slice(2)).toEqual([['send', 2, 'find-order']]);
    expect(tracker.pending).toBe(1);
  });

  it('a reply of another kind is an error', () => {
    const { tracker } = createTracker();
    tracker.enqueue<'find-order'>({ request: FIND, priority: 'verify', onReply: () => undefined });
    const wrong: Reply = { to: 'cancel', outcome: NOT_FOUND };
    expect(() => {
      tracker.onReply(1, wrong);
    }).toThrow(AssertionError);
    tracker.enqueue<'find-order'>({ request: FIND, priority: 'verify', onReply: () => undefined });
    expect(() => {
      tracker.onReply(2, wrong);
    }).toThrow('A reply answers the kind of request that was sent');
  });
});

describe('timer', () => {
  it('a timer runs once, on its own clock', () => {
    const { tracker, effects, stamp } = createTracker();
    let runs = 0;
    const run = (): void => {
      runs += 1;
    };
    stamp.monotonic = 150;
    expect(tracker.after(30, run)).toBe('t1');
    expect(tracker.atVenueTime(9_000, run)).toBe('t2');
    expect(effects).toEqual([
      ['timer', 'monotonic', 180, 't1'],
      ['timer', 'venue', 9_000, 't2'],
    ]);
    tracker.onTimer('t1');
    tracker.onTimer('t1');
    tracker.onTimer('unheard of');
    expect(runs).toBe(1);
  });

  it('a canceled timer does not run', () => {
    const { tracker } = createTracker();
    let runs = 0;
    const key = tracker.after(30, () => {
      runs += 1;
    });
    tracker.cancelTimer(undefined);
    tracker.cancelTimer(key);
    tracker.onTimer(key);
    expect(runs).toBe(0);
  });
});
