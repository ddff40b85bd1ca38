import { interval, map, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { rxScheduler } from './rx-scheduler.js';
import { VirtualTime } from '../../test/harness/virtual-ports.js';

describe('RxJS time operators over our timers', () => {
  it('fire when our time says so', async () => {
    const time = new VirtualTime();
    const seen: number[] = [];
    timer(100, 50, rxScheduler(time, time))
      .pipe(
        take(3),
        map(() => time.monotonicMs()),
      )
      .subscribe((at) => seen.push(at));
    await time.advance(1_000);
    expect(seen).toEqual([100, 150, 200]);
  });

  it('leave no timer behind when unsubscribed', async () => {
    const time = new VirtualTime();
    const subscription = interval(10, rxScheduler(time, time)).subscribe();
    await time.advance(35);
    subscription.unsubscribe();
    expect(time.pendingTimers).toBe(0);
  });
});
