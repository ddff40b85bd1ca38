import { describe, expect, it } from 'vitest';
import {
  BTC,
  kline,
  streamRig,
  type StreamRequest,
} from '../../../../test/support/rigs/stream-rig.js';

describe('the stale feed detector', () => {
  it('a silent connection is replaced while the market moves', async () => {
    const { time, peers, messages, silences } = streamRig(BTC, {
      moved: () => Promise.resolve(true),
    });
    await time.advance(0);
    const connectedAt = time.utcMs();
    await time.advance(74_999);
    expect(silences).toEqual([]);
    await time.advance(2);
    expect(peers[0]?.closed).toBe(true);
    expect(silences).toEqual([
      { streams: ['btcusdt', 'ethusdt', 'kline@1m@btcusdt'], sinceMs: connectedAt },
    ]);
    expect(messages).toEqual([
      { kind: 'up' },
      { kind: 'down', reason: 'it is silent while the market moves' },
      { kind: 'up' },
    ]);
  });

  it('a silent connection stays while the market is quiet', async () => {
    const { time, peers, kinds, silences } = streamRig(BTC);
    await time.advance(3_600_000);
    expect(peers).toHaveLength(1);
    expect(kinds()).toEqual(['up']);
    expect(silences.length).toBeLessThanOrEqual(60);
    expect(silences.length).toBeGreaterThan(50);
  });

  it('any push counts as an update', async () => {
    const { time, peers, silences } = streamRig(BTC, { moved: () => Promise.resolve(true) });
    await time.advance(0);
    for (let minute = 0; minute < 30; minute += 1) {
      await time.advance(60_000);
      peers[0]?.onMessage(kline('btcusdt'));
    }
    expect([peers.length, silences.length]).toEqual([1, 0]);
  });

  it('a connection with a push during the check stays', async () => {
    let answerCheck = (_moved: boolean): void => undefined;
    const moved = (): Promise<boolean> => new Promise((resolve) => (answerCheck = resolve));
    const { time, peers } = streamRig(BTC, { moved });
    await time.advance(75_000);
    peers[0]?.onMessage(kline('btcusdt'));
    answerCheck(true);
    await time.advance(1_000);
    expect(peers).toHaveLength(1);
  });

  it('a subscription lost during the run is subscribed again', async () => {
    const { time, peers } = streamRig(BTC);
    await time.advance(0);
    const requests = peers[0]?.requests.splice(0) ?? [];
    peers[0]?.requests.push({ ...requests[0], params: ['ticker@1s'] } as StreamRequest);
    await time.advance(75_001);
    expect(peers[0]?.requests.map(({ params }) => params).slice(1)).toEqual([
      undefined,
      ['kline@1m@btcusdt'],
      undefined,
    ]);
  });
});
