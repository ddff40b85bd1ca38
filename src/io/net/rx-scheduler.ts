import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';
import type { Clock, Scheduler } from '../../core/ports.js';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** The `Clock` and `Scheduler` ports as an RxJS scheduler. RxJS time operators must use it. */
export const rxScheduler = (clock: Clock, scheduler: Scheduler): SchedulerLike => ({
  now: () => clock.monotonicMs(),
  schedule: <T>(work: Work<T>, delay = 0, state?: T): Subscription =>
    new PortAction<T>(scheduler, work).schedule(state, delay),
});

class PortAction<T> extends Subscription implements SchedulerAction<T> {
  readonly #scheduler: Scheduler;
  readonly #work: Work<T>;

  constructor(scheduler: Scheduler, work: Work<T>) {
    super();
    this.#scheduler = scheduler;
    this.#work = work;
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    const cancel = this.#scheduler.after(delay, () => {
      this.remove(cancel);
      if (!this.closed) this.#work.call(this, state);
    });
    this.add(cancel);
    return this;
  }
}
