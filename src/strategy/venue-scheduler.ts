import type { SchedulerAction, SchedulerLike, Subscription } from 'rxjs';
import { rxjs } from './form/rxjs-lazy.js';
import type { StrategyWorld } from './world.js';

type Work<T> = (this: SchedulerAction<T>, state: T) => void;

const TIMER_KEY = 'rx:';

/** RxJS time on the venue's clock: what is scheduled runs in a timer step of the engine. */
export class VenueScheduler implements SchedulerLike {
  readonly #world: StrategyWorld;
  readonly #due = new Map<string, () => void>();
  #count = 0;

  constructor(world: StrategyWorld) {
    this.#world = world;
  }

  now(): number {
    return this.#world.venueTime;
  }

  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    return this.#action(work).schedule(state, delay);
  }

  /** A timer of the engine. What was unsubscribed since does not run. */
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
    const takeBack = () => {
      if (key !== undefined) this.#due.delete(key);
      key = undefined;
    };
    const action: SchedulerAction<T> = Object.assign(new (rxjs().Subscription)(takeBack), {
      schedule: (state?: T, delay = 0): Subscription => {
        if (action.closed) return action;
        takeBack();
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
    this.#world.timer(this.#world.venueTime + Math.max(0, delayMs), key);
    return key;
  }
}
