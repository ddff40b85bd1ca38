import { describe, expect, it } from 'vitest';
import { textFromFixed } from '../../core/fixed/fixed.js';
import { placement, ProtocolRig, reportOf } from '../../../test/support/rigs/protocol-rig.js';
import type { OwnOrder } from './own-order.js';

/** A venue in this process that reports each change of an order at once. */
class ReportingRig extends ProtocolRig {
  readonly reportsOrders = true;
}

function acceptedOrder(rig: ProtocolRig): OwnOrder {
  const order = rig.placedOrder();
  rig.answer('place', placement());
  return order;
}

describe('lookups of an order', () => {
  it('an accepted order is looked up until it has ended', () => {
    const rig = new ProtocolRig();
    acceptedOrder(rig);
    rig.passUntil('find-order');
    expect(rig.sends('find-order')).toBe(1);
  });

  it('an order of a venue that reports by itself is not, and ends by its report', () => {
    const rig = new ReportingRig();
    const order = acceptedOrder(rig);
    rig.pass(120_000);
    expect(rig.sends('find-order')).toBe(0);
    const filled = textFromFixed(order.terms.quantity);
    rig.protocol.applyAuthoritativeReport(
      order,
      reportOf(order.terms, { status: 'filled', filled }),
    );
    expect(order.state).toBe('filled');
  });

  it('a reason of its own still looks it up there', () => {
    const rig = new ReportingRig();
    const { terms } = acceptedOrder(rig);
    rig.protocol.queryNow(terms.symbol, terms.currency);
    rig.passUntil('find-order');
    expect(rig.sends('find-order')).toBe(1);
  });
});
