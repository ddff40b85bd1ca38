/** `[age in ms, count]`. */
export type UsageAge = readonly [ageMs: number, count: number];

interface UsageBucket {
  /** Monotonic ms of the bucket's end, rounded up, so that a use is never counted too short. */
  readonly end: number;
  count: number;
}

/** A long window has this many buckets: a day would hold 700,000 single times. */
const MAX_BUCKETS = 1_000;

/**
 * The number of uses within the last `lengthMs`: a sliding window. A use may count up to one bucket too
 * long, never too short.
 */
export class UsageWindow {
  readonly lengthMs: number;
  readonly #bucketMs: number;
  readonly #buckets: UsageBucket[] = [];
  #total = 0;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
    this.#bucketMs = Math.max(1, Math.ceil(lengthMs / MAX_BUCKETS));
  }

  add(nowMs: number, count: number): void {
    if (count <= 0) return;
    const end = (Math.floor(nowMs / this.#bucketMs) + 1) * this.#bucketMs;
    const last = this.#buckets.at(-1);
    this.#total += count;
    if (last?.end === end) last.count += count;
    else this.#buckets.push({ end, count });
  }

  count(nowMs: number): number {
    this.#expire(nowMs);
    return this.#total;
  }

  /** Earliest monotonic ms at which the count is below `limit`, if no use is added. */
  availableAt(limit: number, nowMs: number): number {
    let remaining = this.count(nowMs);
    if (remaining < limit) return nowMs;
    for (const { end, count } of this.#buckets) {
      remaining -= count;
      if (remaining < limit) return end + this.lengthMs;
    }
    return nowMs + this.lengthMs;
  }

  /** Oldest first. */
  ages(nowMs: number): UsageAge[] {
    this.#expire(nowMs);
    return this.#buckets.map(({ end, count }) => [Math.max(0, nowMs - end), count]);
  }

  #expire(nowMs: number): void {
    let first = this.#buckets[0];
    while (first !== undefined && first.end + this.lengthMs <= nowMs) {
      this.#total -= first.count;
      this.#buckets.shift();
      first = this.#buckets[0];
    }
  }
}
