import { describe, expect, it } from 'vitest';
import {
  no,
  NOT_FOUND,
  placement,
  ProtocolRig,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import {
  CANCEL_BACKOFF_MS,
  CANCEL_DELAY_MS,
  MAX_CANCEL_DELAYS,
  backoffDelay,
} from '../constants.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;

/** A resting order; its next lookup is far away. */
function resting(): { rig: ProtocolRig; order: OwnOrder } {
  const rig = new ProtocolRig();
  const order = rig.placedOrder(LIMIT);
  rig.answer('place', placement());
  rig.answerOrderQuery(yes(reportOf(order.terms)));
  return { rig, order };
}

describe('cancel', () => {
  it('a cancel is journaled as wanted and leaves first, and its reply is journaled and checked', () => {
    const { rig, order } = resting();
    const log = eventLog(rig);
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', yes(null));
    rig.pass(0);
    expect(log).toEqual([
      '0 cancel: cancel wanted',
      '0 send cancel v1 as cancel',
      '0 info: cancel: acknowledged',
      '0 send find-order v1 as verify',
    ]);
  });

  it('a cancel whose reply is lost is checked before it is repeated, ahead of other lookups', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', unknown());
    rig.pass(0);
    expect(rig.sends('cancel'), 'not repeated yet').toBe(1);
    expect(rig.pendingRequest('find-order')).toMatchObject({ order: { orderId: 'v1' } });
    expect(rig.priorityOf('find-order')).toBe('protect');
    const gone = yes(reportOf(order.terms, { status: 'canceled' }));
    rig.answer('find-order', gone);
    rig.pass(CANCEL_BACKOFF_MS[0] ?? 0);
    rig.answerOrderQuery(gone);
    expect(order.ended).toBe(true);
    rig.pass(5_000);
    expect(rig.sends('cancel'), 'no second one').toBe(1);
  });

  it.each([
    { what: 'never left', outcome: unsent },
    { what: 'was refused for the moment', outcome: no('locked', 423) },
  ])('a cancel that $what certainly had no effect, so that nothing is looked up', ({ outcome }) => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    const sent = rig.left.length;
    rig.answer('cancel', outcome);
    rig.pass(0);
    expect(rig.left, 'nothing is sent').toHaveLength(sent);
  });

  it.each([
    { when: 'before its answer', answer: false },
    { when: 'after its answer', answer: true },
  ])('a cancel requested twice is journaled and sent once: $when', ({ answer }) => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    if (answer) rig.answer('cancel', yes(null));
    const journaled = rig.records.length;
    rig.protocol.cancel(order);
    rig.grantPermit();
    expect(rig.records).toHaveLength(journaled);
    expect(rig.sends('cancel')).toBe(1);
  });

  it('a cancel of an ended order is neither journaled nor sent', () => {
    const { rig, order } = resting();
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    const journaled = rig.records.length;
    rig.protocol.cancel(order);
    rig.grantPermit();
    expect(rig.records).toHaveLength(journaled);
    expect(rig.sends('cancel')).toBe(0);
  });

  it('a cancel whose permit comes after the order ended is not sent', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    rig.grantPermit();
    expect(rig.sends('cancel')).toBe(0);
  });

  it('a reply that comes after the order ended changes nothing', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    const [journaled, sent] = [rig.records.length, rig.left.length];
    rig.answer('cancel', no('order-not-open'));
    rig.pass(10_000);
    rig.grantPermit();
    expect(rig.records).toHaveLength(journaled);
    expect(rig.left).toHaveLength(sent);
    expect(rig.ends.map(({ end }) => end)).toEqual(['canceled']);
  });

  it('a cancel of an order that was never sent drops it with that reason', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    rig.protocol.submit(order);
    const journaled = rig.records.length;
    rig.protocol.cancel(order);
    rig.grantPermit();
    const reason = 'canceled before it was sent';
    expect(rig.records.slice(journaled)).toMatchObject([{ type: 'dropped', reason }]);
    expect(rig.ends).toEqual([{ end: 'dropped', reason }]);
    expect(rig.left, 'neither the order nor its cancel').toEqual([]);
  });

  it('a cancel without a clear reply is repeated after the cancel backoff, with a note', () => {
    const { rig, order } = resting();
    const noted = rig.notes('info').length;
    rig.protocol.cancel(order);
    const replies = [
      { answer: unknown(), reason: 'no answer' },
      { answer: no('rate-limited', 429), reason: 'rate-limited' },
      { answer: NOT_FOUND, reason: 'order-not-found' },
      { answer: unknown(502), reason: 'no answer' },
      { answer: NOT_FOUND, reason: 'order-not-found' },
    ];
    const pauses = replies.map(({ answer }) => {
      const paused = rig.passUntil('cancel');
      rig.answer('cancel', answer);
      return paused;
    });
    // Where the cancel may have taken effect, a lookup is under way and has half a second.
    const forLookup = MAX_CANCEL_DELAYS * CANCEL_DELAY_MS;
    expect(pauses).toEqual([
      0,
      ...[forLookup, 0, 0, forLookup].map(
        (more, tries) => backoffDelay(CANCEL_BACKOFF_MS, tries) + more,
      ),
    ]);
    const sweepMs = pauses.reduce((sum, ms) => sum + ms, 0);
    expect(sweepMs).toBeGreaterThan(200);
    expect(sweepMs, 'a sweep of cancels ends within seconds').toBeLessThan(2_000);
    expect(rig.notes('info').slice(noted)).toEqual(
      replies.map(({ reason }): unknown => expect.stringContaining(reason)),
    );
    const journaled = rig.records.filter(({ type }) => type === 'instruction');
    expect(journaled, 'the instruction holds for every try').toHaveLength(1);
    const { clientOrderId } = order;
    expect(
      rig.left.filter(({ kind }) => kind === 'cancel'),
      'every second try takes the other endpoint',
    ).toEqual(
      replies.map((_, tries) => ({
        kind: 'cancel',
        order: tries % 2 === 1 ? { clientOrderId } : { orderId: 'v1' },
      })),
    );
  });

  it('a cancel is not repeated once the order has ended', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', unknown());
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    rig.grantPermit();
    const asked = rig.priorities.length;
    rig.pass(10_000);
    expect(rig.priorities, 'no permit is requested').toHaveLength(asked);
    expect(rig.sends('cancel')).toBe(1);
  });

  it('a cancel that came too late is not repeated, and waits until a fill would show', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grantPermit();
    rig.answer('cancel', no('order-not-open'));
    const since = rig.stamp.monotonic;
    while (!order.ended)
      rig.answerOrderQuery(yes(reportOf(order.terms, { status: 'partially-filled' })));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.sends('cancel')).toBe(1);
  });
});

describe('cancel of an order in flight', () => {
  function underWay(): { rig: ProtocolRig; order: OwnOrder } {
    const rig = new ProtocolRig();
    const order = rig.placedOrder(LIMIT);
    rig.protocol.cancel(order);
    rig.grantPermit();
    return { rig, order };
  }

  it('no lookup leaves before the attempt has its reply, independent of the reply to the cancel', () => {
    for (const answer of [yes(null), no('order-not-open'), NOT_FOUND, unknown()]) {
      const { rig, order } = underWay();
      rig.answer('cancel', answer);
      rig.pass(20_000);
      const { clientOrderId } = order;
      expect(rig.left).toMatchObject([
        { kind: 'place', clientOrderId },
        { kind: 'cancel', order: { clientOrderId } },
      ]);
    }
  });

  it.each([
    { met: 'acknowledged', answer: yes(null) },
    { met: 'too late', answer: no('order-not-open') },
  ])('a cancel that was $met is not sent again when the order is found', ({ answer }) => {
    const { rig } = underWay();
    rig.answer('cancel', answer);
    rig.answer('place', placement());
    rig.grantPermit();
    expect(rig.sends('cancel')).toBe(1);
  });

  it('a second cancel waits for the reply to the first', () => {
    const { rig } = underWay();
    rig.answer('place', placement());
    rig.grantPermit();
    expect(rig.sends('cancel')).toBe(1);
    rig.answer('cancel', NOT_FOUND);
    rig.passUntil('cancel');
    expect(rig.sends('cancel')).toBe(2);
  });
});
