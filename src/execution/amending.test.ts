import { describe, expect, it } from 'vitest';
import { OperationRig } from '../../test/harness/operation-rig.js';
import { d } from '../../test/harness/risk-case.js';
import { no, placement, reportOf, unknown, unsent, yes } from '../../test/harness/protocol-rig.js';
import type { OwnOrder } from './own-order.js';

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
    },
    {
      what: 'of an order that is being canceled',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.protocol.cancel(order);
      },
    },
    {
      what: 'while another one of it is not proved (C2)',
      prepare: (rig: OperationRig, order: OwnOrder) => {
        rig.amending.amend(order, NEW, pass);
      },
    },
  ])('$what', ({ prepare }) => {
    const { rig, order } = resting();
    prepare(rig, order);
    expect(rig.amending.amend(order, NEW, pass)).toEqual(expect.any(String));
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
    },
    {
      what: 'when the gate says no',
      spoil: (rig: OperationRig) => {
        rig.hold = 'too large';
      },
    },
  ])('$what is not sent', ({ spoil }) => {
    const { rig, order } = resting();
    const operation = rig.amending.amend(order, NEW, () => rig.hold);
    spoil(rig, order);
    rig.grant();
    expect(rig.sends('amend')).toBe(0);
    expect(operation).toMatchObject({ state: 'dropped' });
    expect(order.amending).toBeUndefined();
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

  it('knows the terms of an order that was amended before', () => {
    const before = amending();
    before.rig.answer('amend', yes(null));
    showNew(before);
    const rig = OperationRig.revived(before.rig.records, before.rig.stamp);
    const order = rig.ledger.byClientOrderId(before.order.clientOrderId);
    expect(order?.terms).toMatchObject(NEW);
  });
});
