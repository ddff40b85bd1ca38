import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/support/rigs/operation-rig.js';
import { d } from '../../../test/support/builders/risk-case.js';
import {
  no,
  placement,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/support/rigs/protocol-rig.js';
import type { Outcome } from '../../core/request.js';
import { Operation } from './operation.js';
import { eventLog } from '../../../test/support/builders/event-log.js';
import type { OwnOrder } from '../order/own-order.js';

const NEW = { price: d<'price'>('59000'), quantity: d<'quantity'>('2') };
const pass = (): undefined => undefined;

/** A resting order of 1 at 60,000. */
function resting(rig = new OperationRig()): { rig: OperationRig; order: OwnOrder } {
  const order = rig.placedOrder({ quantity: '1', price: '60000' });
  rig.answer('place', placement());
  return { rig, order };
}

/** The same order with an amendment to 2 at 59,000 in flight. */
function amending(hold: () => string | undefined = pass) {
  const { rig, order } = resting();
  const operation = rig.amending.amend(order, NEW, hold);
  if (typeof operation === 'string') throw new Error(operation);
  rig.grantPermit();
  return { rig, order, operation };
}

type Amending = ReturnType<typeof amending>;
/** Answers the next lookup of the order, of the amendment or of the order itself. */
const answerLook = (rig: OperationRig, outcome: ReturnType<typeof newReport>): void => {
  rig.passUntil('find-order');
  while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', outcome);
};
const showOld = ({ rig, order }: Amending): void => {
  answerLook(rig, yes(reportOf(order.intent.terms)));
};
const newReport = (order: OwnOrder) => yes(reportOf({ ...order.intent.terms, ...NEW }));
/** Until the amendment has had a lookup too. */
const showNew = ({ rig, order, operation }: Amending): void => {
  while (!operation.ended) answerLook(rig, newReport(order));
};
const exposed = ({ rig }: Amending) => rig.ledger.of('BTCUSDT', 'USDT').maxPosition;

describe('amendment in place', () => {
  it('an amendment is journaled with the old terms, and again with both before it leaves', () => {
    const { rig } = amending();
    const [intent, attempt] = rig.records.slice(-2);
    expect(intent).toMatchObject({
      type: 'operation',
      plan: { fromPrice: d('60000'), fromQuantity: d('1'), ...NEW },
    });
    expect(attempt).toMatchObject({ type: 'operation-attempt', step: { orderId: 'v1' } });
    expect(rig.effects.at(-1)).toBe('send amend');
    expect(rig.pendingRequest('amend')).toMatchObject({ orderId: 'v1', ...NEW });
  });

  it('exposure counts the larger quantity until the amendment is proved (C5), then the new one', () => {
    const amendment = amending();
    expect(exposed(amendment)).toBe(d('2'));
    amendment.rig.answer('amend', yes(null));
    expect(exposed(amendment)).toBe(d('2'));
    showNew(amendment);
    expect(amendment.operation.state).toBe('applied');
    expect(exposed(amendment)).toBe(d('2'));
    expect(amendment.order.terms).toMatchObject(NEW);
  });

  it('a smaller quantity counts only when the amendment is proved', () => {
    const { rig, order } = resting();
    rig.amending.amend(order, { ...NEW, quantity: d('0.5') }, pass);
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('1'));
  });

  it('an unproved amendment is no collision, whichever terms the order shows (A20)', () => {
    const amendment = amending();
    const { rig, order } = amendment;
    rig.answer('amend', unknown());
    rig.protocol.applyAuthoritativeReport(order, reportOf({ ...order.intent.terms, ...NEW }));
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.intent.terms));
    expect(rig.halts).toEqual([]);
  });

  it.each([no('order-not-open'), no('quantity-range'), no('insufficient-balance')])(
    'a refused amendment leaves the order unchanged',
    (refusal) => {
      const amendment = amending();
      amendment.rig.answer('amend', refusal);
      expect(amendment.operation.state).toBe('refused');
      expect(exposed(amendment)).toBe(d('1'));
      expect(amendment.order.terms.price).toBe(d('60000'));
    },
  );

  it.each([no('locked', 423), no('rate-limited', 429), unsent])(
    'a temporarily refused amendment is repeated with the same bytes, five times at most',
    (refusal) => {
      const amendment = amending();
      const { rig, operation } = amendment;
      for (let tries = 1; tries <= 5; tries += 1) {
        rig.passUntil('amend');
        rig.answer('amend', refusal);
      }
      expect(operation.state).toBe('refused');
      expect(rig.sends('amend')).toBe(5);
      const bytes = rig.left.filter(({ kind }) => kind === 'amend').map((r) => JSON.stringify(r));
      expect(new Set(bytes).size).toBe(1);
    },
  );

  it("an amendment whose reply is lost is proved by the order's terms, and not sent again", () => {
    const amendment = amending();
    amendment.rig.answer('amend', unknown());
    showNew(amendment);
    expect(amendment.operation.state).toBe('applied');
    expect(amendment.rig.sends('amend')).toBe(1);
  });

  it('an order with only one of the two new values halts', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (operation.state === 'verifying') answerLook(rig, half);
    expect(rig.halts.length).toBeGreaterThan(0);
    expect(operation.state).toBe('fencing');
    rig.grantPermit();
    expect(rig.pendingRequest('cancel')).toBeDefined();
  });

  it.each([
    { answer: unknown(), ms: 5_000 },
    { answer: yes(null), ms: 30_000 },
  ])(
    'an amendment that does not show within $ms ms cancels the order, which fences it (C2)',
    (of) => {
      const amendment = amending();
      const { rig, order, operation } = amendment;
      rig.answer('amend', of.answer);
      const since = rig.stamp.monotonic;
      while (operation.state !== 'fencing') showOld(amendment);
      expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(of.ms);
      expect(exposed(amendment)).toBe(d('2'));
      rig.grantPermit();
      rig.answer('cancel', yes(null));
      while (!order.ended) {
        rig.passUntil('find-order');
        rig.answer('find-order', yes(reportOf(order.intent.terms, { status: 'canceled' })));
      }
      expect(operation.state).toBe('fenced');
      expect(rig.sends('amend')).toBe(1);
    },
  );

  it('an amendment that lands while its fence is in flight ends the order all the same', () => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', unknown());
    while (operation.state !== 'fencing') showOld(amendment);
    rig.grantPermit();
    rig.answer('cancel', yes(null));
    while (!order.ended) {
      rig.passUntil('find-order');
      const terms = { ...order.intent.terms, ...NEW };
      rig.answer('find-order', yes(reportOf(terms, { status: 'canceled' })));
    }
    expect(operation.state).toBe('fenced');
    expect(rig.halts).toEqual([]);
  });

  it('an amendment ends with its order', () => {
    const { rig, order, operation } = amending();
    rig.protocol.applyAuthoritativeReport(
      order,
      reportOf(order.intent.terms, { status: 'canceled' }),
    );
    expect(operation.state).toBe('fenced');
    rig.answer('amend', yes(null));
    expect(rig.ledger.orderCount).toBe(0);
  });
});

describe('amendment that is refused at once', () => {
  it.each([
    {
      what: 'of an order of which a part is filled (C4)',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.applyAuthoritativeReport(
          order,
          reportOf(order.terms, { filled: '0.1', average: '60000' }),
        );
      },
      expected: 'a part of the order is filled',
    },
    {
      what: 'of an order that is being canceled',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.cancel(order);
      },
      expected: 'the order is being canceled',
    },
    {
      what: 'while another one of it is unproved (C2)',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.amending.amend(order, NEW, pass);
      },
      expected: 'another amendment of it is not proved yet',
    },
    {
      what: 'of an order that has ended',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
      },
      expected: 'the order is not proved to rest at the venue',
    },
  ])('an amendment $what is refused', ({ prepare, expected }) => {
    const { rig, order } = resting();
    prepare(rig, order);
    const before = rig.effects.length;
    expect(rig.amending.amend(order, NEW, pass)).toBe(expected);
    expect(rig.effects).toHaveLength(before);
  });

  it('an amendment of a market order, or of one not proved to rest, is refused', () => {
    const rig = new OperationRig();
    const market = rig.placedOrder({ quantity: '1' });
    const unproved = rig.placedOrder({ quantity: '1', price: '60000', leg: 1 });
    expect(rig.amending.amend(market, NEW, pass)).toMatch(/limit order/);
    expect(rig.amending.amend(unproved, NEW, pass)).toMatch(/not proved to rest/);
  });
});

describe('amendment whose permit is granted', () => {
  it.each([
    {
      what: 'after a fill',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.applyAuthoritativeReport(
          order,
          reportOf(order.terms, { filled: '0.1', average: '60000' }),
        );
      },
      evidence: 'a part of the order is filled',
    },
    {
      what: 'when the risk gate refuses',
      spoil: (rig: OperationRig) => {
        rig.holdReason = 'too large';
      },
      evidence: 'too large',
    },
    {
      what: 'after a cancel request',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.cancel(order);
      },
      evidence: 'the order is being canceled',
    },
    {
      what: 'after the end of its order',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
      },
      evidence: 'the order is canceled: nothing changes it any more',
    },
  ])('an amendment $what is not sent', ({ spoil, evidence }) => {
    const { rig, order } = resting();
    const operation = rig.amending.amend(order, NEW, () => rig.holdReason);
    spoil(rig, order);
    rig.grantPermit();
    expect(rig.sends('amend')).toBe(0);
    expect(operation).toMatchObject({ state: 'dropped' });
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
    expect(order.amending).toBeUndefined();
  });

  it('an amendment waits while another change reserves the lock', () => {
    const { rig, order } = resting();
    const other = {};
    rig.symbolLocks.tryReserve('BTCUSDT/USDT', other);
    rig.amending.amend(order, NEW, pass);
    rig.grantPermit();
    expect(rig.sends('amend')).toBe(0);
    rig.symbolLocks.release('BTCUSDT/USDT', other);
    rig.grantPermit();
    expect(rig.sends('amend')).toBe(1);
  });
});

describe('amendment whose order has ended', () => {
  const end = ({ rig, order }: Amending): void => {
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
  };
  /** The permits requested from now on, however much time passes. */
  const asked = ({ rig }: Amending): number => {
    const before = rig.priorities.length;
    rig.pass(60_000);
    return rig.priorities.length - before;
  };

  it('the amendment is not looked up any more', () => {
    const amendment = amending();
    amendment.rig.answer('amend', unknown());
    end(amendment);
    expect(asked(amendment)).toBe(0);
  });

  it('the amendment is not repeated after a temporary refusal', () => {
    const amendment = amending();
    amendment.rig.answer('amend', no('locked', 423));
    end(amendment);
    expect(asked(amendment)).toBe(0);
    expect(amendment.operation.state).toBe('refused');
  });

  it('a lookup in flight changes nothing when its reply arrives', () => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', yes(null));
    rig.passUntil('find-order');
    end(amendment);
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (rig.pendingRequest('find-order') !== undefined) rig.answer('find-order', half);
    expect(operation.state).toBe('fenced');
    expect(rig.halts).toEqual([]);
    expect(rig.operationEnds).toHaveLength(1);
  });
});

describe('lookups of an amendment', () => {
  /** The amendment's lookup goes by the venue's id, the first one of the order by ours. */
  function nextOwn(
    rig: OperationRig,
    outcome: ReturnType<typeof newReport> | Outcome<never>,
  ): void {
    for (;;) {
      rig.passUntil('find-order');
      const at = rig.sent.findIndex((each) => each.request.kind === 'find-order');
      const [asked] = rig.sent.splice(at, 1);
      if (asked?.request.kind !== 'find-order') throw new Error('a lookup is requested');
      const own = 'orderId' in asked.request.order;
      rig.requestTracker.onReply(asked.id, {
        to: 'find-order',
        outcome: own ? outcome : unknown(),
      });
      if (own) return;
    }
  }

  it('the third read of the old terms over 5 s fences it, however many reads failed', () => {
    const { rig, order, operation } = amending();
    const old = yes(reportOf(order.intent.terms));
    rig.answer('amend', unknown());
    nextOwn(rig, old);
    for (let queries = 0; queries < 4; queries += 1) nextOwn(rig, unknown());
    nextOwn(rig, old);
    expect(operation.state, 'two reads').toBe('verifying');
    nextOwn(rig, old);
    expect(operation.state, 'three reads').toBe('fencing');
  });

  it('an end of the order is left to the lookups of the order', () => {
    const { rig, order, operation } = amending();
    const gone = { ...order.intent.terms, price: NEW.price };
    rig.answer('amend', unknown());
    nextOwn(rig, yes(reportOf(gone, { status: 'canceled' })));
    expect(operation.state).toBe('verifying');
    expect(rig.halts).toEqual([]);
  });
});

describe('crash with an amendment in progress', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: undefined },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: undefined },
  ])('after $when the amendment is never sent again', ({ upTo, end }) => {
    const before = amending();
    before.rig.answer('amend', yes(null));
    const { records } = before.rig;
    const cut = records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(records.slice(0, cut), before.rig.stamp);
    const order = rig.ledger.byClientOrderId(before.order.clientOrderId);
    if (order === undefined) throw new Error('the order is known');
    expect(rig.ledger.of('BTCUSDT', 'USDT').maxPosition).toBe(d('2'));
    rig.amending.resume();
    expect(rig.lastEnd).toBe(end);
    if (end !== undefined) return;
    rig.passUntil('find-order');
    rig.answer('find-order', newReport(order));
    expect(rig.lastEnd).toBe('applied');
    expect(order.terms).toMatchObject(NEW);
    expect(rig.sends('amend')).toBe(0);
  });

  it('a temporarily refused amendment is journaled as not sent again', () => {
    const before = amending();
    before.rig.answer('amend', no('locked', 423));
    const rig = OperationRig.revived(before.rig.records, before.rig.stamp);
    rig.amending.resume();
    expect(rig.operationEnds).toEqual([
      { end: 'refused', evidence: 'it was not sent again after a restart' },
    ]);
  });

  it('an order that ended with its amendment leaves nothing to look up', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const next = new OperationRig(rig.records, rig.stamp);
    rig.protocol.applyAuthoritativeReport(order, reportOf(order.terms, { status: 'canceled' }));
    const left = Object.assign(new Operation<'amend'>(operation), { state: 'verifying' });
    next.amending.restore(left, order);
    next.amending.resume();
    expect(next.operationEnds).toMatchObject([{ end: 'fenced' }]);
    expect(next.permits).toEqual([]);
  });

  it('the next run has the terms of an order that was amended before', () => {
    const before = amending();
    before.rig.answer('amend', yes(null));
    showNew(before);
    const rig = OperationRig.revived(before.rig.records, before.rig.stamp);
    const order = rig.ledger.byClientOrderId(before.order.clientOrderId);
    expect(order?.terms).toMatchObject(NEW);
  });
});

describe('journal of an amendment', () => {
  it('the journal has an amendment that is acknowledged and shown', () => {
    const { rig, order } = resting();
    rig.answerOrderQuery(yes(reportOf(order.terms)));
    const log = eventLog(rig);
    expect(rig.amending.amend(order, NEW, pass)).not.toEqual(expect.any(String));
    rig.grantPermit();
    rig.answer('amend', yes(null));
    answerLook(rig, newReport(order));
    expect(log).toEqual([
      `0 operation {"plan":{"kind":"amend","clientOrderId":"${order.clientOrderId}",` +
        '"fromPrice":"60000","fromQuantity":"1","price":"59000","quantity":"2"}}',
      '0 operation-attempt {"attempt":1,"step":{"kind":"amend","orderId":"v1"}}',
      '0 send amend v1 to 2 at 59000 as place',
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '100 send find-order v1 as verify',
      '100 operation-ended {"end":"applied","evidence":"order v1 shows the new price and quantity"}',
    ]);
  });

  it("a refused amendment has the venue's refusal journaled before its end, and is not sent again", () => {
    const { rig } = amending();
    const journaled = rig.records.length;
    rig.answer('amend', no('quantity-range'));
    expect(rig.records.slice(journaled)).toMatchObject([
      { type: 'operation-outcome', attempt: 1, outcome: 'no', code: 'quantity-range' },
      { type: 'operation-ended', end: 'refused', evidence: 'quantity-range' },
    ]);
    rig.pass(10_000);
    expect(rig.sends('amend')).toBe(1);
  });

  it('a temporarily refused amendment is journaled before each try, waits longer, and then releases its exposure', () => {
    const amendment = amending();
    const { rig } = amendment;
    const waits: number[] = [];
    for (let tries = 1; tries <= 5; tries += 1) {
      waits.push(rig.passUntil('amend'));
      expect(rig.effects.slice(-2)).toEqual(['journal operation-attempt', 'send amend']);
      expect(rig.records.at(-1)).toMatchObject({ attempt: tries });
      expect(exposed(amendment)).toBe(d('2'));
      rig.answer('amend', no('locked', 423));
    }
    expect(waits).toEqual([...new Set(waits)].sort((a, b) => a - b));
    expect(rig.operationEnds).toEqual([
      { end: 'refused', evidence: expect.stringContaining('too often') as string },
    ]);
    expect(exposed(amendment)).toBe(d('1'));
    rig.pass(10_000);
    expect(rig.sends('amend')).toBe(5);
  });

  it('an amendment that never shows is fenced by a cancel, and counts until the order has ended', () => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', unknown());
    const since = rig.stamp.monotonic;
    while (operation.state !== 'fencing') showOld(amendment);
    expect(rig.stamp.monotonic - since, 'it may land late').toBeGreaterThanOrEqual(5_000);
    expect(rig.sends('find-order'), 'ever later').toBeLessThanOrEqual(10);
    expect(rig.records.at(-1)).toMatchObject({ type: 'instruction', instruction: 'cancel' });
    expect(rig.sends('cancel'), 'the journal comes first').toBe(0);
    rig.grantPermit();
    expect([rig.sends('amend'), rig.sends('cancel')]).toEqual([1, 1]);
    expect(exposed(amendment)).toBe(d('2'));
    rig.protocol.applyAuthoritativeReport(
      order,
      reportOf(order.intent.terms, { status: 'canceled' }),
    );
    expect(rig.operationEnds).toEqual([
      { end: 'fenced', evidence: expect.stringContaining('the order is canceled') as string },
    ]);
    expect(exposed(amendment)).toBe(d('0'));
  });

  it('the journal has an order with terms that were never sent', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (operation.state === 'verifying') answerLook(rig, half);
    expect(rig.halts).toContain(
      `order ${order.clientOrderId} shows a price and quantity that are neither its old nor its new ones`,
    );
  });
});
