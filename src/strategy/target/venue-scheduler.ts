import type { SchedulerAction, SchedulerLike, Subscription } from 'rxjs';
import { rxjs } from '../adapter/rxjs-lazy.js';
import type { StrategyPort } from '../contract/strategy-port.js';

type Work<T> = (this: SchedulerAction<T>, state: T) => void;

const TIMER_KEY = 'rx:';

/** RxJS scheduler on the venue's clock: scheduled work runs in a timer event of the engine. */
export class VenueScheduler implements SchedulerLike {
  readonly #port: StrategyPort;
  readonly #due = new Map<string, () => void>();
  #count = 0;

  constructor(port: StrategyPort) {
    this.#port = port;
  }

  now(): number {
    return this.#port.venueTime;
  }

  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    return this.#action(work).schedule(state, delay);
  }

  /** Runs the work of an engine timer, unless it has been unsubscribed since. */
  run(key: string): void {
    const run = this.#due.get(key);
    this.#due.delete(key);
    run?.();
  }

  clear(): void {
    this.#due.clear();
  }

  /** One piece of work. `schedule` again, from within the work, repeats it. */
  #action<T>(work: Work<T>): SchedulerAction<T> {
    let key: string | undefined;
    const cancelTimer = () => {
      if (key !== undefined) this.#due.delete(key);
      key = undefined;
    };
    const action: SchedulerAction<T> = Object.assign(new (rxjs().Subscription)(cancelTimer), {
      schedule: (state?: T, delay = 0): Subscription => {
        if (action.closed) return action;
        cancelTimer();
        key = this.#at(delay, () => {
          key = undefined;
          work.call(action, state as T);
          if (key === undefined) action.unsubscribe();
        });
        return action;
      },
    });
    return action;
  }

  #at(delayMs: number, run: () => void): string {
    const key = `${TIMER_KEY}${this.#count++}`;
    this.#due.set(key, run);
    this.#port.setTimer(this.#port.venueTime + Math.max(0, delayMs), key);
    return key;
  }
}
