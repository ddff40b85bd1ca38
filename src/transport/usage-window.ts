/** `[age in ms, count]`: how long ago, and how much. */
export type UsedAge = readonly [ageMs: number, count: number];

interface Used {
  /** Monotonic ms at which this use is surely in the past: the end of its grain. */
  readonly end: number;
  count: number;
}

/** Long windows are counted in this many grains, so that a day does not hold 700,000 times. */
const GRAINS = 1_000;

/**
 * How much was used within the last `lengthMs`: a sliding window that may count a use a grain too
 * long, never too short.
 */
export class UsageWindow {
  readonly lengthMs: number;
  readonly #grainMs: number;
  readonly #used: Used[] = [];
  #total = 0;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
    this.#grainMs = Math.max(1, Math.ceil(lengthMs / GRAINS));
  }

  add(nowMs: number, count: number): void {
    if (count <= 0) return;
    const end = (Math.floor(nowMs / this.#grainMs) + 1) * this.#grainMs;
    const last = this.#used.at(-1);
    this.#total += count;
    if (last?.end === end) last.count += count;
    else this.#used.push({ end, count });
  }

  count(nowMs: number): number {
    this.#forget(nowMs);
    return this.#total;
  }

  /** Earliest monotonic ms at which fewer than `limit` are counted, if nothing is added. */
  freeAt(limit: number, nowMs: number): number {
    let left = this.count(nowMs);
    if (left < limit) return nowMs;
    for (const { end, count } of this.#used) {
      left -= count;
      if (left < limit) return end + this.lengthMs;
    }
    return nowMs + this.lengthMs;
  }

  /** Oldest first. */
  ages(nowMs: number): UsedAge[] {
    this.#forget(nowMs);
    return this.#used.map(({ end, count }) => [Math.max(0, nowMs - end), count]);
  }

  #forget(nowMs: number): void {
    let first = this.#used[0];
    while (first !== undefined && first.end + this.lengthMs <= nowMs) {
      this.#total -= first.count;
      this.#used.shift();
      first = this.#used[0];
    }
  }
}
