import { describe, expect, it } from 'vitest';
import { ExchangeRig, of } from '../../../test/support/rigs/exchange-rig.js';
import { createStaleReads } from './stale-reads.js';

describe('stale reads', () => {
  it('a cancelled order leaves the open orders even where its status stays PARTIAL_FILLED', () => {
    const rig = new ExchangeRig({}, { partialCancelStatus: 'partially-filled' });
    let nowMs = 0;
    const reads = createStaleReads(rig.exchange, () => nowMs);
    reads.startRecording();
    const open = () => reads.withLag(400, () => reads.exchange.openOrders('USDT'));
    const order = rig.trade('buy', '1', 'USDT', '90');
    rig.exchange.fillPart(order, of('0.4'));
    nowMs = 1_000;
    expect(open()).toHaveLength(1);
    rig.exchange.cancel(order);
    nowMs = 1_200;
    expect(open(), 'as it was 400 ms ago').toHaveLength(1);
    nowMs = 2_000;
    expect(open()).toHaveLength(0);
    expect(reads.withLag(400, () => reads.exchange.orderHistory('USDT'))).toHaveLength(1);
  });
});
