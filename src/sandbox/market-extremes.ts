import { signedUnit } from './integer-hash.js';
import { keyed, valueNoise } from './market-noise.js';

/** Noise that is linear between knots every 2^power minutes. */
export interface Wave {
  readonly key: number;
  readonly amplitude: number;
  readonly power: number;
}

interface Ripple {
  readonly key: number;
  readonly amplitude: number;
}

export interface ExtremesParts {
  readonly waves: readonly Wave[];
  /** Inside the minute: knots every ten seconds, and one a second. */
  readonly tenSeconds: Ripple;
  readonly second: Ripple;
  /** The sum of the waves at a minute's start; linear until the next. */
  readonly coarse: (minute: number) => number;
}

const TOP = 15;
const TEN_SECONDS = 10;
const SEGMENTS = 6;
const SECONDS_PER_MINUTE = 60;
/** Walked minute by minute: cheaper than descending to them. */
const FEW_MINUTES = 8;
/** Bounds are sums in another order than levels: far above what that can differ by. */
const SLACK = 1e-12;

/**
 * The highest and lowest level of a stretch, to the second, without walking it. In a block of 2^k
 * minutes every wave of period 2^k or more is linear, so its ends and the amplitudes of the shorter
 * waves bound what it can reach: blocks that cannot beat the best so far are left out, the others are
 * halved (branch and bound).
 */
export class Extremes {
  readonly #parts: ExtremesParts;
  /** By power. */
  readonly #waves: readonly (readonly Wave[])[];
  /** By power: how far shorter waves and the noise inside the minute reach. */
  readonly #reach: readonly number[];
  #from = 0;
  #to = 0;
  #sign = 1;
  #best = 0;

  constructor(parts: ExtremesParts) {
    this.#parts = parts;
    this.#waves = Array.from({ length: TOP + 1 }, (_, power) =>
      parts.waves.filter((wave) => wave.power === power),
    );
    const inside = parts.tenSeconds.amplitude + parts.second.amplitude;
    this.#reach = this.#waves.map((_, power) =>
      parts.waves
        .filter((wave) => wave.power < power)
        .reduce((sum, wave) => sum + wave.amplitude, inside),
    );
  }

  /** Of the minutes `from ≤ m < to`; at least `atLeast`. */
  highest(from: number, to: number, atLeast: number): number {
    return this.#search(from, to, 1, atLeast);
  }

  lowest(from: number, to: number, atMost: number): number {
    return -this.#search(from, to, -1, -atMost);
  }

  /** The noise inside the minute at a second. */
  fine(second: number): number {
    const { tenSeconds, second: one } = this.#parts;
    const slow = tenSeconds.amplitude * valueNoise(tenSeconds.key, second, TEN_SECONDS);
    if (one.amplitude === 0) return slow;
    return slow + one.amplitude * valueNoise(one.key, second, 1);
  }

  #search(from: number, to: number, sign: number, known: number): number {
    this.#from = from;
    this.#to = to;
    this.#sign = sign;
    this.#best = known;
    if (to - from <= FEW_MINUTES) {
      for (let minute = from; minute < to; minute += 1) this.#minute(minute);
      return this.#best;
    }
    const size = 1 << TOP;
    for (let at = Math.floor(from / size) * size; at < to; at += size) this.#block(TOP, at, 0, 0);
    return this.#best;
  }

  /** `first` and `last` are the longer waves at the ends of the block. */
  #block(power: number, at: number, first: number, last: number): void {
    const size = 1 << power;
    if (at + size <= this.#from || at >= this.#to) return;
    const start = first + this.#knot(power, at);
    const end = last + this.#knot(power, at + size);
    if (Math.max(start, end) + (this.#reach[power] as number) + SLACK <= this.#best) return;
    if (power === 0) {
      this.#minute(at);
      return;
    }
    const middle = (start + end) / 2;
    const half = size / 2;
    if (start >= end) {
      this.#block(power - 1, at, start, middle);
      this.#block(power - 1, at + half, middle, end);
    } else {
      this.#block(power - 1, at + half, middle, end);
      this.#block(power - 1, at, start, middle);
    }
  }

  /** The waves of one power where they have a knot. */
  #knot(power: number, at: number): number {
    let sum = 0;
    for (const { key, amplitude } of this.#waves[power] as readonly Wave[]) {
      sum += amplitude * signedUnit(keyed(key, at / (1 << power)));
    }
    return this.#sign * sum;
  }

  #minute(minute: number): void {
    const { coarse, tenSeconds, second } = this.#parts;
    const start = coarse(minute);
    const slope = coarse(minute + 1) - start;
    const firstKnot = minute * SEGMENTS;
    let from = start + tenSeconds.amplitude * signedUnit(keyed(tenSeconds.key, firstKnot));
    for (let segment = 0; segment < SEGMENTS; segment += 1) {
      const knot = signedUnit(keyed(tenSeconds.key, firstKnot + segment + 1));
      const to = start + (slope * (segment + 1)) / SEGMENTS + tenSeconds.amplitude * knot;
      const bound = Math.max(this.#sign * from, this.#sign * to) + second.amplitude + SLACK;
      if (bound > this.#best) this.#seconds(minute, segment * TEN_SECONDS, start, slope);
      from = to;
    }
  }

  /** Level by level, exactly as prices are made. */
  #seconds(minute: number, fromStep: number, start: number, slope: number): void {
    for (let step = fromStep; step < fromStep + TEN_SECONDS; step += 1) {
      const level = start + (slope * step) / SECONDS_PER_MINUTE;
      const total = this.#sign * (level + this.fine(minute * SECONDS_PER_MINUTE + step));
      if (total > this.#best) this.#best = total;
    }
  }
}
