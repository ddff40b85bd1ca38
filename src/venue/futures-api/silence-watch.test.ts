import { describe, expect, it } from 'vitest';
import { BTC, kline, streamRig, type StreamRequest } from '../../../test/harness/stream-rig.js';

describe('the watch for silence', () => {
  it('gives up a connection that is silent while the market moves', async () => {
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

  it('keeps a connection for as long as the market is quiet, too', async () => {
    const { time, peers, kinds, silences } = streamRig(BTC);
    await time.advance(3_600_000);
    expect(peers).toHaveLength(1);
    expect(kinds()).toEqual(['up']);
    expect(silences.length).toBeLessThanOrEqual(60);
    expect(silences.length).toBeGreaterThan(50);
  });

  it('is not silent while anything is pushed', async () => {
    const { time, peers, silences } = streamRig(BTC, { moved: () => Promise.resolve(true) });
    await time.advance(0);
    for (let minute = 0; minute < 30; minute += 1) {
      await time.advance(60_000);
      peers[0]?.onMessage(kline('btcusdt'));
    }
    expect([peers.length, silences.length]).toEqual([1, 0]);
  });

  it('keeps a connection that speaks while its silence is looked into', async () => {
    let tell = (_moved: boolean): void => undefined;
    const moved = (): Promise<boolean> => new Promise((resolve) => (tell = resolve));
    const { time, peers } = streamRig(BTC, { moved });
    await time.advance(75_000);
    peers[0]?.onMessage(kline('btcusdt'));
    tell(true);
    await time.advance(1_000);
    expect(peers).toHaveLength(1);
  });

  it('asks again for a subscription that was lost in mid-run', async () => {
    const { time, peers } = streamRig(BTC);
    await time.advance(0);
    const asked = peers[0]?.asked.splice(0) ?? [];
    peers[0]?.asked.push({ ...asked[0], params: ['ticker@1s'] } as StreamRequest);
    await time.advance(75_001);
    expect(peers[0]?.asked.map(({ params }) => params).slice(1)).toEqual([
      undefined,
      ['kline@1m@btcusdt'],
      undefined,
    ]);
  });
});
