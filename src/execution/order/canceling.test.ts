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
} from '../../../test/harness/protocol-rig.js';
import { storyOf } from '../../../test/harness/story.js';
import { CANCEL_SPACING_MS, spaced } from '../constants.js';
import type { OwnOrder } from './own-order.js';

const LIMIT = { quantity: '1', price: '60000' } as const;

/** One that rests; its next look is far away. */
function resting(): { rig: ProtocolRig; order: OwnOrder } {
  const rig = new ProtocolRig();
  const order = rig.placed(LIMIT);
  rig.answer('place', placement());
  rig.look(yes(reportOf(order.terms)));
  return { rig, order };
}

describe('a cancel', () => {
  it('is journaled as wanted, sent before everything else, and its answer is journaled and looked into', () => {
    const { rig, order } = resting();
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', yes(null));
    rig.pass(0);
    expect(story).toEqual([
      '0 cancel: cancel wanted',
      '0 send cancel v1 as cancel',
      '0 info: cancel: acknowledged',
      '0 send find-order v1 as verify',
    ]);
  });

  it('whose answer is lost is looked into before it goes again, ahead of other looks', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    const story = storyOf(rig);
    rig.answer('cancel', unknown());
    rig.pass(0);
    expect(story.at(-1)).toBe('0 send find-order v1 as protect');
    const gone = yes(reportOf(order.terms, { status: 'canceled' }));
    rig.answer('find-order', gone);
    rig.pass(CANCEL_SPACING_MS[0] ?? 0);
    rig.look(gone);
    expect(order.ended).toBe(true);
    expect(rig.sends('cancel'), 'at most one more').toBeLessThanOrEqual(2);
  });

  it.each([
    { what: 'never left', outcome: unsent },
    { what: 'was refused for the moment', outcome: no('locked', 423) },
  ])('that $what is certainly not done: nothing is looked into', ({ outcome }) => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    const story = storyOf(rig);
    rig.answer('cancel', outcome);
    rig.pass(0);
    expect(story.filter((line) => line.includes('send'))).toEqual([]);
  });

  it.each([
    { when: 'before its answer', answer: false },
    { when: 'after its answer', answer: true },
  ])('that is wanted twice is told and sent once: $when', ({ answer }) => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    if (answer) rig.answer('cancel', yes(null));
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    rig.grant();
    expect(story).toEqual([]);
  });

  it('of an order that has ended is not told of, nor sent', () => {
    const { rig, order } = resting();
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    rig.grant();
    expect(story).toEqual([]);
  });

  it('whose slot comes after the order has ended is not sent', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    rig.grant();
    expect(rig.sends('cancel')).toBe(0);
  });

  it('whose answer comes after the order has ended says nothing', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    const story = storyOf(rig);
    rig.answer('cancel', no('order-not-open'));
    rig.pass(10_000);
    expect(story).toEqual([]);
  });

  it('of what was never sent says so', () => {
    const rig = new ProtocolRig();
    const order = rig.order(LIMIT);
    rig.protocol.submit(order);
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    rig.grant();
    expect(story).toEqual(['0 dropped {"reason":"canceled before it was sent"}']);
  });

  it('that was not answered clearly goes again, after the pauses for cancels, and says why', () => {
    const { rig, order } = resting();
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    const answers = [unknown(), no('rate-limited', 429), NOT_FOUND, unknown(502), NOT_FOUND];
    for (const answer of answers) {
      rig.passUntil('cancel');
      rig.answer('cancel', answer);
    }
    const said = ['no clear answer (no answer)', 'rate-limited', 'order-not-found'];
    let at = 0;
    expect(story.filter((line) => / cancel\b(?!$)/.test(line))).toEqual([
      '0 cancel: cancel wanted',
      ...[0, 1, 2, 0, 2].flatMap((answer, tries) => {
        at += tries === 0 ? 0 : spaced(CANCEL_SPACING_MS, tries - 1);
        return [`${at} send cancel v1 as cancel`, `${at} info: cancel: ${said[answer]}`];
      }),
    ]);
    expect(at).toBeGreaterThan(200);
    expect(at, 'a sweep of cancels ends within seconds').toBeLessThan(2_000);
  });

  it('does not go again once the order has ended meanwhile', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', unknown());
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    rig.grant();
    const asked = rig.priorities.length;
    rig.pass(10_000);
    expect(rig.priorities, 'no slot is asked for').toHaveLength(asked);
    expect(rig.sends('cancel')).toBe(1);
  });

  it('that the venue calls too late is not repeated, and waits until a fill would show', () => {
    const { rig, order } = resting();
    rig.protocol.cancel(order);
    rig.grant();
    rig.answer('cancel', no('order-not-open'));
    const since = rig.stamp.monotonic;
    while (!order.ended) rig.look(yes(reportOf(order.terms, { status: 'partially-filled' })));
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(30_000);
    expect(rig.sends('cancel')).toBe(1);
  });
});

describe('a cancel of what is on its way', () => {
  function underWay(): { rig: ProtocolRig; order: OwnOrder; story: string[] } {
    const rig = new ProtocolRig();
    const order = rig.placed(LIMIT);
    const story = storyOf(rig);
    rig.protocol.cancel(order);
    rig.grant();
    return { rig, order, story };
  }

  it('looks for nothing before the attempt is answered, whatever the cancel met', () => {
    for (const answer of [yes(null), no('order-not-open'), NOT_FOUND, unknown()]) {
      const { rig, story } = underWay();
      rig.answer('cancel', answer);
      rig.pass(20_000);
      expect(story.filter((line) => line.includes('send'))).toEqual([
        '0 send cancel by our id as cancel',
      ]);
    }
  });

  it.each([
    { met: 'acknowledged', answer: yes(null) },
    { met: 'too late', answer: no('order-not-open') },
  ])('that was $met is not sent again when the order is there', ({ answer }) => {
    const { rig } = underWay();
    rig.answer('cancel', answer);
    rig.answer('place', placement());
    rig.grant();
    expect(rig.sends('cancel')).toBe(1);
  });

  it('is one at a time: the next goes when the first is answered', () => {
    const { rig } = underWay();
    rig.answer('place', placement());
    rig.grant();
    expect(rig.sends('cancel')).toBe(1);
    rig.answer('cancel', NOT_FOUND);
    rig.passUntil('cancel');
    expect(rig.sends('cancel')).toBe(2);
  });
});
