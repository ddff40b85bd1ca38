import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../../test/harness/operation-rig.js';
import { d } from '../../../test/harness/risk-case.js';
import {
  no,
  placement,
  reportOf,
  unknown,
  unsent,
  yes,
} from '../../../test/harness/protocol-rig.js';
import type { Outcome } from '../../core/request.js';
import { Operation } from './operation.js';
import { storyOf } from '../../../test/harness/story.js';
import type { OwnOrder } from '../order/own-order.js';

const NEW = { price: d<'price'>('59000'), quantity: d<'quantity'>('2') };
const pass = (): undefined => undefined;

/** A resting order of 1 at 60,000. */
function resting(rig = new OperationRig()): { rig: OperationRig; order: OwnOrder } {
  const order = rig.placed({ quantity: '1', price: '60000' });
  rig.answer('place', placement());
  return { rig, order };
}

/** …with an amendment to 2 at 59,000 on its way. */
function amending(hold: () => string | undefined = pass) {
  const { rig, order } = resting();
  const operation = rig.amending.amend(order, NEW, hold);
  if (typeof operation === 'string') throw new Error(operation);
  rig.grant();
  return { rig, order, operation };
}

type Amending = ReturnType<typeof amending>;
/** Answers the next look at the order, the amendment's own or the order's. */
const answerLook = (rig: OperationRig, outcome: ReturnType<typeof newReport>): void => {
  rig.passUntil('find-order');
  while (rig.waiting('find-order') !== undefined) rig.answer('find-order', outcome);
};
const showOld = ({ rig, order }: Amending): void => {
  answerLook(rig, yes(reportOf(order.intent.terms)));
};
const newReport = (order: OwnOrder) => yes(reportOf({ ...order.intent.terms, ...NEW }));
/** Until the amendment has looked too. */
const showNew = ({ rig, order, operation }: Amending): void => {
  while (!operation.ended) answerLook(rig, newReport(order));
};
const exposed = ({ rig }: Amending) => rig.ledger.of('BTCUSDT', 'USDT').longest;

describe('an amendment in place', () => {
  it('is journaled with the old terms, and again before it leaves with both values', () => {
    const { rig } = amending();
    const [intent, attempt] = rig.records.slice(-2);
    expect(intent).toMatchObject({
      type: 'operation',
      plan: { fromPrice: d('60000'), fromQuantity: d('1'), ...NEW },
    });
    expect(attempt).toMatchObject({ type: 'operation-attempt', step: { orderId: 'v1' } });
    expect(rig.effects.at(-1)).toBe('send amend');
    expect(rig.waiting('amend')).toMatchObject({ orderId: 'v1', ...NEW });
  });

  it('counts the larger quantity until it is proved (C5), then the new one', () => {
    const amendment = amending();
    expect(exposed(amendment)).toBe(d('2'));
    amendment.rig.answer('amend', yes(null));
    expect(exposed(amendment)).toBe(d('2'));
    showNew(amendment);
    expect(amendment.operation.state).toBe('applied');
    expect(exposed(amendment)).toBe(d('2'));
    expect(amendment.order.terms).toMatchObject(NEW);
  });

  it('to less still counts the old quantity until it is proved', () => {
    const { rig, order } = resting();
    rig.amending.amend(order, { ...NEW, quantity: d('0.5') }, pass);
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('1'));
  });

  it('is no collision while it is not proved, whichever terms the order shows (A20)', () => {
    const amendment = amending();
    const { rig, order } = amendment;
    rig.answer('amend', unknown());
    rig.protocol.tell(order, reportOf({ ...order.intent.terms, ...NEW }));
    rig.protocol.tell(order, reportOf(order.intent.terms));
    expect(rig.halts).toEqual([]);
  });

  it.each([no('order-not-open'), no('quantity-range'), no('insufficient-balance')])(
    'that the venue refuses leaves the order as it was',
    (refusal) => {
      const amendment = amending();
      amendment.rig.answer('amend', refusal);
      expect(amendment.operation.state).toBe('refused');
      expect(exposed(amendment)).toBe(d('1'));
      expect(amendment.order.terms.price).toBe(d('60000'));
    },
  );

  it.each([no('locked', 423), no('rate-limited', 429), unsent])(
    'that is refused for the moment goes again with the same bytes, five times at most',
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

  it('whose answer is lost is proved by the order’s price and quantity, and not sent again', () => {
    const amendment = amending();
    amendment.rig.answer('amend', unknown());
    showNew(amendment);
    expect(amendment.operation.state).toBe('applied');
    expect(amendment.rig.sends('amend')).toBe(1);
  });

  it('that landed with only one of the two values is neither the old nor the new order', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (operation.state === 'verifying') answerLook(rig, half);
    expect(rig.halts.length).toBeGreaterThan(0);
    expect(operation.state).toBe('fencing');
    rig.grant();
    expect(rig.waiting('cancel')).toBeDefined();
  });

  it.each([
    { answer: unknown(), ms: 5_000 },
    { answer: yes(null), ms: 30_000 },
  ])('that does not show within $ms ms cancels the order, which fences it (C2)', (of) => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', of.answer);
    const since = rig.stamp.monotonic;
    while (operation.state !== 'fencing') showOld(amendment);
    expect(rig.stamp.monotonic - since).toBeGreaterThanOrEqual(of.ms);
    expect(exposed(amendment)).toBe(d('2'));
    rig.grant();
    rig.answer('cancel', yes(null));
    while (!order.ended) {
      rig.passUntil('find-order');
      rig.answer('find-order', yes(reportOf(order.intent.terms, { status: 'canceled' })));
    }
    expect(operation.state).toBe('fenced');
    expect(rig.sends('amend')).toBe(1);
  });

  it('that lands while its fence is on the way ends the order all the same', () => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', unknown());
    while (operation.state !== 'fencing') showOld(amendment);
    rig.grant();
    rig.answer('cancel', yes(null));
    while (!order.ended) {
      rig.passUntil('find-order');
      const terms = { ...order.intent.terms, ...NEW };
      rig.answer('find-order', yes(reportOf(terms, { status: 'canceled' })));
    }
    expect(operation.state).toBe('fenced');
    expect(rig.halts).toEqual([]);
  });

  it('of an order that ends under it is over', () => {
    const { rig, order, operation } = amending();
    rig.protocol.tell(order, reportOf(order.intent.terms, { status: 'canceled' }));
    expect(operation.state).toBe('fenced');
    rig.answer('amend', yes(null));
    expect(rig.ledger.orders).toBe(0);
  });
});

describe('an amendment cannot be asked for', () => {
  it.each([
    {
      what: 'of an order of which a part is filled (C4)',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.tell(order, reportOf(order.terms, { filled: '0.1', average: '60000' }));
      },
      says: 'a part of the order is filled',
    },
    {
      what: 'of an order that is being canceled',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.cancel(order);
      },
      says: 'the order is being canceled',
    },
    {
      what: 'while another one of it is not proved (C2)',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.amending.amend(order, NEW, pass);
      },
      says: 'another amendment of it is not proved yet',
    },
    {
      what: 'of an order that has ended',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
      },
      says: 'the order is not proved to rest at the venue',
    },
  ])('$what', ({ prepare, says }) => {
    const { rig, order } = resting();
    prepare(rig, order);
    const before = rig.effects.length;
    expect(rig.amending.amend(order, NEW, pass)).toBe(says);
    expect(rig.effects).toHaveLength(before);
  });

  it('of a market order, or of one that is not proved to rest', () => {
    const rig = new OperationRig();
    const market = rig.placed({ quantity: '1' });
    const unproved = rig.placed({ quantity: '1', price: '60000', leg: 1 });
    expect(rig.amending.amend(market, NEW, pass)).toMatch(/limit order/);
    expect(rig.amending.amend(unproved, NEW, pass)).toMatch(/not proved to rest/);
  });
});

describe('an amendment whose slot comes', () => {
  it.each([
    {
      what: 'after a fill',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.tell(order, reportOf(order.terms, { filled: '0.1', average: '60000' }));
      },
      evidence: 'a part of the order is filled',
    },
    {
      what: 'when the gate says no',
      spoil: (rig: OperationRig) => {
        rig.hold = 'too large';
      },
      evidence: 'too large',
    },
    {
      what: 'after a wish to cancel',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.cancel(order);
      },
      evidence: 'the order is being canceled',
    },
    {
      what: 'after the end of its order',
      spoil: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
      },
      evidence: 'the order is canceled: nothing changes it any more',
    },
  ])('$what is not sent', ({ spoil, evidence }) => {
    const { rig, order } = resting();
    const operation = rig.amending.amend(order, NEW, () => rig.hold);
    spoil(rig, order);
    rig.grant();
    expect(rig.sends('amend')).toBe(0);
    expect(operation).toMatchObject({ state: 'dropped' });
    expect(rig.operationEnds).toEqual([{ end: 'dropped', evidence }]);
    expect(order.amending).toBeUndefined();
  });

  it('while another change holds the lane waits until that one is proved', () => {
    const { rig, order } = resting();
    const other = {};
    rig.lanes.hold('BTCUSDT/USDT', other);
    rig.amending.amend(order, NEW, pass);
    rig.grant();
    expect(rig.sends('amend')).toBe(0);
    rig.lanes.release('BTCUSDT/USDT', other);
    rig.grant();
    expect(rig.sends('amend')).toBe(1);
  });
});

describe('an amendment whose order ends', () => {
  const end = ({ rig, order }: Amending): void => {
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
  };
  /** The slots that are asked for from now on, whatever time passes. */
  const asked = ({ rig }: Amending): number => {
    const before = rig.priorities.length;
    rig.pass(60_000);
    return rig.priorities.length - before;
  };

  it('is not looked at any more', () => {
    const amendment = amending();
    amendment.rig.answer('amend', unknown());
    end(amendment);
    expect(asked(amendment)).toBe(0);
  });

  it('does not go again after a refusal for the moment', () => {
    const amendment = amending();
    amendment.rig.answer('amend', no('locked', 423));
    end(amendment);
    expect(asked(amendment)).toBe(0);
    expect(amendment.operation.state).toBe('refused');
  });

  it('has no use for the answer to a look that was on its way', () => {
    const amendment = amending();
    const { rig, order, operation } = amendment;
    rig.answer('amend', yes(null));
    rig.passUntil('find-order');
    end(amendment);
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (rig.waiting('find-order') !== undefined) rig.answer('find-order', half);
    expect(operation.state).toBe('fenced');
    expect(rig.halts).toEqual([]);
    expect(rig.operationEnds).toHaveLength(1);
  });
});

describe('looks at an amendment', () => {
  /** Its own goes by the venue's id, the first one of the order by ours. */
  function nextOwn(
    rig: OperationRig,
    outcome: ReturnType<typeof newReport> | Outcome<never>,
  ): void {
    for (;;) {
      rig.passUntil('find-order');
      const at = rig.sent.findIndex((each) => each.request.kind === 'find-order');
      const [asked] = rig.sent.splice(at, 1);
      if (asked?.request.kind !== 'find-order') throw new Error('a look is asked for');
      const own = 'orderId' in asked.request.order;
      rig.desk.reply(asked.id, { to: 'find-order', outcome: own ? outcome : unknown() });
      if (own) return;
    }
  }

  it('fence it on the third that shows the old terms over 5 s, however many told nothing', () => {
    const { rig, order, operation } = amending();
    const old = yes(reportOf(order.intent.terms));
    rig.answer('amend', unknown());
    nextOwn(rig, old);
    for (let looks = 0; looks < 4; looks += 1) nextOwn(rig, unknown());
    nextOwn(rig, old);
    expect(operation.state, 'two reads').toBe('verifying');
    nextOwn(rig, old);
    expect(operation.state, 'three reads').toBe('fencing');
  });

  it('leave an end of the order to the looks of the order', () => {
    const { rig, order, operation } = amending();
    const gone = { ...order.intent.terms, price: NEW.price };
    rig.answer('amend', unknown());
    nextOwn(rig, yes(reportOf(gone, { status: 'canceled' })));
    expect(operation.state).toBe('verifying');
    expect(rig.halts).toEqual([]);
  });
});

describe('a life that dies with an amendment under way', () => {
  it.each([
    { when: 'INTENT', upTo: 'operation', end: 'dropped' },
    { when: 'ATTEMPT', upTo: 'operation-attempt', end: undefined },
    { when: 'OUTCOME', upTo: 'operation-outcome', end: undefined },
  ])('after $when never sends it again', ({ upTo, end }) => {
    const before = amending();
    before.rig.answer('amend', yes(null));
    const { records } = before.rig;
    const cut = records.findIndex(({ type }) => type === upTo) + 1;
    const rig = OperationRig.revived(records.slice(0, cut), before.rig.stamp);
    const order = rig.ledger.byClientOrderId(before.order.clientOrderId);
    if (order === undefined) throw new Error('the order is known');
    expect(rig.ledger.of('BTCUSDT', 'USDT').longest).toBe(d('2'));
    rig.amending.resume();
    expect(rig.lastEnd).toBe(end);
    if (end !== undefined) return;
    rig.passUntil('find-order');
    rig.answer('find-order', newReport(order));
    expect(rig.lastEnd).toBe('applied');
    expect(order.terms).toMatchObject(NEW);
    expect(rig.sends('amend')).toBe(0);
  });

  it('after a refusal for the moment says that it was not sent again', () => {
    const before = amending();
    before.rig.answer('amend', no('locked', 423));
    const rig = OperationRig.revived(before.rig.records, before.rig.stamp);
    rig.amending.resume();
    expect(rig.operationEnds).toEqual([
      { end: 'refused', evidence: 'it was not sent again after a restart' },
    ]);
  });

  it('and the order with it has nothing left to look for', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const next = new OperationRig(rig.records, rig.stamp);
    rig.protocol.tell(order, reportOf(order.terms, { status: 'canceled' }));
    const left = Object.assign(new Operation<'amend'>(operation), { state: 'verifying' });
    next.amending.takeOver(left, order);
    next.amending.resume();
    expect(next.operationEnds).toMatchObject([{ end: 'fenced' }]);
    expect(next.slots).toEqual([]);
  });

  it('knows the terms of an order that was amended before', () => {
    const before = amending();
    before.rig.answer('amend', yes(null));
    showNew(before);
    const rig = OperationRig.revived(before.rig.records, before.rig.stamp);
    const order = rig.ledger.byClientOrderId(before.order.clientOrderId);
    expect(order?.terms).toMatchObject(NEW);
  });
});

describe('what a reader of the journal learns of an amendment', () => {
  /** From the wish on; the looks of the order itself are left out. */
  function told(follow: (amendment: Amending) => void): readonly string[] {
    const { rig, order } = resting();
    rig.look(yes(reportOf(order.terms)));
    const story = storyOf(rig);
    const operation = rig.amending.amend(order, NEW, pass);
    if (typeof operation === 'string') throw new Error(operation);
    rig.grant();
    follow({ rig, order, operation });
    return story.filter((line) => !OWN_LOOKS.test(line));
  }
  const OWN_LOOKS = /find-order by our id|^2500 send find-order/;
  const BEGUN = [
    `0 operation {"plan":{"kind":"amend","clientOrderId":"${resting().order.clientOrderId}",` +
      '"fromPrice":"60000","fromQuantity":"1","price":"59000","quantity":"2"}}',
  ];
  const sent = (ms: number, attempt = 1): readonly string[] => [
    `${ms} operation-attempt {"attempt":${attempt},"step":{"kind":"amend","orderId":"v1"}}`,
    `${ms} send amend v1 to 2 at 59000 as place`,
  ];

  it('that the venue takes and shows', () => {
    expect(
      told(({ rig, order }) => {
        rig.answer('amend', yes(null));
        answerLook(rig, newReport(order));
      }),
    ).toEqual([
      ...BEGUN,
      ...sent(0),
      '0 operation-outcome {"attempt":1,"outcome":"yes"}',
      '100 send find-order v1 as verify',
      '100 operation-ended {"end":"applied","evidence":"order v1 shows the new price and quantity"}',
    ]);
  });

  it('that the venue refuses', () => {
    expect(
      told(({ rig }) => {
        rig.answer('amend', no('quantity-range'));
      }),
    ).toEqual([
      ...BEGUN,
      ...sent(0),
      '0 operation-outcome {"attempt":1,"outcome":"no","code":"quantity-range","status":400,"text":"quantity-range"}',
      '0 operation-ended {"end":"refused","evidence":"quantity-range"}',
    ]);
  });

  it('that is refused for the moment: a pause before each try', () => {
    const story = told(({ rig }) => {
      for (let tries = 1; tries <= 5; tries += 1) {
        rig.passUntil('amend');
        rig.answer('amend', no('locked', 423));
      }
    });
    expect(story.filter((line) => !line.includes('operation-outcome'))).toEqual([
      ...BEGUN,
      ...sent(0, 1),
      ...sent(250, 2),
      ...sent(750, 3),
      ...sent(1_750, 4),
      ...sent(3_750, 5),
      '3750 operation-ended {"end":"refused","evidence":"refused for the moment too often"}',
    ]);
  });

  it('that never shows, and is fenced by a cancel', () => {
    const story = told(({ rig, order, operation }) => {
      rig.answer('amend', unknown());
      while (operation.state !== 'fencing') answerLook(rig, yes(reportOf(order.intent.terms)));
      rig.protocol.tell(order, reportOf(order.intent.terms, { status: 'canceled' }));
    });
    expect(story.filter((line) => !line.includes('update'))).toEqual([
      ...BEGUN,
      ...sent(0),
      '0 operation-outcome {"attempt":1,"outcome":"unknown","sent":true,"cause":"no answer"}',
      '300 send find-order v1 as verify',
      '900 send find-order v1 as verify',
      '2100 send find-order v1 as verify',
      '4600 send find-order v1 as verify',
      '9600 send find-order v1 as verify',
      '9600 cancel: cancel wanted',
      '9600 operation-ended {"end":"fenced","evidence":"the order is canceled: nothing changes it any more"}',
    ]);
  });

  it('after which the order has terms that nobody asked for', () => {
    const { rig, order, operation } = amending();
    rig.answer('amend', unknown());
    const half = yes(reportOf({ ...order.intent.terms, price: NEW.price }));
    while (operation.state === 'verifying') answerLook(rig, half);
    expect(rig.halts).toContain(
      `order ${order.clientOrderId} shows a price and quantity that are neither its old nor its new ones`,
    );
  });
});
