import { describe, expect, it } from 'vitest';
import { VirtualTime } from '../../../test/support/fakes/virtual-time.js';
import { ClockSkewFeed } from './clock-skew-feed.js';

describe('the feed of clock skew', () => {
  it('reports every 10 s while the clocks differ, once when they agree, and then nothing', async () => {
    const time = new VirtualTime(0);
    let aheadMs = 0;
    const reported: number[] = [];
    const feed = new ClockSkewFeed({
      venueClock: { now: () => time.utcMs() + aheadMs },
      clock: time,
      scheduler: time,
      push: ({ skewMs }) => reported.push(skewMs),
    });
    feed.start();
    aheadMs = 1_000;
    await time.run(25_000);
    expect(reported, 'at the resolution of the header').toEqual([]);
    aheadMs = -3_000;
    await time.run(20_000);
    expect(reported).toEqual([-3_000, -3_000]);
    aheadMs = 0;
    await time.run(30_000);
    expect(reported).toEqual([-3_000, -3_000, 0]);
    aheadMs = 9_000;
    feed.stop();
    await time.run(30_000);
    expect(reported).toHaveLength(3);
  });
});
