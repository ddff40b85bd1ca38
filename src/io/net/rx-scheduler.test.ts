import { interval, map, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { rxScheduler } from './rx-scheduler.js';
import { ManualTime } from '../../../test/support/fakes/manual-ports.js';

describe('RxJS time operators on the Scheduler port', () => {
  it('an operator fires at the time of the port', async () => {
    const time = new ManualTime();
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

  it('an unsubscribed operator leaves no timer', async () => {
    const time = new ManualTime();
    const subscription = interval(10, rxScheduler(time, time)).subscribe();
    await time.advance(35);
    subscription.unsubscribe();
    expect(time.pendingTimers).toBe(0);
  });
});
