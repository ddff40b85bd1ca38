import type { Cancel, Clock, Random, Scheduler } from '../../../src/core/ports.js';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  canceled: boolean;
}

/**
 * Monotonic time that moves only when `run` is called: from timer to timer, each after every promise
 * that the one before it settled. One thread, one order: the same program runs the same way twice.
 */
export class VirtualTime implements Clock, Scheduler {
  /** Runs when a timer has run and all that it set off has settled. */
  afterEach: (() => void) | undefined;
  readonly #timers: Timer[] = [];
  readonly #utcAtZero: number;
  #now = 0;
  #order = 0;

  constructor(utcAtZero = Date.UTC(2025, 4, 5)) {
    this.#utcAtZero = utcAtZero;
  }

  /** Timers that wait, canceled ones among them. */
  get pending(): number {
    return this.#timers.length;
  }

  monotonicMs(): number {
    return this.#now;
  }

  utcMs(): number {
    return this.#utcAtZero + Math.floor(this.#now);
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = {
      at: this.#now + Math.max(0, delayMs),
      order: ++this.#order,
      run,
      canceled: false,
    };
    this.#push(timer);
    return () => {
      timer.canceled = true;
    };
  }

  /** Runs everything that is due within `forMs`, then stands at its end. */
  async run(forMs: number): Promise<void> {
    const until = this.#now + forMs;
    await settle();
    for (
      let next = this.#timers[0];
      next !== undefined && next.at <= until;
      next = this.#timers[0]
    ) {
      this.#pop();
      if (next.canceled) continue;
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settle();
      this.afterEach?.();
    }
    this.#now = until;
  }

  /** Runs until it holds. @throws Error when `withinMs` passes before */
  async until(holds: () => boolean, withinMs: number): Promise<void> {
    const end = this.#now + withinMs;
    while (!holds()) {
      if (this.#now >= end) throw new Error(`it did not hold within ${withinMs} virtual ms`);
      await this.run(10);
    }
  }

  /** Runs time until the promise settles. */
  async resolve<T>(promise: Promise<T>, withinMs = 120_000): Promise<T> {
    let done = false;
    const ended = promise.finally(() => {
      done = true;
    });
    ended.catch(() => undefined);
    await this.until(() => done, withinMs);
    return ended;
  }

  #push(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(timer, heap[parent] as Timer)) break;
      heap[at] = heap[parent] as Timer;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#timers;
    const last = heap.pop() as Timer;
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= length) break;
      const right = left + 1;
      const child =
        right < length && before(heap[right] as Timer, heap[left] as Timer) ? right : left;
      if (!before(heap[child] as Timer, last)) break;
      heap[at] = heap[child] as Timer;
      at = child;
    }
    heap[at] = last;
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Every promise that can settle without a timer has settled when the macrotask comes. */
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A seeded generator (mulberry32): jitter that is the same every time. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}
