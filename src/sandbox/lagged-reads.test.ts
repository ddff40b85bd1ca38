import { describe, expect, it } from 'vitest';
import { ExchangeRig, of } from '../../test/harness/exchange-rig.js';
import { createLaggedReads } from './lagged-reads.js';

describe('reads that lag behind a venue', () => {
  it('take a cancelled order off the open ones even where its word stays PARTIAL_FILLED', () => {
    const rig = new ExchangeRig({}, { partialCancelStatus: 'partially-filled' });
    let nowMs = 0;
    const reads = createLaggedReads(rig.exchange, () => nowMs);
    reads.arm();
    const open = () => reads.during(400, () => reads.exchange.openOrders('USDT'));
    const order = rig.trade('buy', '1', 'USDT', '90');
    rig.exchange.fillPart(order, of('0.4'));
    nowMs = 1_000;
    expect(open()).toHaveLength(1);
    rig.exchange.cancel(order);
    nowMs = 1_200;
    expect(open(), 'as it was 400 ms ago').toHaveLength(1);
    nowMs = 2_000;
    expect(open()).toHaveLength(0);
    expect(reads.during(400, () => reads.exchange.orderHistory('USDT'))).toHaveLength(1);
  });
});
